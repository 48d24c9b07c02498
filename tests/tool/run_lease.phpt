--TEST--
redislock run: the lease is renewed while the command runs; who loses it is told, and killed if it does not end
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

$script = 'trap "echo told; exit 5" TERM; echo $$; for i in $(seq 1200); do sleep 0.05; done';
$start = function (array $words, array $environment = []) use ($script): Tool {
	$tool = new Tool(['run', ...$words, '--', 'sh', '-c', $script], $environment);
	same(1, preg_match('/^\d+$/', (string) $tool->line()), 'it runs');
	return $tool;
};
$pttl = fn (string $name): int => redis()->must('PTTL', lock_key($name));

// Twice its lease later the same owner has it still.
$tool = $start(['--ttl', '1', 'renewed']);
$token = redis()->must('GET', lock_key('renewed'));
for ($renewals = 0, $last = $pttl('renewed'); $renewals < 4; usleep(5000), $last = $now) {
	$now = $pttl('renewed');
	$renewals += $now > $last ? 1 : 0;
	if ($now < 0) {
		break;
	}
}
same([4, $token], [$renewals, redis()->must('GET', lock_key('renewed'))], 'renewed again and again');
$tool->signal('TERM');
$end = $tool->end();
same(["told\n", 5, false], [$end['out'], $end['status'], client()->inspect('renewed')['held']], 'SIGTERM is passed on, its exit status comes back, the lock too');

// Somebody takes it away.
$tool = $start(['--ttl', '1', 'lost']);
same(true, client()->forceRelease('lost'), 'the lock is taken away');
$next = client()->lock('lost', 60.0);
$next->acquire();
$end = $tool->end();
same(["told\n", 79], [$end['out'], $end['status']], 'the command is told; the status says that the lease was lost');
check(str_contains($end['err'], 'not ours any more'), 'and stderr why', err: $end['err']);
same(true, $next->renew(), 'the next holder keeps it');
$tool = $start(['--ttl', '1', '--lost-exit-code', '3', 'lost too']);
client()->forceRelease('lost too');
same(3, $tool->end()['status'], '--lost-exit-code');

// Redis goes away: the command is told while the lease still lasts, and not before it is needed.
$server = RedisServer::start();
$tool = $start(['--ttl', '3', 'job'], ['REDISLOCK_SERVERS' => $server->dsn('', 'timeout=0.2')]);
$begin = hrtime(true);
$server->signal('STOP');
$tool->until('told');
$waited = (hrtime(true) - $begin) / 1e9;
$server->signal('CONT');
$end = $tool->end();
same(79, $end['status'], 'a lease that cannot be renewed');
check($waited > 1.0, 'it was tried until the lease was about to end', waited: $waited);
check(str_contains($end['err'], 'cannot be renewed') && str_contains($end['err'], 'is not renewed'), 'and said', err: $end['err']);

// A timeout of the DSN that is longer than the lease does not keep us from telling in time.
$tool = $start(['--ttl', '3', 'job'], ['REDISLOCK_SERVERS' => $server->dsn('', 'db=0&timeout=60')]);
$server->signal('STOP');
$begin = hrtime(true);
$tool->until('told');
check((hrtime(true) - $begin) / 1e9 < 30.0, 'told long before that timeout');
$server->signal('CONT');
same(79, $tool->end()['status'], 'and the status says it');

// It comes back in time: nothing happens.
$tool = $start(['--ttl', '6', 'job'], ['REDISLOCK_SERVERS' => $server->dsn('', 'timeout=0.2')]);
$server->signal('STOP');
check(str_contains((string) $tool->line(2), 'cannot be renewed'), 'a renewal fails');
$server->signal('CONT');
$look = $server->connect();
wait_until(fn () => $look->must('PTTL', prefix() . 'job') > 4500, 'it is renewed later');
$tool->signal('TERM');
same(5, $tool->end()['status'], 'the command has noticed nothing');

// The bound.
$tool = $start(['--ttl', '1', '--max-time', '0.5', 'bound']);
$end = $tool->end();
same(["told\n", 79], [$end['out'], $end['status']], 'not renewed beyond --max-time');

// Who does not listen, and its children, are killed.
$tool = new Tool(['run', '--ttl', '0.5', '--kill-after', '0.2', 'deaf', '--', 'sh', '-c', 'trap "" TERM; sleep 60 & echo $!; wait; wait']);
$grandchild = (int) $tool->line();
client()->forceRelease('deaf');
$end = $tool->end();
same(79, $end['status'], 'killed');
wait_until(fn () => !is_dir("/proc/$grandchild") || str_contains((string) @file_get_contents("/proc/$grandchild/stat"), ') Z '), 'its children too');
check(str_contains($end['err'], 'SIGKILL'), 'and said', err: $end['err']);

// Another signal.
$tool = new Tool(['run', '--ttl', '0.5', '--signal', 'usr1', 'signal', '--', 'sh', '-c', 'trap "echo usr1; exit 0" USR1; echo ready; for i in $(seq 1200); do sleep 0.05; done']);
$tool->line();
client()->forceRelease('signal');
same(["usr1\n", 79], [($end = $tool->end())['out'], $end['status']], '--signal');

// The lease ended while we were stopped, and the command ends before we look.
$tool = new Tool(['run', '--ttl', '0.5', 'stopped', '--', 'sh', '-c', 'echo $$; read line']);
$tool->line();
$tool->signal('STOP');
wait_until_free('stopped');
$tool->type("x\n");
$tool->signal('CONT');
same(79, $tool->end()['status'], 'a command that ended well after its lease did not end well');
done();
--EXPECT--
26 checks passed
