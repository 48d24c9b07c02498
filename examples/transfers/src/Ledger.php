<?php
declare(strict_types=1);

namespace Transfers;

use Closure;
use PDO;
use PDOException;
use PDOStatement;
use RuntimeException;
use Throwable;

/**
 * The accounts and the decided transfers in a database. Whoever wants to change a balance first claims the account with
 * the fence of the lock, then reads, and then writes with the same fence.
 */
final class Ledger
{
	private const TABLES = [
		// fence: the largest one that has claimed this account.
		'CREATE TABLE accounts (
			id VARCHAR(16) NOT NULL PRIMARY KEY,
			cents BIGINT NOT NULL CHECK (cents >= 0),
			fence BIGINT NOT NULL
		)',
		// The primary key is what makes a second delivery of the same transfer harmless. The other columns tell how the
		// decision came about, for the audit: fence and balance of each account when it was written.
		'CREATE TABLE transfers (
			id VARCHAR(36) NOT NULL PRIMARY KEY,
			outcome VARCHAR(16) NOT NULL,
			from_account VARCHAR(16) NOT NULL,
			to_account VARCHAR(16) NOT NULL,
			cents BIGINT NOT NULL,
			from_fence BIGINT NOT NULL,
			from_cents BIGINT NOT NULL,
			to_fence BIGINT NOT NULL,
			to_cents BIGINT NOT NULL
		)',
	];

	// `<=` and not `<`: the owner of a lock may write as often as it likes.
	private const CLAIM = 'UPDATE accounts SET fence = ? WHERE id = ? AND fence <= ?';

	private const WRITE = 'UPDATE accounts SET cents = ?, fence = ? WHERE id = ? AND fence <= ?';

	/** The demo shows what comes of this. */
	private const WRITE_UNFENCED = 'UPDATE accounts SET cents = ?, fence = ? WHERE id = ?';

	/** @var array<string, PDOStatement> SQL => prepared statement */
	private array $statements = [];

	public function __construct(
		private readonly Database $database,
		private readonly Fencing $fencing = Fencing::ClaimedBeforeReading,
	) {
	}

	/** @param array<string, int> $openingBalances account => cents */
	public function create(array $openingBalances): void
	{
		$this->database->create();
		foreach (self::TABLES as $table) {
			$this->database->pdo()->exec($table);
		}
		$this->transaction(function () use ($openingBalances): void {
			foreach ($openingBalances as $account => $cents) {
				$this->run('INSERT INTO accounts (id, cents, fence) VALUES (?, ?, 0)', $account, $cents);
			}
		});
	}

	/** A decision is never changed, so this may be asked at any time; but "no" may be out of date at once. */
	public function isDecided(string $transfer): bool
	{
		return $this->run('SELECT 1 FROM transfers WHERE id = ?', $transfer)->fetchAll() !== [];
	}

	/**
	 * Puts our fences on the accounts, and only then reads the balances. There is no way to have the balances without
	 * the claim, because that would be a mistake that no test finds by chance: a worker that is late, but not so late
	 * that we have written already, would still be accepted, and we would overwrite what it wrote.
	 *
	 * This is a transaction of its own. In one with record(), a worker that is stopped in between would keep the rows
	 * locked in the database, for everybody and for as long as it is stopped. That is just what a lease is to prevent.
	 *
	 * @param array<string, int> $fences account => fence, in the order of the locks
	 * @return array<string, int> account => cents
	 * @throws TooLate
	 */
	public function claimAndRead(array $fences): array
	{
		return $this->transaction(function () use ($fences): array {
			$balances = [];
			foreach ($fences as $account => $fence) {
				$claimed = $this->fencing !== Fencing::ClaimedBeforeReading
					|| $this->run(self::CLAIM, $fence, $account, $fence)->rowCount() === 1;
				$cents = $this->run('SELECT cents FROM accounts WHERE id = ?', $account)->fetchAll(PDO::FETCH_COLUMN);
				if ($cents === []) {
					throw new RuntimeException("there is no account $account");
				}
				if (!$claimed) {
					throw new TooLate();
				}
				$balances[$account] = $cents[0];
			}
			return $balances;
		});
	}

	/**
	 * Writes a decision and the balances that come of it: all or nothing.
	 *
	 * @param Outcome $decision Done or Refused
	 * @param array<string, int> $balances account => cents
	 * @param array<string, int> $fences account => fence, those of claimAndRead()
	 * @return bool false: it was decided before, and nothing was written
	 * @throws TooLate
	 */
	public function record(Transfer $transfer, Outcome $decision, array $balances, array $fences): bool
	{
		try {
			$this->transaction(function () use ($transfer, $decision, $balances, $fences): void {
				foreach ($fences as $account => $fence) {
					$this->write($account, $balances[$account], $fence);
				}
				$this->insert($transfer, $decision, $balances, $fences);
			});
			return true;
		} catch (PDOException $exception) {
			if ($this->database->isDuplicateKey($exception)) {
				return false;
			}
			throw $exception;
		}
	}

	private function write(string $account, int $cents, int $fence): void
	{
		$update = $this->fencing === Fencing::Ignored
			? $this->run(self::WRITE_UNFENCED, $cents, $fence, $account)
			: $this->run(self::WRITE, $cents, $fence, $account, $fence);
		// The account is there: we have read it. So if no row matched, it has a larger fence than ours.
		if ($update->rowCount() !== 1) {
			throw new TooLate();
		}
	}

	/**
	 * @param array<string, int> $balances
	 * @param array<string, int> $fences
	 */
	private function insert(Transfer $transfer, Outcome $decision, array $balances, array $fences): void
	{
		$this->run(
			'INSERT INTO transfers (id, outcome, from_account, to_account, cents,
				from_fence, from_cents, to_fence, to_cents) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
			$transfer->id,
			$decision->value,
			$transfer->from,
			$transfer->to,
			$transfer->cents,
			$fences[$transfer->from],
			$balances[$transfer->from],
			$fences[$transfer->to],
			$balances[$transfer->to],
		);
	}

	/** @return array<string, int> account => cents */
	public function allBalances(): array
	{
		return $this->run('SELECT id, cents FROM accounts ORDER BY id')->fetchAll(PDO::FETCH_KEY_PAIR);
	}

	/** @return list<array<string, int|string>> the rows of the table transfers */
	public function allDecisions(): array
	{
		return $this->run('SELECT * FROM transfers ORDER BY id')->fetchAll(PDO::FETCH_ASSOC);
	}

	/**
	 * All that $work writes, or nothing if it throws.
	 *
	 * Nobody waits here for each other in a circle: everybody takes the rows of accounts in the order of the locks, and
	 * the row of transfers after them.
	 *
	 * @template T
	 * @param Closure(): T $work
	 * @return T
	 */
	private function transaction(Closure $work): mixed
	{
		$this->database->begin();
		try {
			$result = $work();
			$this->database->commit();
			return $result;
		} catch (Throwable $exception) {
			try {
				$this->database->rollBack();
			} catch (PDOException) {
				// Some errors (a full disk, a lost connection) have ended the transaction already. What went wrong
				// first is what people need to know.
			}
			throw $exception;
		}
	}

	private function run(string $sql, int|string ...$values): PDOStatement
	{
		$statement = $this->statements[$sql] ??= $this->database->pdo()->prepare($sql);
		foreach ($values as $i => $value) {
			$statement->bindValue($i + 1, $value, is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);
		}
		$statement->execute();
		return $statement;
	}
}
