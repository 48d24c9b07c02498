--TEST--
redislock run: the exit status, the streams and the environment of the command
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

same(0, tool(['run', 'job', 'true'])['status'], 'the command ends with 0');
same(3, tool(['run', 'job', '--', 'sh', '-c', 'exit 3'])['status'], 'with 3');
same(128 + 15, tool(['run', 'job', '--', 'sh', '-c', 'kill -TERM $$'])['status'], 'by a signal');
same(false, client()->inspect('job')['held'], 'the lock was given back');
$ran = tool(['run', 'job', 'no-such-program']);
same([69, false, null], [$ran['status'], str_contains($ran['err'], 'fence'), client()->inspect('never')['fence']], 'there is no such program');
same(null, tool(['run', 'untouched', '/']) && client()->inspect('untouched')['fence'] ? 1 : null, '... known before the lock is taken');

// What belongs to the command is not read by us.
$ran = tool(['run', 'job', 'sh', '-c', 'echo "$@"', 'sh', '--json', '--wait', '-h', '--', 'x']);
same("--json --wait -h -- x\n", $ran['out'], 'its options are its own');
same('', $ran['err'], 'all went well: nothing is said');
$bytes = random_bytes(300000) . "\x00\r\n";
same($bytes, tool(['run', 'job', 'cat'], [], $bytes)['out'], 'stdin and stdout are untouched');
$lines = explode("\n", tool(['run', 'odd name', 'sh', '-c', 'echo $REDISLOCK_FENCE; echo $REDISLOCK_NAME; echo "token: $REDISLOCK_TOKEN"'], ['REDISLOCK_TOKEN' => 'secret'])['out']);
same([(string) client()->inspect('odd name')['fence'], 'odd name', 'token: '], array_slice($lines, 0, 3), 'the fence and the name are in the environment, a token is not');

// Held by somebody else.
$lock = client()->lock('taken', 60.0);
$lock->acquire();
$ran = tool(['run', 'taken', 'echo', 'ran']);
same([1, ''], [$ran['status'], $ran['out']], 'as flock -n: 1, and nothing is run');
check(str_contains($ran['err'], 'somebody else'), 'and says why', err: $ran['err']);
same([75, ''], [($ran = tool(['run', '-q', '-E', '75', 'taken', 'echo', 'ran']))['status'], $ran['out'] . $ran['err']], '-E and -q');
same(1, tool(['run', '--wait', '0.2', 'taken', 'true'])['status'], 'a wait that ends');
$tool = new Tool(['run', '--wait', '60', 'taken', 'echo', 'ran']);
wait_until(fn () => redis()->must('EXISTS', side_key(lock_key('taken'), 'wait')) === 1, 'it waits');
$lock->release();
same(['ran', 0], [$tool->line(), $tool->end()['status']], 'a wait that is served');

// What it was told to be ignored stays ignored, and what PHP ignores does not.
$ignored = fn (array $ran): int => hexdec(substr(trim($ran), -4));
$shell = 'trap "" HUP; ' . tool_command(['run', 'job', 'grep', 'SigIgn', '/proc/self/status']);
$process = proc_open(['sh', '-c', $shell], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes, null, tool_environment());
$mask = hexdec(substr(trim(stream_get_contents($pipes[1])), -8));
exit_status($process);
same([1, 0], [$mask & 1, $mask >> (SIGPIPE - 1) & 1], 'SIGHUP stays ignored, SIGPIPE does not become so');
same(0, hexdec(substr(trim(tool(['run', 'job', 'grep', 'SigBlk', '/proc/self/status'])['out']), -8)), 'no signal is blocked');
$open = tool(['run', 'job', 'ls', '-l', '/proc/self/fd'])['out'];
same(substr_count((string) shell_exec('ls -l /proc/self/fd'), 'socket:'), substr_count($open, 'socket:'), 'no connection of ours is left open in it');

// Redis is not there, or refuses.
$server = RedisServer::start(['requirepass' => 's3cret']);
$ran = tool(['run', 'job', 'echo', 'ran'], ['REDISLOCK_SERVERS' => $server->dsn()]);
same([77, ''], [$ran['status'], $ran['out']], 'no log-in: nothing is run');
$server->kill();
$ran = tool(['run', 'job', 'echo', 'ran'], ['REDISLOCK_SERVERS' => $server->dsn()]);
same([69, ''], [$ran['status'], $ran['out']], 'no server: nothing is run');
foreach ([['run'], ['run', 'job'], ['run', 'job', '--'], ['run', '--ttl', '0', 'job', 'true'], ['run', '--signal', 'KILL', 'job', 'true'], ['run', '--wait', 'long', 'job', 'true'], ['run', '', 'true']] as $words) {
	same(64, tool($words)['status'], 'cannot be used: ' . implode(' ', $words));
}
$events = tool(['run', '--json', 'job', 'echo', 'out']);
same(['out' . "\n", 'started'], [$events['out'], json_decode($events['err'], true)['event'] ?? null], '--json: events on stderr, stdout is the command\'s');
done();
--EXPECT--
28 checks passed
