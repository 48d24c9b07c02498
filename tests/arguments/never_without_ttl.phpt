--TEST--
No input makes a lock without a time to live
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$redis = $server->connect();
$client = $server->client(prefix());
$inputs = [0.01, 0.0101, 0.0100000001, 0.05, 0.999999, 1, 30, 1e6, 2678399.9999999, 2678400, '60', true];
$without = $made = 0;
$look = function () use ($redis, &$without, &$made): void {
	foreach ($redis->must('KEYS', '*') as $key) {
		// -2: its life ended between the two commands.
		$without += $redis->must('PTTL', $key) === -1 ? 1 : 0;
		$made++;
	}
};
$ways = [
	'acquire' => fn (RedisLock $lock) => $lock->acquire(),
	'acquire with a wait' => fn (RedisLock $lock) => $lock->acquire(0.001),
	'acquire with a token' => fn (RedisLock $lock) => $lock->acquire(0.0, 'mine'),
	'attach to a lock without time to live' => function (RedisLock $lock) use ($redis) {
		$redis->must('SET', lock_key($lock->name), 'theirs');
		return $lock->attach('theirs');
	},
	'attach to a lock with one' => function (RedisLock $lock) use ($redis) {
		$redis->must('SET', lock_key($lock->name), 'theirs', 'PX', 60000);
		return $lock->attach('theirs');
	},
	'renew after PERSIST' => function (RedisLock $lock) use ($redis, $look) {
		$fence = $lock->acquire();
		$redis->must('PERSIST', lock_key($lock->name));
		$lock->renew();
		return $fence;
	},
	'renew by token after PERSIST' => function (RedisLock $lock) use ($redis, $client) {
		$fence = $lock->acquire(0.0, 'mine');
		$redis->must('PERSIST', lock_key($lock->name));
		$client->renew($lock->name, 'mine', $lock->ttl);
		return $fence;
	},
	'synchronized' => fn (RedisLock $lock) => $lock->ttl < 1 ? 1 : $lock->synchronized(function (int $fence) use ($look) {
		$look();
		return $fence;
	}),
];
foreach ($ways as $way => $take) {
	foreach ($inputs as $ttl) {
		$lock = $client->lock('job', $ttl);
		try {
			check($take($lock) > 0, "$way with " . var_export($ttl, true));
		} catch (RedisLock\LostException) {
			// A lease of 10 ms can be over before the answer is here, on a slow machine. Nothing was made then.
			check($lock->ttl < 0.1, "$way: lost");
		}
		$look();
		$lock->isHeld() && $lock->release();
		$redis->must('DEL', lock_key('job'));
	}
}
same(0, $without, 'no key was ever without a time to live');
check($made > 100, 'there were keys to look at', made: $made);
done();
?>
--EXPECT--
98 checks passed
