<?php
declare(strict_types=1);

namespace Transfers;

use PDO;
use PDOException;
use PDOStatement;
use Throwable;

/**
 * The accounts and the decided transfers in a database. Every write carries the fences of the locks it was made under.
 */
final class Ledger
{
	private const TABLES = [
		// fence: the largest one that has written to this account.
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

	private const WRITE_FENCED = 'UPDATE accounts SET cents = ?, fence = ? WHERE id = ? AND fence <= ?';

	/** What people write who rely on the lock alone. The demo shows what comes of it. */
	private const WRITE_UNFENCED = 'UPDATE accounts SET cents = ?, fence = ? WHERE id = ?';

	/** @var array<string, PDOStatement> SQL => prepared statement */
	private array $statements = [];

	public function __construct(private readonly Database $database, private readonly bool $fenced = true)
	{
	}

	/** @param array<string, int> $openingBalances account => cents */
	public function create(array $openingBalances): void
	{
		foreach (self::TABLES as $table) {
			$this->database->pdo()->exec($table);
		}
		$this->database->begin();
		foreach ($openingBalances as $account => $cents) {
			$this->run('INSERT INTO accounts (id, cents, fence) VALUES (?, ?, 0)', $account, $cents);
		}
		$this->database->commit();
	}

	public function isDecided(string $transfer): bool
	{
		return $this->run('SELECT 1 FROM transfers WHERE id = ?', $transfer)->fetchAll() !== [];
	}

	/**
	 * @param array{string, string} $accounts
	 * @return array<string, int> account => cents
	 */
	public function balances(array $accounts): array
	{
		return $this->run('SELECT id, cents FROM accounts WHERE id IN (?, ?)', ...$accounts)
			->fetchAll(PDO::FETCH_KEY_PAIR);
	}

	/**
	 * Writes a decision and the balances that come of it: all or nothing.
	 *
	 * @param Outcome $decision Done or Refused
	 * @param array<string, int> $balances account => cents
	 * @param array<string, int> $fences account => fence of the lock under which the balances were read
	 * @return Outcome the decision; Late: somebody with a larger fence has been here; Duplicate: it was decided before.
	 *         In the last two cases nothing was written
	 */
	public function record(Transfer $transfer, Outcome $decision, array $balances, array $fences): Outcome
	{
		$this->database->begin();
		try {
			// In the order of the locks: on a database that locks rows, two writers must not wait for each other.
			foreach ($transfer->accounts() as $account) {
				if (!$this->write($account, $balances[$account], $fences[$account])) {
					$this->database->rollBack();
					return Outcome::Late;
				}
			}
			if (!$this->insert($transfer, $decision, $balances, $fences)) {
				$this->database->rollBack();
				return Outcome::Duplicate;
			}
			$this->database->commit();
			return $decision;
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

	/** False if the account has seen a larger fence. */
	private function write(string $account, int $cents, int $fence): bool
	{
		$statement = $this->fenced
			? $this->run(self::WRITE_FENCED, $cents, $fence, $account, $fence)
			: $this->run(self::WRITE_UNFENCED, $cents, $fence, $account);
		return $statement->rowCount() === 1;
	}

	/**
	 * @param array<string, int> $balances
	 * @param array<string, int> $fences
	 */
	private function insert(Transfer $transfer, Outcome $decision, array $balances, array $fences): bool
	{
		try {
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
			return true;
		} catch (PDOException $exception) {
			if ($this->database->isDuplicateKey($exception)) {
				return false;
			}
			throw $exception;
		}
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
