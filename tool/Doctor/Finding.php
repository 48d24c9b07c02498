<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

/** One thing that doctor has to say. docs/operations.md has an entry for each id. */
final class Finding
{
	/**
	 * @param string $id stable, for programs and for the documentation
	 * @param string|null $node the server; null: this machine, or all
	 * @param string $what what is so
	 * @param string $remedy what to do
	 */
	public function __construct(
		public readonly string $id,
		public readonly Severity $severity,
		public readonly ?string $node,
		public readonly string $what,
		public readonly string $remedy,
	) {
	}

	public static function problem(string $id, ?string $node, string $what, string $remedy): self
	{
		return new self($id, Severity::Problem, $node, $what, $remedy);
	}

	public static function warning(string $id, ?string $node, string $what, string $remedy): self
	{
		return new self($id, Severity::Warning, $node, $what, $remedy);
	}

	public static function hint(string $id, ?string $node, string $what, string $remedy): self
	{
		return new self($id, Severity::Hint, $node, $what, $remedy);
	}

	/** Something could not be asked, and what keeps us from it. */
	public static function unknown(?string $node, string $what, \Throwable $problem, string $right): self
	{
		return new self(
			'not-checked',
			Severity::Unknown,
			$node,
			"$what could not be checked: {$problem->getMessage()}",
			"run it with a log-in that has $right: --admin-servers or REDISLOCK_ADMIN_SERVERS",
		);
	}

	/** @return array<string, string|null> */
	public function forJson(): array
	{
		return [
			'id' => $this->id,
			'severity' => $this->severity->value,
			'node' => $this->node,
			'what' => $this->what,
			'remedy' => $this->remedy,
		];
	}
}
