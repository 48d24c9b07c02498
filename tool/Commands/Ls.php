<?php
declare(strict_types=1);

namespace RedisLock\Tool\Commands;

use RedisLock\Tool\Arguments;
use RedisLock\Tool\Command;
use RedisLock\Tool\Context;
use RedisLock\Tool\ExitCode;
use RedisLock\Tool\LockState;
use RedisLock\Tool\Option;
use RedisLock\Tool\Text;

final class Ls extends Command
{
	public function name(): string
	{
		return 'ls';
	}

	public function summary(): string
	{
		return 'the locks there are: who holds them, how long, who waits';
	}

	public function usage(): string
	{
		return '[OPTION]… [PATTERN]';
	}

	public function description(): string
	{
		return <<<'TEXT'
			Lists the locks whose name matches PATTERN (* ? [a-z], as Redis has it; quote it for the shell), all without one.
			It uses SCAN, never KEYS, so it holds up nobody; what comes and goes meanwhile may be missing.

			OWNER is the beginning of the token's SHA-256: the same owner has the same, and nobody can give a lock back with
			it. LEFT is what is left of the lease by the server's clock. WAITING: somebody waits in the queue.
			TEXT;
	}

	public function options(): array
	{
		return [
			new Option('limit', 'N', 'stop after so many locks, 0: never (1000)', 'n'),
			new Option('held', null, 'only locks that somebody holds'),
			new Option('waiting', null, 'only locks that somebody waits for'),
		];
	}

	public function run(Arguments $arguments, Context $context): int
	{
		$words = $arguments->take(0, 1, 'ls ' . $this->usage());
		$limit = $arguments->whole('limit', 1000, 0, 100000000);
		$reader = $context->reader();
		$found = [];
		$more = false;
		$batch = [];
		foreach ($reader->names($words[0] ?? '*') as $name) {
			if ($limit > 0 && count($found) + count($batch) >= $limit) {
				// Of those in hand some may be gone by now, or not wanted.
				array_push($found, ...$this->wanted($reader->states($batch), $arguments));
				$batch = [];
				if (count($found) >= $limit) {
					$more = true;
					break;
				}
			}
			$batch[] = $name;
			if (count($batch) === 200) {
				array_push($found, ...$this->wanted($reader->states($batch), $arguments));
				$batch = [];
			}
		}
		array_push($found, ...$this->wanted($reader->states($batch), $arguments));
		usort($found, fn (LockState $a, LockState $b) => strnatcmp($a->name, $b->name));
		$this->show($found, $context);
		foreach ($reader->failed as $address => $problem) {
			$context->out->note("$address: $problem");
		}
		if ($more) {
			$context->out->note("there are more than $limit: --limit 0 shows all, a pattern shows fewer");
		}
		return ExitCode::OK;
	}

	/** @param list<LockState> $states @return list<LockState> */
	private function wanted(array $states, Arguments $arguments): array
	{
		return array_values(array_filter($states, fn (LockState $state) => ($state->held() || $state->reserved || ($state->nodes ?? 0) > 0)
			&& ($state->held() || !$arguments->has('held')) && ($state->waiters || !$arguments->has('waiting'))));
	}

	/** @param list<LockState> $states */
	private function show(array $states, Context $context): void
	{
		$out = $context->out;
		foreach ($out->json ? $states : [] as $state) {
			$out->json($state->forJson());
		}
		if ($out->json) {
			return;
		}
		if ($states === []) {
			$out->note('no lock matches');
			return;
		}
		$quorum = $context->isQuorum();
		$rows = array_map(fn (LockState $state) => [
			Text::printable($state->name),
			$out->terminal->paint($state->word(), $state->held() ? 'green' : 'yellow'),
			...($quorum ? ["$state->nodes/" . count($context->servers())] : []),
			$state->owner() ?? '-',
			Text::duration($state->remaining),
			(string) ($state->fence ?? '-'),
			$state->waiters ? $out->terminal->paint('yes', 'yellow') : 'no',
		], $states);
		$out->table(['NAME', 'STATE', ...($quorum ? ['NODES>'] : []), 'OWNER', 'LEFT>', 'FENCE>', 'WAITING'], $rows);
	}
}
