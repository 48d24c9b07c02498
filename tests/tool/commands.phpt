--TEST--
redislock: help, wrong use, no extension; the man page knows every command and option
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$page = (string) file_get_contents(tool_man_page());
$help = tool(['--help']);
same([0, ''], [$help['status'], $help['err']], '--help');
preg_match_all('/^  ([a-z][a-z-]*) {2,}\S/m', strstr($help['out'], 'Options of every command', true), $found);
$commands = $found[1];
same(['ls', 'inspect', 'top', 'watch', 'release', 'run', 'doctor', 'quorum-init', 'bench'], $commands, 'the commands');
$codes = [];
foreach ($commands as $command) {
	$own = tool([$command, '--help']);
	check($own['status'] === 0 && str_starts_with($own['out'], "usage: redislock $command") && $own['out'] === tool(['help', $command])['out'], "$command --help", ran: $own);
	preg_match_all('/^  (?:-(\w), )?--([a-z-]+)( \S+)?/m', $own['out'], $options, PREG_SET_ORDER);
	$wrong = [];
	foreach ($options as $option) {
		// In mdoc: .It Fl n , Fl -limit Ar N
		$line = '.It Fl ' . ($option[1] === '' ? '' : "$option[1] , Fl ") . "-$option[2]" . (isset($option[3]) ? ' Ar' : '');
		str_contains($page, $line) || $wrong[] = $line;
	}
	same([], $wrong, "the man page has every option of $command");
	check(str_contains($page, ".Ss $command\n"), "the man page has $command");
	preg_match_all('/^  (\d+) /m', strstr($own['out'], 'Exit status'), $found);
	$codes += array_flip($found[1]);
	same(64, tool([$command, '--no-such-option'])['status'], "$command: an option that is none");
	check(max(array_map(strlen(...), explode("\n", $own['out']))) <= 130, "$command --help fits a screen");
}
preg_match_all('/^\.It -?-([a-z-]+)|^\.It Fl (?:\w , Fl )?-([a-z-]+)/m', $page, $found);
$all = implode(array_map(fn (string $command) => tool([$command, '--help'])['out'], $commands));
same([], array_values(array_filter($found[2], fn (string $option) => !str_contains($all, "--$option"))), 'the man page has no option that there is not');
same([], array_values(array_filter(array_keys($codes), fn (int $code) => !str_contains($page, ".It $code\n"))), 'the man page has every exit status');

same([64, ''], [($none = tool([]))['status'], $none['err']], 'no command: the help');
check(str_contains($none['out'], 'Commands:'), '... which says what there is');
$unknown = tool(['list']);
check($unknown['status'] === 64 && str_contains($unknown['err'], 'quorum-init'), 'no such command: it says which there are', ran: $unknown);
same('redislock ' . phpversion('redislock') . "\n", tool(['--version'])['out'], '--version');
foreach ([['ls', 'a', 'b'], ['ls', '--limit', '-1'], ['ls', '--limit=x'], ['ls', '--held=1'], ['ls', '--limit'], ['ls', '-n', '1', '-n', '2'], ['inspect'], ['top', '--sort', 'x'],
	['top', '--looks', '1000'], ['ls', '--color', 'x'], ['ls', '-s', 'http://x'], ['ls', '-s', 'redis://a,redis://b'], ['ls', '--servers-file', '/no/such'], ['ls', '--servers', 'redis://a', '--servers-file', '-'],
	['ls', '--admin-servers', 'redis://a,redis://b,redis://c'], ['doctor', '--path', '/no/such'], ['doctor', 'x'], ['quorum-init', '--yes'], ['bench', '-w', '0'], ['watch', 'a', '-i', '0']] as $words) {
	$ran = tool($words);
	check($ran['status'] === 64 && $ran['out'] === '' && str_starts_with($ran['err'], "redislock: $words[0]: ") && !str_contains($ran['err'], 'fault'), 'cannot be used: ' . implode(' ', $words), ran: $ran);
}
$json = json_decode(tool(['ls', '--limit', 'x', '--json'])['out'], true);
same([64, 'UsageError'], [$json['status'], $json['error']['kind']], '--json: an error is JSON too');

// Short options, options after words, and the environment.
client()->lock('job', 60.0)->acquire() && client()->lock('other', 60.0);
same(0, tool(['ls', 'job', '-j', '-n5'])['status'], 'options may come last');
same(0, tool(['ls'], ['REDISLOCK_SERVERS' => null], '', ['redislock.servers' => shared_dsn()])['status'], 'php.ini counts without the environment');
same(0, tool(['ls', '--servers-file', '-'], ['REDISLOCK_SERVERS' => 'redis://127.0.0.1:1'], "# a comment, with a comma\n" . shared_dsn() . "\n")['status'], '--servers-file');
same(69, tool(['ls'], ['REDISLOCK_SERVERS' => 'redis://127.0.0.1:1'])['status'], 'nobody listens there');

// Without the extension, and with a reader that goes away.
$process = proc_open([PHP_BINARY, '-n', tool_program(), 'ls'], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
$said = stream_get_contents($pipes[1]) . stream_get_contents($pipes[2]);
check(exit_status($process) === 78 && str_contains($said, 'extension redislock is not loaded'), 'no extension', said: $said);
$tool = new Tool(['watch', 'job', '-i', '0.01']);
$tool->line();
fclose($tool->pipes[1]);
$lock = client()->lock('job', 60.0);
client()->forceRelease('job');
wait_until(fn () => $lock->acquire() && $lock->release() && !is_dir("/proc/$tool->pid/fd") || str_contains((string) @file_get_contents("/proc/$tool->pid/stat"), ') Z '), 'who writes to nobody ends');
$tool->pipes[1] = fopen('/dev/null', 'r');
same(['', 0], [($end = $tool->end())['err'], $end['status']], '... without a word');
done();
--EXPECT--
80 checks passed
