--TEST--
redislock run: signals go to the command or to its group, and an interrupted wait leaves nothing behind
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

// The whole group. (Not SIGINT: a shell has what it runs in the background ignore that.)
$tool = new Tool(['run', 'group', '--', 'sh', '-c', 'sleep 60 & echo $!; wait']);
$sleeper = (int) $tool->line();
$tool->signal('TERM');
same(128 + 15, $tool->end()['status'], 'SIGTERM to us ends the command');
wait_until(fn () => !is_dir("/proc/$sleeper") || str_contains((string) @file_get_contents("/proc/$sleeper/stat"), ') Z '), 'and what it has started');
same(false, client()->inspect('group')['held'], 'the lock is given back');

foreach (['HUP', 'QUIT', 'USR1', 'USR2'] as $name) {
	$tool = new Tool(['run', 'signal', '--', 'sh', '-c', "trap 'echo got; exit 4' $name; echo ready; for i in $(seq 1200); do sleep 0.05; done"]);
	$tool->line();
	$tool->signal($name);
	same(["got\n", 4], [($end = $tool->end())['out'], $end['status']], "SIG$name is passed on");
}

// Our own group, if wished.
$group = fn (int $pid): int => posix_getpgid($pid);
$tool = new Tool(['run', 'own', '--', 'sh', '-c', 'echo $$; read line']);
$pid = (int) $tool->line();
same($pid, $group($pid), 'a group of its own');
$tool->type("x\n");
$tool->end();
$tool = new Tool(['run', '--foreground', 'own', '--', 'sh', '-c', 'echo $$; read line']);
$pid = (int) $tool->line();
same($group($tool->pid), $group($pid), '--foreground: ours');
$tool->type("x\n");
$tool->end();

// Stopped and continued together, so that the command does not work on while nobody renews.
$tool = new Tool(['run', 'stop', '--', 'sh', '-c', 'echo $$; read line; echo done']);
$pid = (int) $tool->line();
$state = fn (int $pid): string => preg_replace('/^.*\) (.).*$/s', '$1', (string) file_get_contents("/proc/$pid/stat"));
$tool->signal('TSTP');
wait_until(fn () => $state($tool->pid) === 'T' && $state($pid) === 'T', 'both are stopped');
$tool->signal('CONT');
wait_until(fn () => $state($pid) !== 'T', 'both go on');
$tool->type("x\n");
same(["done\n", 0], [($end = $tool->end())['out'], $end['status']], 'as if nothing had been');

// While it waits for the lock.
$lock = client()->lock('wait', 60.0);
$lock->acquire();
foreach (['INT' => 2, 'TERM' => 15] as $name => $number) {
	redis()->must('DEL', side_key(lock_key('wait'), 'wait'));
	$tool = new Tool(['run', '--wait', '600', 'wait', 'echo', 'ran']);
	wait_until(fn () => redis()->must('EXISTS', side_key(lock_key('wait'), 'wait')) === 1, 'it waits');
	$tool->signal($name);
	same(['', 128 + $number], [($end = $tool->end())['out'], $end['status']], "SIG$name ends the wait, as a signal ends a program");
}
$lock->release();
wait_until_free('wait');
check($lock->acquire(5.0) > 0, 'and nobody is left in the queue');

// On a terminal Ctrl-C reaches the command once, and it keeps the terminal.
$tool = new Tool(['run', 'terminal', '--', 'sh', '-c', 'trap "echo interrupted; exit 6" INT; tty; echo ready; for i in $(seq 1200); do sleep 0.05; done'], terminal: true);
$seen = $tool->until('ready');
check(str_contains($seen, '/dev/'), 'it has the terminal', seen: $seen);
$tool->type("\x03");
$tool->until('interrupted');
same(6, $tool->end()['status'], 'Ctrl-C');
same(false, client()->inspect('terminal')['held'], 'the lock is given back');
done();
--EXPECT--
15 checks passed
