<?php
declare(strict_types=1);

namespace RedisLock\Tool\Commands;

use RedisLock\Tool\Arguments;
use RedisLock\Tool\Command;
use RedisLock\Tool\Context;
use RedisLock\Tool\ExitCode;
use RedisLock\Tool\Option;
use RedisLock\Tool\Text;

final class Inspect extends Command
{
	public function name(): string
	{
		return 'inspect';
	}

	public function summary(): string
	{
		return 'what Redis knows of one lock';
	}

	public function usage(): string
	{
		return '[OPTION]… NAME';
	}

	public function description(): string
	{
		return <<<'TEXT'
			Shows one lock, asked as the extension asks: in one step, at the master, on a quorum with which node
			did not answer and why.
			The token is a secret, because whoever has it can give the lock back; --token shows it.
			TEXT;
	}

	public function options(): array
	{
		return [
			new Option('token', null, 'also show the token of the holder'),
			new Option('test', null, 'print nothing; the exit status is 0 if it is held, 1 if not'),
		];
	}

	public function exitCodes(): array
	{
		return [ExitCode::NO => 'with --test: nobody holds it'];
	}

	public function run(Arguments $arguments, Context $context): int
	{
		[$name] = $arguments->take(1, 1, 'inspect ' . $this->usage());
		$seen = $context->client()->inspect($name);
		if ($arguments->has('test')) {
			return $seen['held'] ? ExitCode::OK : ExitCode::NO;
		}
		$out = $context->out;
		$out->json(self::forJson($name, $seen, $arguments->has('token')));
		$fence = $seen['fence'] === null ? 'none' : "$seen[fence]";
		$paint = fn (string $text, string $style): string => $out->terminal->paint($text, $style);
		$out->line('name       ' . Text::printable($name));
		$out->line('key        ' . Text::printable($context->keys->lock($name)));
		$out->line('state      ' . ($seen['held'] ? $paint('held', 'green') : 'free'));
		if ($seen['held']) {
			$out->line('owner      ' . Text::owner($seen['token']));
			if ($arguments->has('token')) {
				$out->line('token      ' . Text::printable($seen['token']));
			}
			$out->line('lease      ' . (is_infinite($seen['remaining'])
				? $paint('without end: it was not made by redislock, and nothing but its holder frees it', 'red')
				: Text::duration($seen['remaining']) . ' left'));
		}
		$out->line('fence      ' . $fence . self::when($seen['fence']));
		$out->line('waiting    ' . ($seen['waiters'] ? $paint('somebody waits', 'yellow') : 'nobody'));
		foreach ($seen['nodes'] ?? [] as $address => $node) {
			$out->line('node       ' . Text::printable("$address: " . ($node ?? 'answered')));
		}
		return ExitCode::OK;
	}

	/** @param array<string, mixed> $seen */
	public static function forJson(string $name, array $seen, bool $token): array
	{
		return Text::nameInJson($name) + self::withoutToken($seen, $token);
	}

	/** @param array<string, mixed> $seen */
	private static function withoutToken(array $seen, bool $token): array
	{
		$endless = is_float($seen['remaining'] ?? null) && is_infinite($seen['remaining']);
		$shown = ['owner' => isset($seen['token']) ? Text::owner($seen['token']) : null, 'endless' => $endless] + $seen;
		$shown['remaining'] = $endless ? null : $seen['remaining'] ?? null;
		if (!$token) {
			unset($shown['token']);
		}
		return $shown;
	}

	/** A fence is the time of its acquisition, if it was not counted up from one that was ahead. */
	private static function when(?int $fence): string
	{
		return $fence === null || $fence < 1500000000000000 ? '' : ' (handed out ' . gmdate('Y-m-d H:i:s', intdiv($fence, 1000000)) . ' UTC, or later)';
	}
}
