--TEST--
A missing permission: the message says which one, and nothing stays locked
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
// The rights as the documentation has them for the prefix "redislock:", and one of them less.
$keys = ['~redislock:*', '~{redislock:*}:redislock:*', '~{*}:redislock:*:redislock:*'];
$commands = ['+eval', '+evalsha', '+blpop', '+client|id', '+client|unblock', '+del', '+exists', '+get', '+llen', '+ltrim', '+pexpire', '+pttl', '+rpush', '+set', '+time'];
$user = function (array $keys, array $commands) use ($redis, $server): RedisLock\Client {
	$redis->must('ACL', 'SETUSER', 'app', 'reset', 'on', '>secret', ...$keys, ...['nocommands', ...$commands]);
	// What the server has cached of an earlier user must not help.
	$redis->must('CLIENT', 'KILL', 'USER', 'app');
	return new RedisLock\Client($server->dsn('app:secret'), 'redislock:');
};
/* Everything that a user can do with a lock, each alone: name => what it said. */
$all = function (RedisLock\Client $client) use ($redis, $server): array {
	$direct = new RedisLock\Client($server->dsn(), 'redislock:');
	$calls = [
		'acquire' => fn () => $client->lock('job', 60.0, false)->acquire() > 0,
		'acquire, in vain' => function () use ($client, $direct) {
			$holder = $direct->lock('job', 60.0);
			$holder->acquire();
			return $client->lock('job')->acquire(0.05) === null;
		},
		'acquire, handed over' => function () use ($client, $direct) {
			$direct->lock('job', 0.2, false)->acquire();
			return $client->lock('job', 60.0, false)->acquire(10.0) > 0;
		},
		'renew' => fn () => $direct->lock('job', 60.0, false)->acquire(0.0, 'token') && $client->renew('job', 'token', 90.0),
		'release' => fn () => $direct->lock('job', 60.0, false)->acquire(0.0, 'token') && $client->release('job', 'token'),
		'release, handed over' => function () use ($client, $direct, $redis) {
			$direct->lock('job', 60.0, false)->acquire(0.0, 'token');
			$redis->must('SET', '{redislock:job}:redislock:wait', '1', 'PX', '60000');
			return $client->release('job', 'token');
		},
		'attach' => fn () => $direct->lock('job', 60.0, false)->acquire(0.0, 'token') && $client->lock('job', 60.0, false)->attach('token') > 0,
		'inspect' => fn () => $client->inspect('job')['held'] === false,
		'forceRelease' => fn () => $direct->lock('job', 60.0, false)->acquire() && $client->forceRelease('job'),
	];
	$said = [];
	foreach ($calls as $name => $call) {
		$redis->must('FLUSHALL');
		try {
			$said[$name] = @$call();
		} catch (RedisLock\ServerException $thrown) {
			$said[$name] = $thrown;
			if ($name === 'acquire') {
				$redis->must('GET', 'redislock:job') === null || $redis->must('PTTL', 'redislock:job') <= 1 || check(false, 'a refused acquire leaves nothing locked', thrown: $thrown);
			}
		}
	}
	return $said;
};

foreach ($all($user($keys, $commands)) as $name => $said) {
	same(true, $said, "with all rights: $name");
}
$needed = [];
foreach ($commands as $command) {
	$name = substr($command, 1);
	$problems = [];
	foreach ($all($user($keys, array_diff($commands, [$command]))) as $call => $said) {
		if ($said instanceof RedisLock\ServerException) {
			$needed[$name] = true;
			stripos($said->getMessage(), $name) !== false || $problems[] = "$call: " . $said->getMessage();
			in_array($said->redisCode, ['NOPERM', 'ERR'], true) || $problems[] = "$call: $said->redisCode";
		} elseif ($said !== true) {
			$problems[] = "$call: " . show($said);
		}
	}
	same([], $problems, "without $name: each call works or says what is missing");
}
check(isset($needed['time']) && isset($needed['set']) && isset($needed['get']), 'the main ones were missed', needed: array_keys($needed));

// Without the keys beside the lock, and without the lock.
foreach ([1, 0] as $without) {
	foreach ($all($user(array_diff_key($keys, [$without => 0]), $commands)) as $call => $said) {
		// A renewal needs only the lock.
		if ($without === 1 && $call === 'renew') {
			same(true, $said, "without $keys[$without]: $call");
			continue;
		}
		check($said instanceof RedisLock\ServerException && $said->redisCode === 'NOPERM', "without $keys[$without]: $call is refused", said: $said);
		check($said instanceof Throwable && str_contains($said->getMessage(), 'key') && str_contains($said->getMessage(), 'ACL'), "without $keys[$without]: $call says that it is about keys, and where the right ones are", said: $said);
	}
}
done();
?>
--EXPECT--
60 checks passed
