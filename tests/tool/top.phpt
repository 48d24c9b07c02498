--TEST--
redislock top: hand-overs, busy locks and waiters from a real crowd; keys, and the terminal as it was
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$server = RedisServer::start();
$environment = ['REDISLOCK_SERVERS' => $server->dsn(), 'REDISLOCK_PREFIX' => 'test:'];
$client = $server->client('test:');
$quiet = $client->lock("quiet\e[31m", 600.0);
$quiet->acquire();
$crowd = Worker::many(3, <<<'PHP'
	$lock = (new RedisLock\Client($argument, 'test:'))->lock('crowd', 30.0);
	tell('ready');
	hear();
	while (true) {
		$lock->acquire(60.0);
		usleep(20000);
		$lock->release();
	}
	PHP, $server->dsn());
start_together($crowd);

$seen = tool_json(['top', '--count', '3', '-i', '1', '--looks', '20'], $environment);
same(3, count($seen), '--count');
$last = end($seen);
$locks = array_column($last['locks'], null, 'name');
check(isset($locks['crowd'], $locks["quiet\e[31m"]), 'both locks are found', locks: array_keys($locks));
same('crowd', $last['locks'][0]['name'], 'the busiest one is the first');
check($locks['crowd']['hand_overs_per_second'] > 1 && $locks['crowd']['busy'] > 0.3, 'it changes hands', lock: $locks['crowd']);
same([true, 0.0, 1.0], [$locks["quiet\e[31m"]['held'], (float) $locks["quiet\e[31m"]['hand_overs_per_second'], (float) $locks["quiet\e[31m"]['busy']], 'the other one does not, and is busy all the time');
check($last['servers'][0]['hand_overs_per_second'] > 3 && $last['servers'][0]['blocked'] >= 1, 'the server counts hand-overs and waiters', server: $last['servers'][0]);
same(['master', 'noeviction'], [$last['servers'][0]['role'], $last['servers'][0]['policy']], 'and says what it is');
$none = tool_json(['top', '--count', '1', '-i', '0.2', 'no such*'], $environment);
same([], $none[0]['locks'], 'a pattern');

// Where it is no terminal, one screen after another without commands to a terminal.
$text = tool(['top', '--count', '2', '-i', '0.2'], $environment);
same([0, 2, false], [$text['status'], substr_count($text['out'], 'redislock top'), str_contains($text['out'], "\e")], 'as text');

// On a terminal.
$tool = new Tool(['top', '-i', '0.2'], $environment + ['COLUMNS' => '100', 'LINES' => '20'], terminal: true);
$screen = $tool->until('by busiest');
check(str_contains($screen, "\e[?1049h") && str_contains($screen, 'crowd') && str_contains($screen, 'quiet\x1b[31m'), 'the screen', screen: $screen);
check(str_contains($screen, "\e[33m") && !str_contains($screen, "quiet\e"), 'with colours, but not those of a name');
$tool->type('s');
$tool->until('by name');
$tool->type('s');
$tool->until('by left');
$tool->type('q');
$tool->until("\e[?1049l");
same(0, $tool->end()['status'], 'q');

// The same terminal afterwards, also after a signal.
foreach (['q' => 0, "\x03" => 130] as $key => $status) {
	$command = 'stty -a; ' . substr(tool_command(['top', '-i', '0.1']), 5) . '; echo status=$?; stty -a';
	$process = proc_open(['setsid', '--ctty', '--wait', 'sh', '-c', "trap : INT; $command"], [['pty'], ['pty'], ['pty']], $pipes, null, tool_environment($environment));
	for ($said = ''; !str_contains($said, 'by busiest');) {
		$said .= fread($pipes[1], 8192);
	}
	fwrite($pipes[0], $key);
	while (($part = @fread($pipes[1], 8192)) !== false && $part !== '') {
		$said .= $part;
	}
	exit_status($process);
	preg_match_all('/^speed.*?(?:-extproc|extproc)/ms', $said, $found);
	check(count($found[0]) === 2 && $found[0][0] === $found[0][1], 'the terminal is as before', found: $found[0]);
	check(str_contains($said, "status=$status") && str_contains(strstr($said, "\e[?1049h"), "\e[?1049l"), 'and the screen', said: substr($said, -300));
}
// Ctrl-Z in a shell, while top waits for stty; a slow one says when that is. (Bash, because dash clears the mask.)
file_put_contents("$server->dir/stty", "#!/usr/bin/env bash\necho stty-runs >/dev/tty\nsleep 0.3\nPATH=\${PATH#*:}\nexec stty \"\$@\"\n");
chmod("$server->dir/stty", 0700);
$process = proc_open(['setsid', '--ctty', '--wait', 'bash', '--norc', '-i'], [['pty'], ['pty'], ['pty']], $pipes, null, tool_environment($environment + ['PS1' => '', 'PATH' => "$server->dir:" . getenv('PATH')]));
$until = function (string $text) use ($pipes): string {
	for ($said = ''; !str_contains($said, $text);) {
		$part = fread($pipes[1], 8192);
		$said .= $part === false || $part === '' ? throw new RuntimeException("it ended before it said $text: $said") : $part;
	}
	return $said;
};
fwrite($pipes[0], substr(tool_command(['top', '-i', '0.1', '--looks', '50']), 5) . "\n");
for ($i = 0; $i < 6; $i++) {
	// At the start, and whenever it has the terminal again.
	$until('stty-runs');
	fwrite($pipes[0], "\x1a");
	$until('Stopped');
	fwrite($pipes[0], "fg\n");
}
$until('by busiest');
fwrite($pipes[0], 'q');
$until("\e[?1049l");
fwrite($pipes[0], "echo status=\$?\nexit\n");
$until('status=0');
exit_status($process);
check(true, 'Ctrl-Z and fg');
$colourless = new Tool(['top', '-i', '0.2'], $environment + ['NO_COLOR' => '1'], terminal: true);
check(!preg_match('/\e\[[0-9]+m/', $colourless->until('by busiest')), 'NO_COLOR');
$colourless->signal('TERM');
same(143, $colourless->end()['status'], 'SIGTERM');

// A server that goes away is said, not the end.
$tool = new Tool(['top', '--json', '-i', '0.2'], $environment);
$tool->line();
$server->kill();
wait_until(fn () => json_decode((string) $tool->line(), true)['problem'] !== null, 'it says so');
$server->boot();
wait_until(fn () => ($one = json_decode((string) $tool->line(), true))['problem'] === null && $one['servers'][0]['problem'] === null, 'and that it is back');
same(69, (($server->kill() ?? tool(['top', '--count', '1'], $environment))['status']), 'at first it is the end');
done();
--EXPECT--
22 checks passed
