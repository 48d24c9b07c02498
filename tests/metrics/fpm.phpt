--TEST--
PHP-FPM: all workers count in one place, also those that are killed while they count
--EXTENSIONS--
redislock
posix
--INI--
redislock.stats_groups=1
--SKIPIF--
<?php
require __DIR__ . '/../include/skipif.inc';
require __DIR__ . '/../faults/fpm.inc';
if (fpm_binary() === null) {
	echo 'skip no php-fpm of this version';
}
?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';
require __DIR__ . '/../faults/fpm.inc';

const WORKERS = 4;
const CYCLES = 50;

// What PHP itself leaves when a worker is killed, LeakSanitizer would report, and not us.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

$server = RedisServer::start();
$redis = $server->connect();
$fpm = new Fpm(<<<'PHP'
	$client = new RedisLock\Client($_GET['dsn'], prefix());
	$redis = new RespConnection($_GET['dsn']);
	switch ($_GET['do']) {
		case 'cycles':
			// All of them at once: nobody goes before everybody is there.
			$redis->must('INCR', prefix() . 'there');
			wait_until(fn () => (int) $redis->must('GET', prefix() . 'there') >= (int) $_GET['workers'], 'all are there');
			for ($i = 0; $i < (int) $_GET['cycles']; $i++) {
				$lock = $client->lock("cycles:$i", 60.0);
				$lock->acquire(60.0);
				$lock->release();
			}
			// Nobody looks before everybody is done.
			$redis->must('INCR', prefix() . 'done');
			wait_until(fn () => (int) $redis->must('GET', prefix() . 'done') >= (int) $_GET['workers'], 'all are done');
			echo json_encode([getmypid(), RedisLock::stats()]);
			break;
		case 'count':
			$redis->must('RPUSH', prefix() . 'pids', getmypid());
			for ($i = 0;; $i++) {
				$lock = $client->lock("group-$i:x", 60.0);
				$lock->acquire();
				$lock->release();
				$i % 50 || $redis->must('INCR', prefix() . 'alive ' . getmypid());
			}
		case 'stats':
			echo json_encode([getmypid(), RedisLock::stats()]);
			break;
		case 'metrics':
			header('Content-Type: text/plain; version=0.0.4; charset=utf-8');
			echo RedisLock::metrics();
			break;
		case 'info':
			$client->lock('<script>alert(1)</script>:1', 60.0)->synchronized(fn () => true);
			phpinfo(INFO_MODULES);
	}
	PHP, ['pm.max_children' => (string) WORKERS]);
// A worker serves the next request when the client of the last one has closed its end.
$answer = function ($request) use ($fpm): ?string {
	$text = $fpm->answer($request);
	fclose($request);
	return $text;
};
$query = ['dsn' => $server->dsn(), 'workers' => WORKERS, 'cycles' => CYCLES];
$stats = fn () => json_decode($fpm->get($query + ['do' => 'stats']), true);

// Every worker counts, and every worker knows what all have counted.
$requests = [];
for ($i = 0; $i < WORKERS; $i++) {
	$requests[] = $fpm->send($query + ['do' => 'cycles']);
}
$answers = array_map(fn ($request) => json_decode((string) $answer($request), true), $requests);
$workers = array_column($answers, 0);
same(WORKERS, count(array_unique($workers)), 'as many workers as there are');
foreach ($answers as [, $seen]) {
	same(
		[WORKERS * CYCLES, WORKERS * CYCLES, WORKERS * CYCLES, WORKERS * CYCLES, 0],
		[$seen['attempts'], $seen['acquired'], $seen['released'], $seen['groups']['cycles']['acquired'], $seen['lost']],
		'each of them knows what all have done',
	);
}
same(['attempts' => 0], array_intersect_key(RedisLock::stats(), ['attempts' => 1]), 'and this process, which is none of them, does not');

// Workers that do nothing but count, and claim groups of locks, are killed in the middle of it: again and again.
for ($round = 0; $round < 3; $round++) {
	$redis->must('DEL', prefix() . 'pids');
	$requests = [];
	for ($i = 0; $i < WORKERS - 1; $i++) {
		$requests[] = $fpm->send($query + ['do' => 'count']);
	}
	$pids = wait_until(function () use ($redis) {
		$pids = $redis->must('LRANGE', prefix() . 'pids', '0', '-1');
		return count($pids) === WORKERS - 1 ? $pids : false;
	}, 'they have begun');
	foreach ($pids as $pid) {
		wait_until(fn () => (int) $redis->must('GET', prefix() . "alive $pid") >= 3, 'it counts');
	}
	foreach ($pids as $pid) {
		posix_kill((int) $pid, SIGKILL);
	}
	foreach ($requests as $request) {
		same(null, $answer($request), "$round: a worker is killed");
	}
}
[, $killed] = $stats();
$atLeast = 3 * (WORKERS - 1) * 100;
check($killed['attempts'] > WORKERS * CYCLES + $atLeast, 'what they had counted is there', attempts: $killed['attempts']);
// A killed one may have been between an attempt and its end. What is missing is one of each at most.
$ended = $killed['acquired'] + $killed['refused'];
$most = 3 * (WORKERS - 1);
between($killed['attempts'] - $most, $killed['attempts'], $ended, 'each but the last call of the killed ones was counted in whole');
between($killed['acquired'] - $most, $killed['acquired'], $killed['released'], 'and so were the releases');
between($killed['acquired'] - $most, $killed['acquired'], $killed['wait_seconds']['count'], 'and the waits');
same(65, count($killed['groups']), 'all groups are in use, and each once');
same($killed['attempts'], array_sum(array_map(fn (array $group) => $group['attempts'], $killed['groups'])), 'no count is lost between them');

// New workers go on from there.
$redis->must('DEL', prefix() . 'there', prefix() . 'done');
$requests = [];
for ($i = 0; $i < WORKERS; $i++) {
	$requests[] = $fpm->send($query + ['do' => 'cycles']);
}
$fresh = array_map(fn ($request) => json_decode((string) $answer($request), true)[0], $requests);
check(count(array_diff($fresh, $workers)) >= WORKERS - 1, 'new workers', workers: $workers, fresh: $fresh);
[, $after] = $stats();
same(WORKERS * CYCLES, $after['acquired'] - $killed['acquired'], 'they count in the same place');
$samples = parse_metrics((string) $fpm->get($query + ['do' => 'metrics']));
same((float) $after['groups']['cycles']['acquired'], $samples['redislock_acquired_total{group="cycles"}'], 'the metrics say the same');

// As HTML, a name is text and no element.
$html = (string) $fpm->get($query + ['do' => 'info']);
check(str_contains($html, '<td class="e">attempts </td><td class="v">'), 'phpinfo() shows the counters as HTML');
check(!str_contains($html, '<script>alert'), 'and no name of a group as HTML');
done();
?>
--EXPECT--
26 checks passed
