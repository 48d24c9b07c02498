<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\Support;

use Psr\Log\AbstractLogger;

/** Keeps what is logged. */
final class Log extends AbstractLogger
{
	/** @var list<array{level: string, message: string, context: array<string, mixed>}> */
	public array $lines = [];

	public function log($level, string|\Stringable $message, array $context = []): void
	{
		$this->lines[] = ['level' => (string) $level, 'message' => (string) $message, 'context' => $context];
	}

	/** @return array{level: string, message: string, context: array<string, mixed>}|null */
	public function first(string $part): ?array
	{
		foreach ($this->lines as $line) {
			if (str_contains($line['message'], $part)) {
				return $line;
			}
		}
		return null;
	}
}
