<?php
declare(strict_types=1);

namespace RedisLock\Tool\Commands;

use RedisLock\Tool\Arguments;
use RedisLock\Tool\Command;
use RedisLock\Tool\Context;
use RedisLock\Tool\ExitCode;
use RedisLock\Tool\Interrupted;
use RedisLock\Tool\Option;
use RedisLock\Tool\Output;
use RedisLock\Tool\Signals;
use RedisLock\Tool\Stop;
use RedisLock\Tool\Top\Row;
use RedisLock\Tool\Top\Sampler;
use RedisLock\Tool\Top\Screen;
use RedisLock\Tool\Top\Server;
use RedisLock\Tool\Top\View;
use RedisLock\Tool\UsageError;

final class Top extends Command
{
	private const ORDERS = ['busiest', 'name', 'left'];

	public function name(): string
	{
		return 'top';
	}

	public function summary(): string
	{
		return 'a live view: the busiest locks, who waits, changes of hands a second';
	}

	public function usage(): string
	{
		return '[OPTION]… [PATTERN]';
	}

	public function description(): string
	{
		return <<<'TEXT'
			Follows the locks that match PATTERN, at most 500. Keys: q ends it, s sorts by another column. Where stdout is no
			terminal it prints one screen after another.

			HANDS/S is how often the fence was another one than at the look before: with > it changes faster than we look.
			BUSY is the share of looks at which somebody held the lock. The line above counts exactly, for the whole server:
			waiters are clients that block, hand-overs are RPUSH commands; other programs on that server count, too.
			TEXT;
	}

	public function options(): array
	{
		return [
			new Option('interval', 'SECONDS', 'how often the screen is drawn (1)', 'i'),
			new Option('looks', 'N', 'how often a second to look at the locks, 1 to 50 (5)'),
			new Option('count', 'N', 'end after so many screens', 'n'),
			new Option('sort', 'COLUMN', 'busiest, name or left'),
		];
	}

	public function run(Arguments $arguments, Context $context): int
	{
		$words = $arguments->take(0, 1, 'top ' . $this->usage());
		$interval = $arguments->seconds('interval', 1, 0.1, 3600);
		$looks = $arguments->whole('looks', 5, 1, 50);
		$count = $arguments->has('count') ? $arguments->whole('count', 1, 1, PHP_INT_MAX >> 32) : null;
		$by = $arguments->value('sort') ?? 'busiest';
		in_array($by, self::ORDERS, true) || throw new UsageError('--sort must be busiest, name or left');
		function_exists('pcntl_signal') || throw new Stop('top needs the PHP extension pcntl', ExitCode::CONFIG);
		$sampler = new Sampler($context, $words[0] ?? '*');
		$sampler->askServers();
		$sampler->look();
		if ($sampler->problem !== null) {
			throw new Stop($sampler->problem, ExitCode::UNAVAILABLE);
		}
		$view = new View($context->out->terminal, $context->prefix, $context->isQuorum());
		$screen = $context->out->json || !stream_isatty(STDOUT) ? null : new Screen($context->out->terminal);
		(new Signals())->throwing();
		try {
			$screen?->open();
			for ($drawn = 0; $count === null || $drawn < $count; $drawn++) {
				if (!$this->wait($sampler, $interval, $looks, $screen, $by)) {
					return ExitCode::OK;
				}
				$sampler->askServers();
				$this->draw($context, $sampler, $view, $screen, $by, $interval);
			}
			return ExitCode::OK;
		} finally {
			$screen?->close();
		}
	}

	/** Looks at the locks for one interval. False: the user wants to end. */
	private function wait(Sampler $sampler, float $interval, int $looks, ?Screen $screen, string &$by): bool
	{
		for ($end = hrtime(true) / 1e9 + $interval; ($left = $end - hrtime(true) / 1e9) > 0;) {
			$key = $screen === null ? (usleep((int) (min($left, 1 / $looks) * 1e6)) ?? '') : $screen->key(min($left, 1 / $looks));
			if ($key === 'q') {
				return false;
			}
			if ($key === 's') {
				$by = self::ORDERS[(array_search($by, self::ORDERS, true) + 1) % count(self::ORDERS)];
				return true;
			}
			$sampler->look();
		}
		return true;
	}

	private function draw(Context $context, Sampler $sampler, View $view, ?Screen $screen, string $by, float $interval): void
	{
		if ($context->out->json) {
			$context->out->json([
				'time' => gmdate('Y-m-d\TH:i:s\Z'), 'problem' => $sampler->problem,
				'servers' => array_map(fn (Server $server) => $server->forJson(), $sampler->servers()),
				'locks' => array_map(fn (Row $row) => $row->forJson(), $sampler->rows($by)),
			]);
			return;
		}
		[$width, $height] = $context->out->terminal->size();
		if ($screen === null) {
			Output::write(implode("\n", $view->lines($sampler, $by, $interval, $width, null)) . "\n\n");
		} else {
			$screen->draw($view->lines($sampler, $by, $interval, $width, $height), "q ends · s sorts (by $by)");
		}
	}
}
