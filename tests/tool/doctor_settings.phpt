--TEST--
redislock doctor: fences, timeouts, clients, servers that do not let us in
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$at = fn (RedisServer $server): array => ['REDISLOCK_SERVERS' => $server->dsn(), 'REDISLOCK_PREFIX' => 'test:'];

$good = RedisServer::start(['appendonly' => 'yes']);
$look = $good->connect();

// Fences.
$now = (int) (microtime(true) * 1e6);
$look->must('SET', '{test:ahead}:redislock:fence', $now + 3600_000_000);
$look->must('SET', '{test:text}:redislock:fence', 'seven');
$look->must('SET', '{42}:redislock:fence:test:user:{42}', '9007199254740991');
$look->must('SET', '{test:fine}:redislock:fence', $now);
$look->must('SET', '{other:text}:redislock:fence', 'not ours');
$said = doctor([], $at($good));
found($said, 'fence-ahead', 'problem', 'ahead of the clock', '"ahead"', '60 min');
found($said, 'fence-invalid', 'problem', 'no number', '"text"', '"user:{42}"');
check(!str_contains(json_encode($said['all']), 'fine"') && !str_contains(json_encode($said['all']), 'other'), 'and no others', said: $said['all']);
$look->must('FLUSHALL');

// Timeouts.
$dsn = fn (string $query): array => ['REDISLOCK_SERVERS' => $good->dsn('', $query), 'REDISLOCK_PREFIX' => 'test:'];
found(doctor(['--ttl', '5'], $dsn('timeout=5')), 'timeout-lease', 'problem', 'a timeout as long as the lease', '5 s');
found(doctor(['--ttl', '5'], $dsn('timeout=0.1&connect_timeout=6')), 'timeout-lease', 'problem', 'a connect timeout longer than it', 'connect_timeout');
found(doctor(['--ttl', '5'], $dsn('timeout=1')), 'timeout-lease', 'warning', 'two of them longer than a third');
check(!isset(doctor([], $dsn('timeout=1'))['ids']['timeout-lease']), 'and with a lease of 30 s none of it');

// Clients.
$look->must('CONFIG', 'SET', 'maxclients', '10');
$crowd = array_map(fn () => $good->connect(), range(1, 7));
array_map(fn (RespConnection $one) => $one->must('PING'), $crowd);
found(doctor([], $at($good)), 'max-clients', 'warning', 'nearly too many clients');
unset($crowd);
$look->must('CONFIG', 'SET', 'maxclients', '1000');

// Not to be reached, not to be let in, not ready.
$locked = RedisServer::start(['requirepass' => 'x']);
found(doctor([], $at($locked)), 'login-refused', 'problem', 'no password');
found(doctor([], ['REDISLOCK_SERVERS' => $locked->dsn(':wrong')]), 'login-refused', 'problem', 'a wrong password');
$locked->kill();
found($said = doctor([], $at($locked)), 'unreachable', 'problem', 'no server');
same(1, $said['status'], '... is a problem, not a fault of doctor');

done();
--EXPECT--
30 checks passed
