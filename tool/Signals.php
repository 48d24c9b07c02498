<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** The signals that `run` and `top` care for. */
final class Signals
{
	/** What ends a program, or tells it something. */
	private const FORWARDED = ['HUP', 'INT', 'QUIT', 'TERM', 'USR1', 'USR2', 'WINCH', 'CONT', 'TSTP'];
	private const ENDING = ['HUP', 'INT', 'QUIT', 'TERM'];

	/** @var list<int> what whoever started us wants to be ignored, as nohup does with SIGHUP */
	private readonly array $ignored;
	/** @var list<int> as it was before block() */
	private array $mask = [];

	public function __construct()
	{
		// Both are ignored by what a shell runs in the background, so one tells of the other; and it leaves no core.
		$ignored = array_values(array_filter([SIGHUP, SIGINT, SIGTERM], self::isIgnored(...)));
		$this->ignored = in_array(SIGINT, $ignored, true) ? [...$ignored, SIGQUIT] : $ignored;
	}

	public static function number(string $name): ?int
	{
		$constant = 'SIG' . strtoupper(preg_replace('/^SIG/i', '', $name));
		return preg_match('/^SIG[A-Z]+[0-9]*$/', $constant) && !in_array($constant, ['SIGKILL', 'SIGSTOP'], true) && defined($constant) ? constant($constant) : null;
	}

	public static function name(int $number): string
	{
		foreach (['HUP', 'INT', 'QUIT', 'ABRT', 'KILL', 'USR1', 'SEGV', 'USR2', 'PIPE', 'ALRM', 'TERM', 'CONT', 'STOP', 'TSTP', 'WINCH'] as $name) {
			if (constant("SIG$name") === $number) {
				return "SIG$name";
			}
		}
		return "signal $number";
	}

	/** From now on a signal that ends a program throws Interrupted. */
	public function throwing(): void
	{
		pcntl_async_signals(true);
		foreach (array_diff(self::numbers(self::ENDING), $this->ignored) as $number) {
			pcntl_signal($number, static function (int $signal): never {
				throw new Interrupted($signal);
			});
		}
	}

	/** From now on signals wait until next() takes them. */
	public function block(): void
	{
		pcntl_sigprocmask(SIG_BLOCK, $this->waited(), $this->mask);
		pcntl_async_signals(false);
		foreach (self::numbers(self::ENDING) as $number) {
			in_array($number, $this->ignored, true) || pcntl_signal($number, SIG_DFL);
		}
	}

	/** In the child, before it becomes another program: as we found them. */
	public function restore(): void
	{
		// PHP ignores it, and what is ignored stays so.
		pcntl_signal(SIGPIPE, SIG_DFL);
		foreach ($this->ignored as $number) {
			pcntl_signal($number, SIG_IGN);
		}
		pcntl_sigprocmask(SIG_SETMASK, $this->mask);
	}

	/**
	 * Waits for the next signal.
	 *
	 * @return array{int, bool}|null the signal, and whether the terminal sent it (to all of our process group); null: none in time
	 */
	public function next(float $seconds): ?array
	{
		$seconds = max(0.0, $seconds);
		$number = @pcntl_sigtimedwait($this->waited(), $info, (int) $seconds, (int) (fmod($seconds, 1.0) * 1e9));
		return is_int($number) && $number > 0 ? [$number, ($info['code'] ?? 0) > 0] : null;
	}

	/** @return list<int> */
	private function waited(): array
	{
		return [SIGCHLD, ...array_values(array_diff(self::numbers(self::FORWARDED), $this->ignored))];
	}

	/** @param list<string> $names @return list<int> */
	private static function numbers(array $names): array
	{
		return array_map(fn (string $name): int => constant("SIG$name"), $names);
	}

	/**
	 * PHP puts a handler of its own before what it found, so neither it nor the system tells what that was. But a process
	 * that sends itself a signal ends by it, or does not.
	 */
	private static function isIgnored(int $signal): bool
	{
		$pid = pcntl_fork();
		if ($pid === 0) {
			posix_kill(posix_getpid(), $signal);
			// Without what PHP does at its end.
			posix_kill(posix_getpid(), SIGKILL);
		}
		return $pid > 0 && pcntl_waitpid($pid, $status) === $pid && !(pcntl_wifsignaled($status) && pcntl_wtermsig($status) === $signal);
	}
}
