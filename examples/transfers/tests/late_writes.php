<?php
/*
 * Can a late write do harm? The tests use the classes that the demo uses.
 *
 * - Two workers are run through every order in which their transactions can come, and the balances are compared with
 *   what the workers say they have done. To show that this can fail, the same is done with fences that are compared
 *   only when writing, and with none: then exactly those orders do harm that must.
 * - A transaction that meets another one that is not committed yet must wait for it, and then see what it has written.
 *   That is what the isolation level is for. It takes two processes.
 *
 * Usage: php late_writes.php OPTION..., see ../src/Options.php. scripts/demo --tests does it with servers of its own.
 *
 * Exit status: 0 all is right, 1 something is wrong, 2 wrong use.
 */
declare(strict_types=1);

namespace Transfers;

use Closure;
use Fiber;
use PDO;
use PDOException;
use RedisLock\Client;
use RuntimeException;
use Throwable;

require __DIR__ . '/../autoload.php';

const OPENING = ['A' => 10_000, 'B' => 10_000];

/** A database that calls us at two moments in each transaction. */
final class WatchedDatabase implements Database
{
	public ?Closure $beforeBegin = null;

	public ?Closure $beforeCommit = null;

	public function __construct(private readonly Database $database)
	{
	}

	public function create(): void
	{
		$this->database->create();
	}

	public function pdo(): PDO
	{
		return $this->database->pdo();
	}

	public function begin(): void
	{
		$this->beforeBegin === null || ($this->beforeBegin)();
		$this->database->begin();
	}

	public function commit(): void
	{
		$this->beforeCommit === null || ($this->beforeCommit)();
		$this->database->commit();
	}

	public function rollBack(): void
	{
		$this->database->rollBack();
	}

	public function isDuplicateKey(PDOException $exception): bool
	{
		return $this->database->isDuplicateKey($exception);
	}

	public function version(): string
	{
		return $this->database->version();
	}
}

/** One worker with a connection of its own, which can be halted before each of its transactions. */
final class HaltingWorker
{
	/** The first transaction claims and reads, the second writes. A late worker may get no further than the first. */
	private readonly Fiber $fiber;

	public function __construct(Client $locks, Database $database, Fencing $fencing, Transfer $transfer, float $lease)
	{
		$watched = new WatchedDatabase($database);
		$watched->beforeBegin = Fiber::suspend(...);
		// The other one waits until the lease is over, however long that takes.
		$handler = new TransferHandler($locks, new Ledger($watched, $fencing), $lease, wait: 10.0);
		$this->fiber = new Fiber(fn (): Result => $handler->handle($transfer));
	}

	/** Locks the accounts, and halts before the first transaction. */
	public function lock(): void
	{
		$this->fiber->isStarted() || $this->fiber->start();
	}

	/** One transaction; also lock(), if that was not done yet. */
	public function step(): void
	{
		$this->lock();
		$this->fiber->isTerminated() || $this->fiber->resume();
	}

	public function outcome(): Outcome
	{
		if (!$this->fiber->isTerminated()) {
			throw new RuntimeException('the worker has more transactions than this test knows');
		}
		return $this->fiber->getReturn()->outcome;
	}
}

/**
 * L: the late worker, which has its locks first. N: the next one, which gets them when L's lease is over or when L has
 * finished. Each letter is a transaction: first claim and read, then write.
 */
const ORDERS = ['LLNN', 'LNLN', 'LNNL', 'NLLN', 'NLNL', 'NNLL'];

/**
 * Runs both workers in that order.
 *
 * @return array{late: Outcome, next: Outcome, right: bool} right: are the balances what the two outcomes make them?
 */
