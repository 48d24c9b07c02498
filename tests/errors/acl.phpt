--TEST--
Missing permissions are a ServerException with its code, and leave nothing locked
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$redis = $server->connect();
$redis->must('ACL', 'SETUSER', 'full', 'on', '>x', '~*', '+@all');
$redis->must('ACL', 'SETUSER', 'noscript', 'on', '>x', '~*', '+@all', '-eval', '-evalsha');
$redis->must('ACL', 'SETUSER', 'nokeys', 'on', '>x', '~other:*', '+@all');
$redis->must('ACL', 'SETUSER', 'nothing', 'on', '>x', '~*', '-@all');
$client = fn (string $user) => new RedisLock\Client($server->dsn("$user:x"), prefix());
foreach (['noscript', 'nokeys', 'nothing'] as $user) {
	server_error('NOPERM', fn () => $client($user)->lock('job')->acquire(), "$user: acquire()");
	server_error('NOPERM', fn () => $client($user)->lock('job')->attach('x'), "$user: attach()");
	server_error('NOPERM', fn () => $client($user)->release('job', 'x'), "$user: release()");
	server_error('NOPERM', fn () => $client($user)->renew('job', 'x', 1.0), "$user: renew()");
	server_error('NOPERM', fn () => $client($user)->inspect('job'), "$user: inspect()");
	server_error('NOPERM', fn () => $client($user)->forceRelease('job'), "$user: forceRelease()");
}
// Forbidden inside a script: the server has its own words for it, and the script may have done a part.
foreach (['set', 'time', 'get', 'pexpire', 'del'] as $command) {
	$redis->must('ACL', 'SETUSER', "no$command", 'on', '>x', '~*', '+@all', "-$command");
	$lock = $client("no$command")->lock('job');
	$refused = null;
	try {
		$lock->acquire();
	} catch (RedisLock\ServerException $refused) {
	}
	same($refused === null, $lock->isHeld(), "no $command: acquired or refused, nothing between");
	check($refused === null || preg_match('/^[A-Z]+$/', $refused->redisCode) === 1, "no $command: a code", thrown: $refused);
	$lock->isHeld() && $lock->detach();
	$ttl = $redis->must('PTTL', lock_key('job'));
	check($ttl === -2 || $ttl > 0, "no $command: nothing is locked for ever", ttl: $ttl);
	$redis->must('FLUSHALL');
}

// A permission that is taken away while the lock is held: the lease stands, and the holder is not told a lie.
$lock = $client('full')->lock('job', 60.0);
$fence = $lock->acquire();
$redis->must('ACL', 'SETUSER', 'full', '-evalsha', '-eval');
$before = lock_state('job', $redis);
server_error('NOPERM', fn () => $lock->renew(90.0), 'renew() is refused');
same(true, $lock->isHeld(), 'the lease stands');
server_error('NOPERM', fn () => $lock->release(), 'release() is refused');
same($before, lock_state('job', $redis), 'nothing changed');
$redis->must('ACL', 'SETUSER', 'full', '+evalsha', '+eval');
check($client('full')->release('job', $before['value']), 'with the permission back it can be released');
done();
?>
--EXPECT--
58 checks passed
