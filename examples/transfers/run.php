<?php
/*
 * The demo's PHP part: eight workers, one file of transfers, one database, one Redis; see README.md. scripts/demo
 * builds the extension, starts Redis and calls this.
 *
 * Usage: php run.php --redis=DSN --folder=FOLDER [--database=sqlite]
 *        FOLDER is for the database files and has to be empty.
 *
 * Exit status: 0 all is right, 1 something is wrong, 2 wrong use, 128 + N ended by signal N.
 */
declare(strict_types=1);

namespace Transfers;

use Closure;
use RedisLock\Client;
use RuntimeException;
use Throwable;

const WORKERS = 8;
const LEASE = 1.5;
const WAIT = 0.2;

spl_autoload_register(static function (string $class): void {
	$file = __DIR__ . '/src/' . substr($class, strlen(__NAMESPACE__) + 1) . '.php';
	if (str_starts_with($class, __NAMESPACE__ . '\\') && is_file($file)) {
		require $file;
	}
});

/**
 * @param list<string> $arguments
 * @return array{redis: string, folder: string, database: string}
 */
function options(array $arguments): array
{
	$options = ['redis' => '', 'folder' => '', 'database' => 'sqlite'];
	foreach ($arguments as $argument) {
		if (preg_match('/^--([a-z]+)=(.+)$/', $argument, $match) !== 1 || !isset($options[$match[1]])) {
			throw new WrongUse("unknown option: $argument");
		}
		$options[$match[1]] = $match[2];
	}
	if ($options['redis'] === '' || $options['folder'] === '') {
		throw new WrongUse('--redis and --folder are needed');
	}
	return $options;
}

/** @return Closure(string): Database the database with this name, on the engine that was asked for */
function databases(string $engine, string $folder): Closure
{
	return match ($engine) {
		'sqlite' => fn (string $name): Database => new SqliteDatabase("$folder/$name.sqlite"),
		default => throw new WrongUse("unknown database: $engine; there is sqlite"),
	};
}

function requireExtensions(): void
{
	foreach (['RedisLock' => 'redislock', 'PDO' => 'pdo'] as $class => $extension) {
		class_exists($class) || throw new RuntimeException("this PHP has not loaded the extension $extension");
	}
	foreach (['pcntl_fork' => 'pcntl', 'posix_kill' => 'posix'] as $function => $extension) {
		function_exists($function) || throw new RuntimeException("this PHP has not loaded the extension $extension");
	}
}

/**
 * What a worker process does. It makes its connections itself: neither a database connection nor a lock can be
 * inherited from the parent.
 *
 * @param Closure(): Ledger $ledger
 * @return Closure(Channel): void
 */
function workerMain(string $redis, Closure $ledger): Closure
{
	return static function (Channel $queue) use ($redis, $ledger): void {
		$handler = new TransferHandler(new Client($redis), $ledger(), LEASE, WAIT);
		(new Worker($queue, $handler))->run();
	};
}

/** @return bool is everything right? */
function main(string $redis, Closure $database): bool
{
	$progress = new Progress(STDOUT);
	$report = new Report(STDOUT);
	$locks = new Client($redis);

	$opening = Transfer::readOpeningBalances(__DIR__ . '/../opening-balances.csv');
	$deliveries = Transfer::readAll(__DIR__ . '/../transfers.csv');
	$serial = new SerialCalculation($opening, $deliveries);
	$serial->requireOrderDoesNotMatter();

	$progress->heading(sprintf(
		'%d workers take %s deliveries of transfers between %d accounts.',
		WORKERS,
		number_format(count($deliveries)),
		count($opening),
	));
	$ledger = static fn (): Ledger => new Ledger($database('fenced'));
	$ledger()->create($opening);
	$stopped = new StoppedWorker($serial, startAfter: 200, others: 10, progress: $progress);
	$killed = new KilledWorker($serial, startAfter: 600, locks: $locks, progress: $progress);
	$conductor = new Conductor(workerMain($redis, $ledger), [$stopped, $killed], $progress);
	$tally = $conductor->run(WORKERS, $deliveries);
	if (!$stopped->isOver() || !$killed->isOver()) {
		throw new RuntimeException('the transfers were over before a worker was stopped and another one killed');
	}
	$checks = (new Audit($opening, $serial, $ledger()))->checks($tally) + [
		'the late write of the stopped worker was refused' => $stopped->wasRefused(),
		'after the death of a worker the others went on as its leases ended' => $killed->wentWell(),
		'no lock is left in Redis' => noLockIsLeft($locks, array_keys($opening)),
	];

	$progress->heading('The same stop once more, on a fresh database that does not look at the fence.');
	$lostByStop = $stopped->locksLost();
	$transfers = $stopped->transfers();
	$serial = new SerialCalculation($opening, $transfers);
	$ledger = static fn (): Ledger => new Ledger($database('unfenced'), fenced: false);
	$ledger()->create($opening);
	$stopped = new StoppedWorker($serial, startAfter: 0, others: 1, progress: $progress);
	(new Conductor(workerMain($redis, $ledger), [$stopped], $progress))->run(2, $transfers);
	$unfenced = new Audit($opening, $serial, $ledger());
	$checks += ['without the fence a balance is wrong' => $unfenced->wrongBalances() !== []];

	$progress->clear();
	$report->tally($tally, $lostByStop, $killed->locksLost());
	$report->withoutFence($transfers, $unfenced->wrongBalances(), $unfenced->moneyMade());
	$report->checks($checks);
	return !in_array(false, $checks, true);
}

/** @param list<string> $accounts */
function noLockIsLeft(Client $locks, array $accounts): bool
{
	foreach ($accounts as $account) {
		if ($locks->inspect("account:$account")['held']) {
			return false;
		}
	}
	return true;
}

try {
	requireExtensions();
	Signals::throwOnEnding();
	$options = options(array_slice($argv, 1));
	if (main($options['redis'], databases($options['database'], $options['folder']))) {
		exit(0);
	}
	fwrite(STDERR, "\ndemo: something is WRONG, see above\n");
	exit(1);
} catch (WrongUse $error) {
	fwrite(STDERR, "demo: {$error->getMessage()}\n");
	exit(2);
} catch (Interrupted $interrupt) {
	fwrite(STDERR, "\ndemo: {$interrupt->getMessage()}\n");
	exit(128 + $interrupt->signal);
} catch (Throwable $error) {
	fwrite(STDERR, sprintf("\ndemo: %s (%s, %s:%d)\n", $error->getMessage(), $error::class,
		basename($error->getFile()), $error->getLine()));
	exit(1);
}
