--TEST--
redislock inspect: what Redis knows of a lock; the token only if it is asked for
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$free = tool_json(['inspect', 'job'])[0];
same(['job', false, null, null, null, false], [$free['name'], $free['held'], $free['owner'], $free['remaining'], $free['fence'], $free['waiters']], 'free, and never held');
same([0, 1], [tool(['inspect', 'job'])['status'], tool(['inspect', '--test', 'job'])['status']], 'free is an answer; --test makes it a no');

$lock = client()->lock('job', 60.0);
$fence = $lock->acquire();
$held = tool_json(['inspect', 'job'])[0];
same([true, $fence, false, false], [$held['held'], $held['fence'], $held['endless'], array_key_exists('token', $held)], 'held');
between(50.0, 60.0, $held['remaining'], 'what is left');
same($lock->token(), tool_json(['inspect', '--token', 'job'])[0]['token'], '--token');
$text = tool(['inspect', 'job'])['out'];
check(!str_contains($text, $lock->token()) && str_contains($text, (string) $fence) && str_contains($text, 'held'), 'as text, without the token', out: $text);
check(str_contains(tool(['inspect', '--token', 'job'])['out'], $lock->token()), '--token as text');
$test = tool(['inspect', '--test', 'job']);
same([0, '', ''], [$test['status'], $test['out'], $test['err']], '--test says nothing');

redis()->must('SET', lock_key('endless'), 'their token');
same([true, null], [($endless = tool_json(['inspect', 'endless'])[0])['endless'], $endless['remaining']], 'a foreign lock without end');
redis()->must('RPUSH', lock_key('list'), 'x');
$wrong = tool(['inspect', 'list', '--json']);
same([69, 'ServerException'], [$wrong['status'], json_decode($wrong['out'], true)['error']['kind']], 'a key that is no lock');
same(64, tool(['inspect', ''])['status'], 'a name that cannot be one');
$server = RedisServer::start();
$down = $server->dsn();
$server->kill();
$none = tool(['inspect', 'job'], ['REDISLOCK_SERVERS' => $down]);
check($none['status'] === 69 && $none['out'] === '' && $none['err'] !== '', 'no server', ran: $none);
done();
--EXPECT--
16 checks passed
