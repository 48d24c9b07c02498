<?php
/*
 * The demo's PHP part: eight workers, one file of transfers, one database, one Redis; see README.md. scripts/demo
 * builds the extension, starts the servers and calls this.
 *
 * Usage: php run.php OPTION..., see src/Options.php.
 *
 * Exit status: 0 all is right, 1 something is wrong, 2 wrong use, 128 + N ended by signal N.
 */
declare(strict_types=1);

namespace Transfers;

use Closure;
use RedisLock\Client;
use RuntimeException;
use Throwable;

require __DIR__ . '/autoload.php';

const WORKERS = 8;
const LEASE = 1.5;
const WAIT = 0.2;

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
function main(Options $options): bool
{
	$progress = new Progress(STDOUT);
	$report = new Report(STDOUT);
	$locks = new Client($options->redis);

	$opening = Transfer::readOpeningBalances(__DIR__ . '/../opening-balances.csv');
	$deliveries = Transfer::readAll(__DIR__ . '/../transfers.csv');
	$serial = new SerialCalculation($opening, $deliveries);
	$serial->requireOrderDoesNotMatter();

	$progress->heading(sprintf(
		'%d workers take %s deliveries of transfers between %d accounts in %s.',
		WORKERS,
		number_format(count($deliveries)),
		count($opening),
		$options->open('fenced')->version(),
	));
	$ledger = static fn (): Ledger => new Ledger($options->open('fenced'));
	$ledger()->create($opening);
	$written = new StoppedUntilOtherHasWritten($serial, startAfter: 200, others: 10, progress: $progress);
	$read = new StoppedUntilOtherHasRead($serial, startAfter: 600, others: 10, progress: $progress);
	$killed = new KilledWorker($serial, startAfter: 1000, locks: $locks, progress: $progress);
	$scenes = [$written, $read, $killed];
	$conductor = new Conductor(workerMain($options->redis, $ledger), $scenes, $progress);
	$tally = $conductor->run(WORKERS, $deliveries);
	foreach ($scenes as $scene) {
		if (!$scene->isOver()) {
			throw new RuntimeException('the transfers were over before all had happened that was to happen');
		}
	}
	$checks = (new Audit($opening, $serial, $ledger()))->checks($tally) + [
		'a late write was refused when the next owner had written' => $written->wasRefused(),
		'a late write was refused when the next owner had read and not yet written' => $read->wasRefused(),
		'after the death of a worker the others went on as its leases ended' => $killed->wentWell(),
		'no lock is left in Redis' => noLockIsLeft($locks, array_keys($opening)),
	];

	$progress->heading('The first stop once more, on a fresh database that does not look at the fence.');
	$ignored = repeatStop($written, Fencing::Ignored, 'ignored', $opening, $options, $progress);
	$progress->heading('The second stop once more, on one that gets the fence with the write and not before reading.');
	$onlyWhenWriting = repeatStop($read, Fencing::OnlyWhenWriting, 'only_when_writing', $opening, $options, $progress);
	$checks += [
		'without the fence a balance is wrong after the first stop' => $ignored->wrongBalances() !== [],
		'with the fence in the write only, one is wrong after the second' => $onlyWhenWriting->wrongBalances() !== [],
	];

	$progress->clear();
	$report->tally(
		$tally,
		lostByStop: $written->locksLost() + $read->locksLost(),
		lostByKill: $killed->locksLost(),
		lateByStop: (int) $written->wasLate() + (int) $read->wasLate(),
	);
	$report->damage('The first stop without the fence', $written->transfers(), $written->transfers()[1], $ignored);
	$report->damage('The second stop with the fence in the write only', $read->transfers(), $read->transfers()[0],
		$onlyWhenWriting);
	$report->checks($checks);
	return !in_array(false, $checks, true);
}

/**
 * The two transfers of a stop once more, on a database of their own that makes less of the fences.
 *
 * @param array<string, int> $opening account => cents
 */
function repeatStop(StoppedWorker $stop, Fencing $fencing, string $database, array $opening, Options $options,
	Progress $progress): Audit
{
	$serial = new SerialCalculation($opening, $stop->transfers());
	$ledger = static fn (): Ledger => new Ledger($options->open($database), $fencing);
	$ledger()->create($opening);
	$again = new $stop($serial, startAfter: 0, others: 1, progress: $progress);
	(new Conductor(workerMain($options->redis, $ledger), [$again], $progress))->run(2, $stop->transfers());
	return new Audit($opening, $serial, $ledger());
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
	$options = Options::parse(array_slice($argv, 1));
	requireExtensions($options->engine);
	Signals::throwOnEnding();
	if (main($options)) {
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