function runInOrder(string $order, Fencing $fencing, Client $locks, Options $options): array
{
	$name = strtolower("{$fencing->name}_$order");
	$ledger = new Ledger($options->open($name), $fencing);
	$ledger->create(OPENING);
	$transfers = ['L' => new Transfer('late', 'A', 'B', 1000), 'N' => new Transfer('next', 'A', 'B', 2000)];
	$workers = [
		'L' => new HaltingWorker($locks, $options->open($name), $fencing, $transfers['L'], lease: 0.1),
		'N' => new HaltingWorker($locks, $options->open($name), $fencing, $transfers['N'], lease: 30.0),
	];
	$workers['L']->lock();
	foreach (str_split($order) as $worker) {
		$workers[$worker]->step();
	}
	$late = $workers['L']->outcome();
	$next = $workers['N']->outcome();
	$moved = ($late === Outcome::Done ? 1000 : 0) + ($next === Outcome::Done ? 2000 : 0);
	$right = $ledger->allBalances() === ['A' => OPENING['A'] - $moved, 'B' => OPENING['B'] + $moved];
	if ($late === Outcome::Late && $right) {
		// What the queue does with it. Now it must go through.
		$again = (new TransferHandler($locks, $ledger, 30.0, 10.0))->handle($transfers['L']);
		$right = $again->outcome === Outcome::Done && $ledger->allBalances() === ['A' => 7_000, 'B' => 13_000];
	}
	return ['late' => $late, 'next' => $next, 'right' => $right];
}

/**
 * @param array<string, Outcome> $late order => what must become of the late worker's transfer
 * @param list<string> $harmful the orders after which the balances must be wrong
 * @return list<string> what is not so
 */
function testEveryOrder(Fencing $fencing, array $late, array $harmful, Client $locks, Options $options): array
{
	$problems = [];
	foreach (ORDERS as $order) {
		$result = runInOrder($order, $fencing, $locks, $options);
		if ($result['late'] !== $late[$order] || $result['next'] !== Outcome::Done) {
			$problems[] = sprintf('%s: the late transfer is %s, it should be %s; the next one is %s, it should be done',
				$order, $result['late']->value, $late[$order]->value, $result['next']->value);
		}
		if ($result['right'] === in_array($order, $harmful, true)) {
			$problems[] = "$order: the balances are " . ($result['right'] ? 'right, they should not be' : 'WRONG');
		}
	}
	return $problems;
}

/**
 * Does $first in a transaction that is not committed before another process has begun with $second.
 *
 * @param Closure(Ledger): mixed $first
 * @param Closure(Ledger): mixed $second
 * @return array{waited: ?bool, answer: mixed} did the second one have to wait (null: this engine cannot say); what it
 *         returned, or the short name and the message of what it threw
 */
function overlap(string $database, Closure $first, Closure $second, Options $options): array
{
	(new Ledger($options->open($database)))->create(OPENING);
	[$ours, $theirs] = Channel::pair();
	$pid = pcntl_fork();
	if ($pid === 0) {
		$ours->close();
		answer($theirs, new Ledger($options->open($database)), $second);
		exit(0);
	}
	$theirs->close();
	$waited = null;
	$watched = new WatchedDatabase($options->open($database));
	$watched->beforeCommit = function () use ($ours, $options, $database, &$waited): void {
		$ours->send(['begin' => true]);
		$ours->receive();
		$waited = somebodyWaits($options, $database);
	};
	$first(new Ledger($watched));
	$answer = $ours->receive()['answer'] ?? 'the process has died';
	pcntl_waitpid($pid, $status);
	return ['waited' => $waited, 'answer' => $answer];
}

/** @param Closure(Ledger): mixed $work */
function answer(Channel $parent, Ledger $ledger, Closure $work): void
{
	try {
		// The connection is made before it counts.
		$ledger->allBalances();
		$parent->receive();
		$parent->send(['beginning' => true]);
		$answer = $work($ledger);
	} catch (Throwable $error) {
		$answer = trim($error::class . ' ' . $error->getMessage());
	}
	$parent->send(['answer' => $answer]);
}

/**
 * @param array{waited: ?bool, answer: mixed} $result of overlap()
 * @return list<string> what is not so
 */
function problems(array $result, mixed $expected): array
{
	$problems = $result['waited'] === false ? ['it did not wait for the other transaction'] : [];
	if ($result['answer'] !== $expected) {
		$problems[] = 'the answer is ' . json_encode($result['answer']) . ', it should be ' . json_encode($expected);
	}
	return $problems;
}

const WRITTEN_LATE = ['A' => 9_000, 'B' => 11_000];

function writeLate(Ledger $ledger): bool
{
	$transfer = new Transfer('late', 'A', 'B', 1000);
	return $ledger->record($transfer, Outcome::Done, WRITTEN_LATE, fences: ['A' => 5, 'B' => 5]);
}

/** @return array<string, int> account => cents */
function claimNext(Ledger $ledger): array
{
	return $ledger->claimAndRead(['A' => 6, 'B' => 6]);
}

