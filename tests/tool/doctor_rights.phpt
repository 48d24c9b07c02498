--TEST--
redislock doctor: every right that a lock needs, taken away one by one from a real user
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$server = RedisServer::start(['appendonly' => 'yes']);
$admin = $server->connect();
// As in docs/operations.md.
$keys = ['~test:*', '~{test:*}:redislock:*', '~{*}:redislock:*:test:*'];
$commands = ['eval', 'evalsha', 'blpop', 'del', 'exists', 'get', 'llen', 'ltrim', 'pexpire', 'pttl', 'rpush', 'set', 'time'];
$user = function (array $keys, array $commands) use ($admin): void {
	$admin->must('ACL', 'SETUSER', 'app', 'reset', 'on', '>s3cret', 'resetchannels', ...$keys, ...array_map(fn (string $command) => "+$command", $commands));
};
// As in docs/operations.md, for the person on call.
$admin->must('ACL', 'SETUSER', 'oncall', 'on', '>0ncall', 'resetkeys', '%R~test:*', '%R~{*}:redislock:*', 'resetchannels', 'nocommands', '+ping', '+select', '+scan', '+mget', '+get', '+pttl', '+time', '+info', '+config|get');
$look = function (array $words = []) use ($server): array {
	// What the user may not see is looked at with another log-in.
	return doctor($words, ['REDISLOCK_SERVERS' => $server->dsn('app:s3cret'), 'REDISLOCK_ADMIN_SERVERS' => $server->dsn('oncall:0ncall'), 'REDISLOCK_PREFIX' => 'test:']);
};
$user($keys, $commands);
$said = $look(['--strict']);
same([true, []], [$said['ok'], $said['all']], 'the rights of the documentation are enough');
$acl = $admin->must('ACL', 'LOG');
$said = doctor([], ['REDISLOCK_SERVERS' => $server->dsn('app:s3cret'), 'REDISLOCK_PREFIX' => 'test:']);
found($said, 'not-checked', 'unknown', 'without the other log-in', '--admin-servers');
same(0, $said['status'], '... which is no problem');
same(1, doctor(['--strict'], ['REDISLOCK_SERVERS' => $server->dsn('app:s3cret'), 'REDISLOCK_PREFIX' => 'test:'])['status'], '... but with --strict');

foreach ($commands as $missing) {
	$user($keys, array_values(array_diff($commands, [$missing])));
	$said = $look();
	[$id, $severity, $name] = match ($missing) {
		'eval' => ['scripts-forbidden', 'problem', 'eval'],
		'blpop' => ['blpop-forbidden', 'warning', 'BLPOP'],
		default => ['missing-command', 'problem', strtoupper($missing)],
	};
	found($said, $id, $severity, "without +$missing", $name, "+$missing");
	$others = array_diff(array_column($said['all'], 'id'), [$id, 'lock-fails', 'lock-warns', 'fence-invalid']);
	same([], array_values($others), "without +$missing: nothing else is said to be missing");
	same(1, count(array_filter($said['all'], fn (array $finding) => $finding['id'] === $id)), "without +$missing: once");
}
foreach ([0 => ['missing-keys', 'problem', '~test:*'], 1 => ['missing-keys', 'problem', '~{test:*}:redislock:*'], 2 => ['missing-tag-keys', 'hint', '{*}']] as $i => [$id, $severity, $words]) {
	$user(array_values(array_diff_key($keys, [$i => 1])), $commands);
	found($said = $look(), $id, $severity, "without $keys[$i]", $words);
	check(!isset($said['ids']['missing-command']), "without $keys[$i]: no command is said to be missing", said: $said['all']);
}
// What doctor says to do is enough.
$user(['~nothing'], []);
$remedy = $look()['ids']['missing-command']['remedy'] ?? $look()['all'][0]['remedy'];
preg_match('/ACL SETUSER app (.*?);/', $remedy, $found);
$admin->must('ACL', 'SETUSER', 'app', 'reset', 'on', '>s3cret', ...explode(' ', $found[1] ?? 'off'));
same([], $look()['all'], 'the ACL line of the remedy is enough');

// No keys of the examination stay, whatever was missing.
wait_until(fn () => array_filter($admin->must('KEYS', '*'), fn (string $key) => !str_contains($key, ':fence')) === [], 'nothing stays');

// The tool itself, without rights: what it says, and its exit status.
$user($keys, $commands);
foreach ([['ls'], ['top', '--count', '1']] as $words) {
	$ran = tool($words, ['REDISLOCK_SERVERS' => $server->dsn('app:s3cret'), 'REDISLOCK_PREFIX' => 'test:']);
	check(in_array($ran['status'], [69, 77], true) && str_contains($ran['err'], 'NOPERM'), "$words[0] without +scan", ran: $ran);
}
foreach ([['ls'], ['top', '--count', '1', '-i', '0.1'], ['watch', 'job', '--for', '0.1'], ['inspect', 'job'], ['run', 'job', 'true']] as $words) {
	$ran = tool($words, ['REDISLOCK_SERVERS' => $server->dsn('app:s3cret'), 'REDISLOCK_ADMIN_SERVERS' => $server->dsn('oncall:0ncall'), 'REDISLOCK_PREFIX' => 'test:']);
	same([0, false], [$ran['status'], str_contains($ran['out'] . $ran['err'], 'NOPERM')], "$words[0] with the other log-in");
}

// Commands that do not exist there.
foreach (['EVAL' => 'scripts-forbidden', 'EVALSHA' => 'missing-command', 'BLPOP' => 'blpop-forbidden', 'INFO' => 'proxy'] as $command => $id) {
	$renamed = RedisServer::start(['rename-command' => [$command, '']]);
	$said = doctor([], ['REDISLOCK_SERVERS' => $renamed->dsn(), 'REDISLOCK_PREFIX' => 'test:']);
	found($said, $id, $id === 'blpop-forbidden' ? 'warning' : 'problem', "rename-command $command");
}
done();
--EXPECT--
103 checks passed
