<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests\Support;

use RedisLock\Pdo\StaleFenceException;
use Throwable;

/** An exception of another process. */
final class Problem
{
	/** @param ?array<int, mixed> $errorInfo of a PDOException */
	public function __construct(
		public readonly string $class,
		public readonly string $message,
		public readonly ?array $errorInfo,
	) {
	}

	public static function of(Throwable $exception): self
	{
		return new self($exception::class, $exception->getMessage(), $exception->errorInfo ?? null);
	}

	public function isStale(): bool
	{
		return $this->class === StaleFenceException::class;
	}

	/** The database has refused the transaction because of another one: the usual reason to run it again. */
	public function isConflict(string $driver): bool
	{
		return match ($driver) {
			'pgsql' => in_array($this->errorInfo[0] ?? null, ['40001', '40P01'], true),
			// Deadlock, and "Record has changed since last read".
			'mysql' => in_array($this->errorInfo[1] ?? null, [1213, 1020], true),
			// SQLITE_BUSY
			'sqlite' => ($this->errorInfo[1] ?? null) === 5,
		};
	}

	public function __toString(): string
	{
		return "$this->class: $this->message";
	}
}