/** @return list<string> what is not so */
function testLateWriteMeetsClaim(Options $options): array
{
	return problems(overlap('write_meets_claim', claimNext(...), writeLate(...), $options), TooLate::class);
}

/** @return list<string> what is not so */
function testClaimMeetsLateWrite(Options $options): array
{
	return problems(overlap('claim_meets_write', writeLate(...), claimNext(...), $options), WRITTEN_LATE);
}

/**
 * The balances are written as they were, and so are the fences. An engine that counts only rows that have changed would
 * make this look like a late write.
 *
 * @return list<string> what is not so
 */
function testRefusalIsNotLate(Client $locks, Options $options): array
{
	$ledger = new Ledger($options->open('refusal'));
	$ledger->create(OPENING);
	$handler = new TransferHandler($locks, $ledger, 30.0, 10.0);
	$transfer = new Transfer('too much', 'A', 'B', OPENING['A'] + 1);
	$outcomes = [$handler->handle($transfer)->outcome, $handler->handle($transfer)->outcome];
	return $outcomes === [Outcome::Refused, Outcome::Duplicate] ? [] : ['it is ' . json_encode($outcomes)];
}

/** Waits until the server says so. Null: this engine cannot say it. */
function somebodyWaits(Options $options, string $database): ?bool
{
	$question = match ($options->engine) {
		// Here a writer waits for the whole database, and nobody can see it.
		Engine::Sqlite => null,
		Engine::Pgsql => 'SELECT COUNT(*) FROM pg_locks WHERE NOT granted',
		Engine::Mysql => "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
	};
	if ($question === null) {
		return null;
	}
	$pdo = $options->open($database)->pdo();
	$end = hrtime(true) + 10_000_000_000;
	do {
		if ((int) $pdo->query($question)->fetchColumn() > 0) {
			return true;
		}
	} while (hrtime(true) < $end);
	return false;
}

/** @return array<string, Closure(): list<string>> what is tested => a test that returns what is not so */
function tests(Options $options): array
{
	// A prefix of our own: this Redis may be somebody else's, too.
	$locks = new Client($options->redis, sprintf('late-writes-%d:', getmypid()));
	$always = fn (Outcome $outcome) => array_fill_keys(ORDERS, $outcome);
	$bothHaveRead = ['LNLN', 'LNNL', 'NLLN', 'NLNL'];
	$claimed = ['LLNN' => Outcome::Done] + $always(Outcome::Late);
	$whenWriting = ['LLNN' => Outcome::Done, 'LNLN' => Outcome::Done, 'NLLN' => Outcome::Done] + $always(Outcome::Late);
	return [
		'with the fence on the rows before reading, no order does harm' => fn () =>
			testEveryOrder(Fencing::ClaimedBeforeReading, $claimed, [], $locks, $options),
		'with the fence in the write only, harm is done if both have read and the late one writes first' => fn () =>
			testEveryOrder(Fencing::OnlyWhenWriting, $whenWriting, ['LNLN', 'NLLN'], $locks, $options),
		'without the fence, harm is done whenever both have read before either has written' => fn () =>
			testEveryOrder(Fencing::Ignored, $always(Outcome::Done), $bothHaveRead, $locks, $options),
		'a late write waits for a claim that is not committed yet, and is refused' => fn () =>
			testLateWriteMeetsClaim($options),
		'a claim waits for a late write that is not committed yet, and reads what it has written' => fn () =>
			testClaimMeetsLateWrite($options),
		'a transfer without funds is refused, and not taken for late' => fn () =>
			testRefusalIsNotLate($locks, $options),
	];
}

try {
	$options = Options::parse(array_slice($argv, 1));
	requireExtensions($options->engine);
	$failed = 0;
	foreach (tests($options) as $what => $test) {
		$problems = $test();
		$failed += (int) ($problems !== []);
		echo $problems === [] ? 'ok     ' : 'WRONG  ', $what, "\n";
		foreach ($problems as $problem) {
			echo "         $problem\n";
		}
	}
	exit($failed === 0 ? 0 : 1);
} catch (WrongUse $error) {
	fwrite(STDERR, "late_writes: {$error->getMessage()}\n");
	exit(2);
} catch (Throwable $error) {
	fwrite(STDERR, "late_writes: $error\n");
	exit(1);
}
