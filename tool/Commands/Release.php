<?php
declare(strict_types=1);

namespace RedisLock\Tool\Commands;

use RedisLock\Tool\Arguments;
use RedisLock\Tool\Command;
use RedisLock\Tool\Context;
use RedisLock\Tool\ExitCode;
use RedisLock\Tool\Option;
use RedisLock\Tool\Stop;
use RedisLock\Tool\Text;
use RedisLock\Tool\UsageError;

final class Release extends Command
{
	public function name(): string
	{
		return 'release';
	}

	public function summary(): string
	{
		return 'give a lock back by its token, or take it from its holder';
	}

	public function usage(): string
	{
		return '[OPTION]… NAME';
	}

	public function description(): string
	{
		return <<<'TEXT'
			With a token: gives the lock back for a holder that is elsewhere, if that token holds it. The token is read from
			--token, --token-file or REDISLOCK_TOKEN; on the command line others can see it.

			With --force: takes the lock from whoever holds it. The holder is NOT told: it goes on working until its next
			renew() or release(), while somebody else gets the lock. Only writes that carry the fence are kept out. So do it
			only when the holder is dead, or must go. It shows the holder, asks, and takes the lock only if the same holder
			still has it.
			TEXT;
	}

	public function options(): array
	{
		return [
			new Option('token', 'TOKEN', 'the token of the holder'),
			new Option('token-file', 'FILE', 'the token from a file, - is stdin'),
			new Option('force', null, 'whoever holds it loses it'),
			new Option('yes', null, 'do not ask, for --force without a terminal', 'y'),
		];
	}

	public function exitCodes(): array
	{
		return [ExitCode::NO => 'nothing was given back: not held by that token, free, another holder by now, or you said no'];
	}

	public function run(Arguments $arguments, Context $context): int
	{
		[$name] = $arguments->take(1, 1, 'release ' . $this->usage());
		return $arguments->has('force') ? $this->force($name, $arguments, $context) : $this->byToken($name, $arguments, $context);
	}

	private function byToken(string $name, Arguments $arguments, Context $context): int
	{
		$token = $arguments->value('token');
		if (($file = $arguments->value('token-file')) !== null) {
			$token === null || throw new UsageError('--token and --token-file cannot go together');
			$token = @file_get_contents($file === '-' ? 'php://stdin' : $file);
			$token !== false || throw new UsageError('--token-file: cannot read ' . Text::printable($file));
			$token = rtrim($token, "\r\n");
		}
		$token ??= (string) getenv('REDISLOCK_TOKEN');
		$token !== '' || throw new UsageError(
			'a token is needed (--token, --token-file or REDISLOCK_TOKEN), or --force',
		);
		$released = $context->client()->release($name, $token);
		return $this->say(
			$name,
			$released,
			$released ? 'given back' : 'nothing done: that token does not hold it',
			$context,
		);
	}

	private function force(string $name, Arguments $arguments, Context $context): int
	{
		if ($arguments->has('token') || $arguments->has('token-file')) {
			throw new UsageError('--force and a token cannot go together');
		}
		$terminal = $context->out->terminal;
		if (!$arguments->has('yes') && !$terminal->canAsk()) {
			throw new UsageError(
				'--force asks first, and there is no terminal to ask on: --yes if you know what you do',
			);
		}
		$client = $context->client();
		$shown = Text::printable($name);
		try {
			$seen = $client->inspect($name);
		} catch (\RedisLock\ServerException $problem) {
			// What is there is no lock; deleting it is still what was asked for.
			$problem->redisCode === 'WRONGTYPE' || throw $problem;
			$seen = null;
		}
		if ($seen !== null && !$seen['held'] && !$this->somewhere($name, $context)) {
			return $this->say($name, false, 'nothing done: nobody holds it', $context);
		}
		if (!$arguments->has('yes') && !$terminal->confirm($this->warning($shown, $seen), $shown)) {
			return $this->say($name, false, 'nothing done: you did not say yes', $context);
		}
		if ($seen === null || !$seen['held']) {
			$taken = $client->forceRelease($name);
			return $this->say(
				$name,
				$taken,
				$taken ? 'taken away' : 'nothing done: nothing is there any more',
				$context,
			);
		}
		// By its token, so that nobody else loses it who got it while we asked.
		try {
			$taken = $client->release($name, $seen['token']);
		} catch (\ValueError) {
			throw new Stop(
				'its holder has a token that cannot be named; delete the key ' . Text::printable($context->keys->lock($name)) . ' with DEL',
				ExitCode::NO,
			);
		}
		return $this->say(
			$name,
			$taken,
			$taken ? 'taken away' : 'nothing done: that holder does not have it any more; look again',
			$context,
		);
	}

	/** On a quorum: does at least one node hold it for somebody, though no majority does? */
	private function somewhere(string $name, Context $context): bool
	{
		return $context->isQuorum() && ($context->reader()->state($name)->nodes ?? 0) > 0;
	}

	/** @param array<string, mixed>|null $seen */
	private function warning(string $shown, ?array $seen): string
	{
		$state = match (true) {
			$seen === null => 'its key holds something that is no lock',
			!$seen['held'] => 'some nodes hold it, but no majority: it ends by itself with those leases',
			default => 'held by ' . Text::owner($seen['token']) . ', fence ' . ($seen['fence'] ?? 'none') . ', ' . Text::duration($seen['remaining']) . ' of its lease left, '
				. ($seen['waiters'] ? 'somebody waits for it' : 'nobody waits'),
		};
		return "$shown: $state.\nIts holder loses it without being told and goes on working; from now on somebody else can do the same work.\nOnly writes that carry the fence are kept out.";
	}

	private function say(string $name, bool $done, string $what, Context $context): int
	{
		$context->out->json(Text::nameInJson($name) + ['released' => $done, 'text' => $what]);
		$context->out->line(Text::printable($name) . ": $what");
		return $done ? ExitCode::OK : ExitCode::NO;
	}
}
