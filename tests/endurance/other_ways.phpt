--TEST--
10,000 times every other way: no growth of memory or descriptors
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

const ROUNDS = 10000;
$sanitized = getenv('TEST_ASAN') === '1';
$descriptors = fn (): int => count(scandir('/proc/self/fd'));
$pages = fn (): int => (int) explode(' ', file_get_contents('/proc/self/statm'))[1];

$held = client()->lock('held', 3600.0);
$held->acquire();
$ways = [
	'destructor' => fn () => client()->lock('a', 30.0)->acquire(),
	'contention' => fn () => client()->lock('held')->acquire(),
	'renew' => fn () => $held->renew(),
	'synchronized' => fn () => client()->lock('b')->synchronized(fn () => 'x'),
	'not acquired' => function () {
		try {
			client()->lock('held')->synchronized(fn () => 'x');
		} catch (RedisLock\NotAcquiredException) {
		}
	},
	'exception of the callback' => function () {
		try {
			client()->lock('c')->synchronized(fn () => throw new Exception('x'));
		} catch (Exception) {
		}
	},
	'hand-over' => function () {
		$lock = client()->lock('d', 30.0);
		$lock->acquire();
		$lock->attach($lock->detach());
	},
	'inspect' => fn () => client()->inspect('held'),
	'server error' => function () {
		try {
			client()->inspect('list');
		} catch (RedisLock\ServerException) {
		}
	},
	'value error' => function () {
		try {
			new RedisLock\Client('redis://127.0.0.1?unknown=1');
		} catch (ValueError) {
		}
	},
	'client' => fn () => new RedisLock\Client(['redis://u:p@127.0.0.1:1/2?timeout=1'], 'prefix:', 1.0, 1.0, 1.0, false),
	'dump' => function () use ($held) {
		ob_start();
		var_dump($held);
		ob_end_clean();
	},
];
redis()->must('RPUSH', lock_key('list'), 'x');
foreach ($ways as $way => $do) {
	for ($i = 0; $i < ROUNDS / 10; $i++) {
		$do();
	}
	gc_collect_cycles();
	$before = [$descriptors(), $pages(), memory_get_usage()];
	for ($i = 0; $i < ROUNDS; $i++) {
		$do();
	}
	gc_collect_cycles();
	$after = [$descriptors(), $pages(), memory_get_usage()];
	same($before[0], $after[0], "$way: no descriptor more");
	between(-100000, $sanitized ? PHP_INT_MAX : 25, $after[1] - $before[1], "$way: no more resident pages than the noise of the allocator");
	between(-100000, 4096, $after[2] - $before[2], "$way: no memory of PHP more");
}
done();
?>
--EXPECT--
36 checks passed
