--TEST--
After a fail-over the host name is looked up again
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../include/skipif.inc';
require __DIR__ . '/namespace.inc';
if (namespace_command() === null) {
	echo 'skip no network namespace can be made here';
}
?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/namespace.inc';

enter_namespace();

$folder = sys_get_temp_dir() . '/redislock-' . bin2hex(random_bytes(4));
mkdir($folder);
register_shutdown_function(fn () => run_or_fail('rm -r ' . escapeshellarg($folder)));
file_put_contents("$folder/hosts", '');
run_or_fail("mount --bind $folder/hosts /etc/hosts");
$lead = fn (string $address) => file_put_contents("$folder/hosts", "$address redis.test\n");

$servers = [];
foreach (['127.0.0.2', '127.0.0.3'] as $address) {
	$servers[$address] = RedisServer::start(['bind' => $address, 'port' => '6379']);
}
[$old, $new] = array_values($servers);
$lead('127.0.0.2');
$client = new RedisLock\Client('redis://redis.test', prefix());
$lock = $client->lock('job', 600.0);
check($lock->acquire() > 0, 'acquired');
check($old->connect()->must('EXISTS', lock_key('job')) === 1, 'on the old one');

// The old one lives on as a replica, and the connection to it is all right.
$lead('127.0.0.3');
$old->connect()->must('REPLICAOF', '127.0.0.1', '1');
same(false, $client->lock('job')->attach('nobody') !== null, 'the new one answers');
same(false, $lock->renew(), 'it does not know the lock: no longer ours');
check($lock->acquire() > 0, 'acquired');
same(1, $new->connect()->must('EXISTS', lock_key('job')), 'on the new one');

// The old one is gone.
$lead('127.0.0.2');
$old->connect()->must('REPLICAOF', 'NO', 'ONE');
$old->connect()->must('FLUSHALL');
$new->kill();
check($client->lock('other', 600.0, false)->acquire() > 0, 'acquired');
same(1, $old->connect()->must('EXISTS', lock_key('other')), 'where the name leads now');

// Several addresses: the first one that can be connected to.
file_put_contents("$folder/hosts", "127.0.0.9 many.test\n127.0.0.3 many.test\n127.0.0.2 many.test\n");
same(true, (new RedisLock\Client('redis://many.test', prefix()))->inspect('other')['held'], 'an address that answers is found');
done();
?>
--EXPECT--
9 checks passed
