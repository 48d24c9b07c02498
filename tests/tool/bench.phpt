--TEST--
redislock bench: measures, and checks the fences
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$said = tool_json(['bench', '-t', '0.5', '-w', '4'])[0];
check($said['free']['count'] > 10 && $said['free']['p50_ms'] > 0 && $said['free']['p50_ms'] <= $said['free']['p99_ms'], 'a free lock', said: $said['free']);
check($said['queue']['count'] > 4 && $said['queue']['least'] >= 1, 'one that four want', said: $said['queue']);
same([true, 4], [$said['queue']['fences_in_order'], $said['queue']['workers']], 'fences');
$text = tool(['bench', '-t', '0.2', '-w', '1']);
check($text['status'] === 0 && str_contains($text['out'], 'take and give back a free lock'), 'as text', ran: $text);
between(1, 60000, max(array_map(fn (string $key) => redis()->must('PTTL', $key), redis()->must('KEYS', '*bench*fence*'))), 'its fences are kept for a minute');
$down = tool(['bench', '-t', '0.1'], ['REDISLOCK_SERVERS' => 'redis://127.0.0.1:1']);
same([69, ''], [$down['status'], $down['out']], 'no server');
done();
--EXPECT--
7 checks passed
