<?php
/*
 * The torture test, see README.md and `run`. Started by `run`, with the database in the environment and the command
 * line of PHP, for the workers, in CHAOS_PHP.
 */
declare(strict_types=1);

namespace Chaos;

use Random\Engine\Mt19937;
use Random\Randomizer;
use Throwable;

require __DIR__ . '/autoload.php';

$options = new Options(array_slice($argv, 1));
$folder = getenv('REDISLOCK_DATABASE_FOLDER') . '/chaos';
mkdir($folder, 0700);
$php = explode("\n", (string) getenv('CHAOS_PHP'));
$shim = (string) getenv('CHAOS_SHIM');

// No handler for signals: whatever ends this process ends its children, see Process, also those that are stopped. And the
// folder belongs to with-database.
$store = new Store($options->database, $options->dsn($folder));
$resources = array_map(static fn (int $number) => "counter:$number", range(1, $options->resources));
$store->create($resources);

printf(
	"%-17s%s%s, seed %d, %g s, %d workers, %d counters, lease %g s\n",
	'chaos',
	$options->database,
	$options->guard ? '' : ' WITHOUT THE GUARD',
	$options->seed,
	$options->seconds,
	$options->workers,
	$options->resources,
	$options->ttl,
);

$serverClock = new Clock("$folder/server.clock");
$workerClock = new Clock("$folder/workers.clock");
$serverClock->beyond();
$primary = new RedisNode("$folder/a", $shim, $serverClock);
$replica = new RedisNode("$folder/b", $shim, $serverClock);
$primary->start();
$replica->start();
$proxy = new Proxy($folder, 'proxy', $primary->socket);
$link = new Proxy($folder, 'link', $primary->socket);
$replica->command('REPLICAOF', '127.0.0.1', (string) $link->port);

$pool = new Pool($options->workers, $php, [
	'database' => $options->database,
	'dsn' => $options->dsn($folder),
	'port' => $proxy->port,
	'resources' => $resources,
	'guard' => $options->guard,
	'ttl' => $options->ttl,
], $folder, $shim, $workerClock, $options->seed);
$dice = new Randomizer(new Mt19937($options->seed));
$nemesis = new Nemesis($dice, $pool, $primary, $replica, $proxy, $link, $serverClock, $workerClock, $store, $options->ttl);

$problem = null;
try {
	$pool->start();
	$end = hrtime(true) + (int) ($options->seconds * 1e9);
	$next = hrtime(true) + 500_000_000;
	while (($now = hrtime(true)) < $end) {
		$nemesis->work();
		if ($now >= $next) {
			$nemesis->strike();
			$next = hrtime(true) + (int) ($nemesis->seconds(0.15, 0.8) * 1e9);
		}
		$pool->mustBeAlive();
		usleep(5_000);
	}
	$nemesis->rest();
	$pool->finish();
} catch (Throwable $problem) {
	// What was recorded until then is worth a look all the same.
}

$history = History::read($pool->records());
$violations = Checker::check($history, $store->entries(), $store->counters());
$report = new Report($options, $history, $nemesis->done(), $violations);
$report->print();
if ($options->keep !== null) {
	$entries = $store->entries();
	usort($entries, static fn (array $a, array $b) => [$a['resource'], $a['value']] <=> [$b['resource'], $b['value']]);
	$lines = array_map(static fn (array $entry) => json_encode(['event' => 'entry'] + $entry), $entries);
	$records = array_map(file_get_contents(...), $pool->records());
	file_put_contents($options->keep, implode('', $records) . implode("\n", $lines) . "\n");
	echo "kept             $options->keep\n";
}
$wrong = $report->missing();
if ($options->guard && $violations !== []) {
	$wrong[] = count($violations) . ' violations';
}
if ($problem !== null) {
	$wrong[] = $problem->getMessage();
}
foreach ($wrong as $text) {
	printf("%-17s%s\n", 'WRONG', $text);
}
if ($wrong === []) {
	printf("%-17s%s\n", 'result', $options->guard
		? 'no acknowledged write was lost, no stale one was accepted'
		: 'updates were lost without the guard, and the checker has seen it');
}
exit($wrong === [] ? 0 : 1);
