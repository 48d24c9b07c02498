<?php
declare(strict_types=1);

namespace RedisLock\Tool\Commands;

use RedisLock\Tool\Application;
use RedisLock\Tool\Arguments;
use RedisLock\Tool\Child;
use RedisLock\Tool\Command;
use RedisLock\Tool\Context;
use RedisLock\Tool\ExitCode;
use RedisLock\Tool\Interrupted;
use RedisLock\Tool\Option;
use RedisLock\Tool\Signals;
use RedisLock\Tool\Stop;
use RedisLock\Tool\Supervisor;
use RedisLock\Tool\Text;
use RedisLock\Tool\UsageError;

final class Run extends Command
{
	public function name(): string
	{
		return 'run';
	}

	public function summary(): string
	{
		return 'run a command while a lock is held';
	}

	public function usage(): string
	{
		return '[OPTION]… NAME [--] COMMAND [ARGUMENT]…';
	}

	public function description(): string
	{
		return <<<'TEXT'
			Takes the lock NAME, runs COMMAND (a program, no shell: use sh -c for one), and gives the lock back when it ends.
			Its input and output are COMMAND's; what it has to say itself goes to stderr. COMMAND finds the fence in
			REDISLOCK_FENCE and the name in REDISLOCK_NAME.

			The lease is renewed while COMMAND runs, for --max-time at most. If it is lost, or is about to end and cannot be
			renewed, COMMAND is told by a signal (--signal) and killed --kill-after seconds later. Between two looks it may
			work without the lock: only a write that carries the fence is safe. If this process is killed by SIGKILL, COMMAND
			is not told at all.

			Signals are passed on to COMMAND. Without a terminal on stdin COMMAND gets a process group of its own, and
			signals go to all of it; with one it stays in ours, so that Ctrl-C and job control work as without us.
			TEXT;
	}

	public function options(): array
	{
		return [
			new Option('ttl', 'SECONDS', 'the lease (30)', 't'),
			new Option('wait', 'SECONDS', 'how long to wait in the queue for the lock (0)', 'w'),
			new Option('max-time', 'SECONDS', 'how long the lease is renewed at most (3600)', 'm'),
			new Option('signal', 'NAME', 'what COMMAND is told with when the lease is lost (TERM)'),
			new Option('kill-after', 'SECONDS', 'kill it that much later, 0: never (10)', 'k'),
			new Option('conflict-exit-code', 'N', 'the exit status if somebody else holds the lock (1)', 'E'),
			new Option('lost-exit-code', 'N', 'the exit status if the lease was lost (79)'),
			new Option('foreground', null, 'no process group of its own for COMMAND, also without a terminal'),
			new Option('verbose', null, 'also say when the lock is held', 'v'),
			new Option('quiet', null, 'do not say that somebody else holds the lock', 'q'),
		];
	}

	public function exitCodes(): array
	{
		return [
			ExitCode::OK => 'COMMAND ended with 0. Its exit status is ours; 128 + N if signal N ended it',
			ExitCode::NO => 'somebody else held the lock to the end of the wait (see --conflict-exit-code)',
			ExitCode::UNAVAILABLE => 'Redis could not be reached, or COMMAND cannot be run; nothing was run',
			ExitCode::LOST => 'the lease was lost while COMMAND ran (see --lost-exit-code)',
		];
	}

	public function runsAnother(): bool
	{
		return true;
	}

	public function run(Arguments $arguments, Context $context): int
	{
		$words = $arguments->take(2, PHP_INT_MAX, 'run ' . $this->usage());
		$ttl = $arguments->seconds('ttl', 30, 0.1, \RedisLock::MAX_TTL);
		$wait = $arguments->seconds('wait', 0, 0, \RedisLock::MAX_WAIT);
		$maxTime = $arguments->seconds('max-time', 3600, 0.1, \RedisLock::MAX_TTL);
		$killAfter = $arguments->seconds('kill-after', 10, 0, 86400);
		$conflict = $arguments->whole('conflict-exit-code', ExitCode::NO, 0, 255);
		$lost = $arguments->whole('lost-exit-code', ExitCode::LOST, 0, 255);
		$signal = Signals::number($arguments->value('signal') ?? 'TERM') ?? throw new UsageError(
			'--signal must be the name of a signal, such as TERM, INT or USR1',
		);
		foreach (['pcntl' => 'pcntl_fork', 'posix' => 'posix_setpgid'] as $extension => $function) {
			function_exists($function) || throw new Stop("run needs the PHP extension $extension", ExitCode::CONFIG);
		}
		// One command must not take longer than there is lease to renew.
		$lock = $context->client(max(0.05, $ttl / 6))->lock($words[0], $ttl);
		$child = new Child(array_slice($words, 1), !$arguments->has('foreground') && !stream_isatty(STDIN));
		$say = function (string $event, string $text) use ($arguments, $context, $words): void {
			$unwanted = ['started' => !$arguments->has('verbose'), 'conflict' => $arguments->has('quiet')];
			if ($context->out->json) {
				@fwrite(
					STDERR,
					\RedisLock\Tool\Output::encode(['event' => $event] + Text::nameInJson($words[0]) + ['text' => $text]) . "\n",
				);
			} elseif (!($unwanted[$event] ?? false)) {
				$context->out->note(Text::printable($words[0]) . ": $text");
			}
		};

		$signals = new Signals();
		// While we wait a signal ends us, and what was taken meanwhile is given back on the way out.
		$signals->throwing();
		try {
			$fence = $lock->acquire($wait);
			if ($fence === null) {
				$say('conflict', $wait > 0 ? 'somebody else held it for the whole wait' : 'somebody else holds it');
				return $conflict;
			}
			$signals->block();
		} catch (Interrupted $interrupted) {
			$this->giveBack($lock, $say);
			throw $interrupted;
		}
		putenv("REDISLOCK_FENCE=$fence");
		putenv("REDISLOCK_NAME=$words[0]");
		// Whoever may give the lock back is us, not what we run.
		putenv('REDISLOCK_TOKEN');
		$supervisor = new Supervisor($lock, $child, $signals, $maxTime, $signal, $killAfter, $say);
		$status = $supervisor->run();
		$given = $this->giveBack($lock, $say);
		if ($supervisor->lost || !$given) {
			$supervisor->lost || $say('lost', 'the lease was over before the command ended');
			return $lost;
		}
		return $status;
	}

	/** False: it was not ours any more. */
	private function giveBack(\RedisLock $lock, \Closure $say): bool
	{
		$valid = $lock->isHeld();
		try {
			return $lock->release();
		} catch (\RedisLock\RedisLockException $problem) {
			$say('not-released', 'cannot be given back, its lease will end it: ' . Application::message($problem));
			return $valid;
		}
	}
}
