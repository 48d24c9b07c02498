--TEST--
redislock doctor: PHP classes that the extension has already
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$folder = sys_get_temp_dir() . '/redislock-classes-' . bin2hex(random_bytes(6));
mkdir("$folder/vendor/some", 0700, true);
register_shutdown_function(fn () => exec('rm -rf ' . escapeshellarg($folder)));
$files = [
	'global.php' => '<?php class RedisLock {}',
	'case.php' => "<?php\n// A comment\nfinal class redislock { }",
	'vendor/some/space.inc' => "<?php\nnamespace RedisLock;\n\ninterface Mutex {}",
	'block.php' => "<?php namespace Other { class RedisLock {} } namespace { class RedisLock {} }",
	// None of these is in the way.
	'other.php' => "<?php\nnamespace App;\nclass RedisLock { const X = RedisLock::class; }",
	'string.php' => '<?php $x = "class RedisLock {}"; /* class RedisLock {} */',
	'child.php' => '<?php $x = new class extends RedisLockChild {}; class RedisLockChild {}',
	'inner.php' => '<?php namespace RedisLock; class RedisLock {}',
	'redislock.stub.php' => '<?php class RedisLock {}',
	'broken.php' => "<?php class RedisLock",
	'readme.txt' => '<?php class RedisLock {}',
];
foreach ($files as $name => $code) {
	file_put_contents("$folder/$name", $code);
}
symlink($folder, "$folder/vendor/round");
$server = RedisServer::start(['appendonly' => 'yes']);
$environment = ['REDISLOCK_SERVERS' => $server->dsn()];
$in_the_way = function (array $words, ?string $cwd = null) use ($environment): array {
	$ran = tool(['doctor', '--json', ...$words], $environment, '', [], $cwd);
	$found = array_filter(json_decode($ran['out'], true)['findings'], fn (array $finding) => $finding['id'] === 'class-in-the-way');
	$files = array_map(fn (array $finding) => basename(explode(' ', $finding['what'])[0]), $found);
	sort($files);
	return [$ran['status'], $files];
};
same([1, ['block.php', 'broken.php', 'case.php', 'global.php', 'space.inc']], $in_the_way(['--path', $folder]), '--path');
same([0, []], $in_the_way([], $folder), 'without --path only where a composer.json is');
file_put_contents("$folder/composer.json", '{}');
same(1, $in_the_way([], $folder)[0], 'and here there is one');
same([1, ['space.inc', 'space.inc']], $in_the_way(['--path', "$folder/vendor", '--path', "$folder/vendor/some"]), 'two of them');
done();
--EXPECT--
4 checks passed
