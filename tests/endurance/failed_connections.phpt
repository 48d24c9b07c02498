--TEST--
1,000 connections that fail: no growth of memory or descriptors
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$sanitized = getenv('TEST_ASAN') === '1';
$descriptors = fn (): int => count(scandir('/proc/self/fd'));
$pages = fn (): int => (int) explode(' ', file_get_contents('/proc/self/statm'))[1];
$server = RedisServer::start(['requirepass' => 'right'], tcp: true);
$places = ['unix:///nonexistent.sock', 'redis://127.0.0.1:' . free_port(), $server->dsn(':wrong'), $server->tcpDsn(':wrong')];
$failures = 0;
$round = function () use ($places, &$failures): void {
	foreach ($places as $dsn) {
		try {
			(new RedisLock\Client($dsn, 'x', 1.0, 1.0, 0.0))->lock('job')->acquire();
		} catch (RedisLock\FailureException) {
			$failures++;
		}
	}
};
for ($i = 0; $i < 100; $i++) {
	$round();
}
$before = [$descriptors(), $pages()];
for ($i = 0; $i < 1000; $i++) {
	$round();
}
$after = [$descriptors(), $pages()];
same(4400, $failures, 'each of them failed');
same($before[0], $after[0], 'no descriptor more');
between(-100000, $sanitized ? PHP_INT_MAX : 25, $after[1] - $before[1], 'no more resident pages than the noise of the allocator');
done();
?>
--EXPECT--
3 checks passed
