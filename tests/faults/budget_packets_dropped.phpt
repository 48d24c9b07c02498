--TEST--
Time budget: an address that drops packets
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../include/skipif_slow.inc';
require __DIR__ . '/namespace.inc';
if (namespace_command() === null) {
	echo 'skip no network namespace can be made here';
}
?>
--FILE--
<?php
require __DIR__ . '/budget.inc';
require __DIR__ . '/namespace.inc';

enter_namespace();

// Also for the connections that are there.
$server = RedisServer::start(tcp: true);
$break = fn () => run_or_fail("iptables -A INPUT -p tcp --dport $server->port -j DROP");
$mend = fn () => run_or_fail('iptables -F');
all_within_budget('the host is gone', $server->tcpDsn(), $break, $mend, RedisLock\ConnectionException::class, RedisLock\UncertainException::class);

// Never there.
run_or_fail('iptables -A INPUT -p tcp --dport 6379 -j DROP');
all_within_budget('never there', 'redis://127.0.0.1:6379', null, null, RedisLock\ConnectionException::class);
done();
?>
--EXPECT--
122 checks passed
