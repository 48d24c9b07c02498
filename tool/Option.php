<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** One option of a command, as its help and its parser know it. */
final class Option
{
	/**
	 * @param string $name without the dashes
	 * @param string|null $value what its value is called; null: it has none
	 * @param string $help one sentence
	 * @param string|null $short one letter
	 * @param bool $repeat may be given more than once
	 */
	public function __construct(
		public readonly string $name,
		public readonly ?string $value,
		public readonly string $help,
		public readonly ?string $short = null,
		public readonly bool $repeat = false,
	) {
	}
}
