--TEST--
redislock ls: every lock with its state, whatever bytes its name has; SCAN only, and nothing that is no lock
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$server = RedisServer::start();
$redis = $server->connect();
// A prefix that would match everything if it were taken for a pattern.
$prefix = 'sh*p[1]:';
$environment = ['REDISLOCK_SERVERS' => $server->dsn(), 'REDISLOCK_PREFIX' => $prefix];
$client = $server->client($prefix);
$names = ['job', 'user:{42}', "odd\x00\e[31m\xff", '10', 'a name with spaces', str_repeat('long', 256)];
$locks = [];
foreach ($names as $name) {
	$locks[$name] = $client->lock($name, 60.0);
	$locks[$name]->acquire();
}
$redis->must('SET', 'shop1:other', 'token', 'PX', 60000);            // of another prefix
$redis->must('SET', "{$prefix}foreign", 'their token', 'PX', 30000); // of another library
$redis->must('SET', "{$prefix}endless", 'their token');
$redis->must('RPUSH', "{$prefix}list", 'x');                         // no lock at all
$redis->must('SET', "{$prefix}given back", 'handoff:5', 'PX', 60000);
$redis->must('SET', side_key("{$prefix}job", 'wait'), '1', 'PX', 60000);
$redis->must('CONFIG', 'RESETSTAT');

$listed = tool_json(['ls'], $environment);
$by = array_column($listed, null, 'name');
$seen = array_map(fn (array $one) => isset($one['name_base64']) ? base64_decode($one['name_base64']) : $one['name'], $listed);
$wanted = [...$names, 'foreign', 'endless', 'given back'];
sort($seen, SORT_STRING);
sort($wanted, SORT_STRING);
same($wanted, $seen, 'every lock of this prefix, once, and nothing else');
check(!isset($redis->calls()['keys']) && isset($redis->calls()['scan']), 'it used SCAN and not KEYS', calls: $redis->calls());
same(['held' => true, 'reserved' => false, 'endless' => false, 'fence' => $locks['job']->fence(), 'waiters' => true],
	array_intersect_key($by['job'], ['held' => 1, 'reserved' => 1, 'endless' => 1, 'fence' => 1, 'waiters' => 1]), 'a held lock that somebody waits for');
between(50.0, 60.0, $by['job']['remaining'], 'what is left of its lease');
same([true, true, null, null], [$by['endless']['held'], $by['endless']['endless'], $by['endless']['remaining'], $by['endless']['fence']], 'a foreign lock without end');
same([false, true, null], [$by['given back']['held'], $by['given back']['reserved'], $by['given back']['owner']], 'a reservation is held by nobody');
same($by['foreign']['owner'], $by['endless']['owner'], 'the same owner shows as the same');
check($by['foreign']['owner'] !== $by['job']['owner'], 'another one as another');

$text = tool(['ls'], $environment);
same(0, $text['status'], 'exit status');
check(!preg_match('/[\x00-\x09\x0b-\x1f\x7f]/', $text['out']), 'no byte of a name reaches the terminal as a command');
check(str_contains($text['out'], 'odd\x00\x1b[31m\xff'), 'it shows as text', out: $text['out']);
check(!str_contains($text['out'], (string) $locks['job']->token()), 'no token is shown');
check(str_starts_with($text['out'], 'NAME'), 'with a head');

same(['10'], array_column(tool_json(['ls', '[0-9]*'], $environment), 'name'), 'a pattern');
same(['job'], array_column(tool_json(['ls', '--waiting'], $environment), 'name'), '--waiting');
check(!in_array('given back', array_column(tool_json(['ls', '--held'], $environment), 'name'), true), '--held');
$some = tool(['ls', '-n', '2', '--json'], $environment);
same(2, substr_count($some['out'], "\n"), '--limit');
check(str_contains($some['err'], 'more than 2'), '... and says that there are more', err: $some['err']);
$none = tool(['ls', 'no such*'], $environment);
same([0, ''], [$none['status'], $none['out']], 'no lock is an answer');
check(str_contains(tool(['ls', '--color=always'], $environment)['out'], "\e[1m"), '--color=always');

// More keys than one step of SCAN returns, and more locks than are asked for at once.
$redis->must('EVAL', "for i = 1, 5000 do redis.call('SET', 'noise:' .. i, 'x') end for i = 1, 450 do redis.call('SET', ARGV[1] .. 'many:' .. i, 'token', 'PX', 60000) end", 0, $prefix);
same(450, count(array_unique(array_column(tool_json(['ls', 'many:*'], $environment), 'name'))), 'among thousands of keys');
$none = tool(['ls', '--prefix', 'other:'], $environment);
same('', $none['out'], '--prefix goes before the environment');
done();
--EXPECT--
27 checks passed
