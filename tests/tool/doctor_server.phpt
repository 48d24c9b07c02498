--TEST--
redislock doctor: what is wrong with a server, each found on a real one that has it, and not on one that has not
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$at = fn (RedisServer $server): array => ['REDISLOCK_SERVERS' => $server->dsn(), 'REDISLOCK_PREFIX' => 'test:'];

// A server as it should be.
$good = RedisServer::start(['appendonly' => 'yes', 'appendfsync' => 'everysec']);
$look = $good->connect();
$said = doctor(['--strict'], $at($good));
same([true, 0, []], [$said['ok'], $said['status'], $said['all']], 'nothing is found where nothing is wrong');
check(count($said['fine']) >= 12, 'and it says what was fine', fine: $said['fine']);
wait_until(fn () => array_filter($look->must('KEYS', '*'), fn (string $key) => !str_ends_with($key, ':redislock:fence')) === [], 'it leaves nothing behind but a fence');
$ttl = array_map(fn (string $key) => $look->must('PTTL', $key), $look->must('KEYS', '*'));
check(max($ttl) <= 600000, '... for ten minutes', ttl: $ttl);
$text = tool(['doctor', '-v'], $at($good));
check($text['status'] === 0 && str_contains($text['out'], '0 problems, 0 warnings') && str_contains($text['out'], 'fine'), 'as text', text: $text);

// Memory.
foreach (['allkeys-lru', 'volatile-ttl'] as $policy) {
	$look->must('CONFIG', 'SET', 'maxmemory-policy', $policy);
	found(doctor([], $at($good)), 'eviction', 'warning', "$policy without a limit", $policy, 'noeviction');
	$look->must('CONFIG', 'SET', 'maxmemory', '100mb');
	found($said = doctor([], $at($good)), 'eviction', 'problem', "$policy with a limit", $policy);
	same([false, 1], [$said['ok'], $said['status']], 'a problem is exit status 1');
	$look->must('CONFIG', 'SET', 'maxmemory', '0');
}
$look->must('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
$look->must('CONFIG', 'SET', 'maxmemory', (string) ((int) $look->info('memory')['used_memory'] + 500000));
$look->must('EVAL', "for i = 1, 3000 do redis.call('SET', 'noise:' .. i, string.rep('x', 1000)) end", 0);
$look->must('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
$look->must('CONFIG', 'SET', 'maxmemory', (string) (int) ((int) $look->info('memory')['used_memory'] * 1.05));
$said = doctor([], $at($good));
found($said, 'evicted', 'problem', 'keys were evicted', 'evicted');
found($said, 'memory-full', 'warning', 'nearly full');
$look->must('CONFIG', 'SET', 'maxmemory', '0');
$look->must('CONFIG', 'RESETSTAT');
$look->must('EVAL', "for i = 1, 3000 do redis.call('DEL', 'noise:' .. i) end", 0);

// Persistence.
$look->must('CONFIG', 'SET', 'appendfsync', 'no');
found(doctor([], $at($good)), 'appendfsync', 'warning', 'appendfsync no');
same(1, doctor(['--strict'], $at($good))['status'], '--strict makes a warning a problem');
$look->must('CONFIG', 'SET', 'appendfsync', 'everysec');
$none = RedisServer::start();
found(doctor([], $at($none)), 'no-persistence', 'warning', 'no persistence', 'appendonly yes');
$none->connect()->must('CONFIG', 'SET', 'save', '3600 1');
found(doctor([], $at($none)), 'snapshots-only', 'warning', 'only snapshots');

done();
--EXPECT--
34 checks passed
