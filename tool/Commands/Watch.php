<?php
declare(strict_types=1);

namespace RedisLock\Tool\Commands;

use RedisLock\Tool\Arguments;
use RedisLock\Tool\Command;
use RedisLock\Tool\Context;
use RedisLock\Tool\ExitCode;
use RedisLock\Tool\LockState;
use RedisLock\Tool\NoAnswer;
use RedisLock\Tool\Option;
use RedisLock\Tool\RespError;
use RedisLock\Tool\Text;

final class Watch extends Command
{
	public function name(): string
	{
		return 'watch';
	}

	public function summary(): string
	{
		return 'a line whenever a lock changes hands, is given back or waited for';
	}

	public function usage(): string
	{
		return '[OPTION]… NAME';
	}

	public function description(): string
	{
		return <<<'TEXT'
			Looks at one lock again and again and prints a line when what it sees is another than before. What happens
			between two looks is not seen: of two changes of hands within one interval only the last one shows. A server
			that does not answer is reported once, and asked again.
			TEXT;
	}

	public function options(): array
	{
		return [
			new Option('interval', 'SECONDS', 'how often to look (0.2)', 'i'),
			new Option('until', 'STATE', 'end as soon as it is free, or held'),
			new Option('for', 'SECONDS', 'end after that time'),
		];
	}

	public function exitCodes(): array
	{
		return [ExitCode::NO => 'with --until and --for: the time was over before'];
	}

	public function run(Arguments $arguments, Context $context): int
	{
		[$name] = $arguments->take(1, 1, 'watch ' . $this->usage());
		$interval = $arguments->seconds('interval', 0.2, 0.01, 3600);
		$for = $arguments->has('for') ? $arguments->seconds('for', 0, 0.01, 31536000) : null;
		$until = $arguments->value('until');
		in_array($until, [null, 'free', 'held'], true) || throw new \RedisLock\Tool\UsageError('--until must be free or held');
		// A name that cannot be one is refused here, before anything is sent.
		$context->client()->lock($name);
		$reader = $context->reader();
		$begin = hrtime(true);
		$last = null;
		$problem = null;
		while (true) {
			try {
				$state = $reader->state($name);
				if ($problem !== null) {
					$this->event($context, 'answers', $state, 'Redis answers again');
					$problem = null;
				}
				foreach ($this->changes($last, $state) as [$event, $text]) {
					$this->event($context, $event, $state, $text);
				}
				$last = $state;
				if ($until !== null && $until === ($state->held() ? 'held' : 'free')) {
					return ExitCode::OK;
				}
			} catch (NoAnswer | RespError $failure) {
				// At the first look there is nothing to wait for: the address or the rights are wrong.
				$last !== null || $problem !== null || throw $failure;
				// What is wrong may change from look to look; that there is no answer is one event.
				if ($problem === null) {
					$problem = $failure->getMessage();
					$this->event($context, 'no-answer', null, $problem);
				}
			}
			$left = $for === null ? $interval : min($interval, $for - (hrtime(true) - $begin) / 1e9);
			if ($left <= 0) {
				return $until === null ? ExitCode::OK : ExitCode::NO;
			}
			usleep((int) ceil($left * 1e6));
		}
	}

	/** @return list<array{string, string}> what happened between two looks: event, text */
	private function changes(?LockState $last, LockState $now): array
	{
		$changes = [];
		$holder = $now->held() ? 'by ' . $now->owner() . ', fence ' . ($now->fence ?? 'none') . ', ' . Text::duration($now->remaining) . ' left' : '';
		if ($last === null) {
			$changes[] = $now->held() ? ['held', "held $holder"] : [$now->word(), $now->word()];
		} elseif ($now->token !== $last->token || ($now->held() && $now->fence !== $last->fence)) {
			$changes[] = match (true) {
				!$now->held() => [
					$now->reserved ? 'reserved' : 'free',
					$now->reserved ? 'given back, reserved for the first who waits' : 'free',
				],
				default => ['acquired', "acquired $holder"],
			};
		} elseif ($now->reserved !== $last->reserved) {
			$changes[] = [$now->word(), $now->word()];
		} elseif ($now->held() && $now->remaining > $last->remaining) {
			$changes[] = ['renewed', 'renewed, ' . Text::duration($now->remaining) . ' left'];
		}
		if ($now->waiters !== ($last !== null && $last->waiters)) {
			$changes[] = $now->waiters ? ['waiting', 'somebody waits'] : ['nobody-waits', 'nobody waits any more'];
		}
		return $changes;
	}

	private function event(Context $context, string $event, ?LockState $state, string $text): void
	{
		[$whole, $fraction] = explode('.', sprintf('%.3f', microtime(true)));
		$context->out->json(
			[
				'time' => gmdate('Y-m-d\TH:i:s', (int) $whole) . ".{$fraction}Z",
				'event' => $event,
				'text' => $text,
				'lock' => $state?->forJson(),
			],
		);
		$context->out->line(date('H:i:s', (int) $whole) . ".$fraction  $text");
	}
}
