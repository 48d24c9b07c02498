--TEST--
A server that is gone does not keep the locks on another one from being given back
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$gone = RedisServer::start();
$there = RedisServer::start();
$redis = $there->connect();
$clients = [$gone->client(prefix()), $there->client(prefix())];
foreach (['gone first' => [0, 1], 'gone last' => [1, 0]] as $what => [$first, $second]) {
	$locks = [];
	foreach ($clients as $i => $client) {
		$locks[$i] = $client->lock('job', 600.0);
		check($locks[$i]->acquire() > 0, "$what: acquired");
	}
	// Neither has a connection any more; one can have a new one.
	$redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
	$gone->kill();
	unset($locks[$first]);
	unset($locks[$second]);
	wait_until(fn () => $redis->must('EXISTS', lock_key('job')) === 0, "$what: the one that can be given back is", 10.0);
	$gone->boot();
	$clients[0]->inspect('job');
}
done();
?>
--EXPECT--
4 checks passed
