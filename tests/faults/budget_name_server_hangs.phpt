--TEST--
Time budget: a name server that does not answer
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

$folder = sys_get_temp_dir() . '/redislock-' . bin2hex(random_bytes(4));
mkdir($folder);
register_shutdown_function(fn () => run_or_fail('rm -r ' . escapeshellarg($folder)));
file_put_contents("$folder/resolv.conf", "nameserver 127.0.0.1\noptions timeout:30 attempts:5\n");
file_put_contents("$folder/nsswitch.conf", "hosts: files dns\n");
run_or_fail("mount --bind $folder/resolv.conf /etc/resolv.conf");
run_or_fail("mount --bind $folder/nsswitch.conf /etc/nsswitch.conf");
$silent = stream_socket_server('udp://127.0.0.1:53', $number, $text, STREAM_SERVER_BIND) ?: throw new RuntimeException($text);
all_within_budget('silence', 'redis://redis.example.com:6379', null, null, RedisLock\ConnectionException::class);
check(str_contains((string) stream_socket_recvfrom($silent, 512), 'example'), 'it was asked: the name is not just unknown');

// More calls of one process than look-ups may hang at once.
$begin = hrtime(true);
for ($i = 1; $i <= 12; $i++) {
	$lock = (new RedisLock\Client('redis://redis.example.com', 'x:', 60.0, 0.1))->lock('job');
	throws(RedisLock\ConnectionException::class, fn () => $lock->acquire(), "call $i");
}
between(0.0, 12 * 0.2 + SLACK, (hrtime(true) - $begin) / 1e9, 'each of them within its budget');
$server = RedisServer::start(tcp: true);
check((new RedisLock\Client($server->tcpDsn()))->lock('job')->acquire() > 0, 'an address needs no name server');
done();
?>
--EXPECT--
70 checks passed
