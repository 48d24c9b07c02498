--TEST--
Time budget: a server that is stopped by SIGSTOP
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/budget.inc';

$server = RedisServer::start(tcp: true);
$break = fn () => $server->signal('STOP');
$mend = fn () => $server->signal('CONT');
all_within_budget('unix socket', $server->dsn(), $break, $mend, RedisLock\UncertainException::class);
all_within_budget('TCP', $server->tcpDsn(), $break, $mend, RedisLock\UncertainException::class);
// A host that is looked up, and a log-in on the connection for the repeat.
all_within_budget('log-in', "redis://localhost:$server->port/2", $break, $mend, RedisLock\UncertainException::class);
done();
?>
--EXPECT--
201 checks passed
