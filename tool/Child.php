<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** The command that `run` runs. */
final class Child
{
	private readonly string $program;
	public int $pid = 0;

	/**
	 * @param list<string> $command
	 * @param bool $ownGroup in a process group of its own
	 * @throws Stop if there is no such program: known before the lock is taken
	 */
	public function __construct(private readonly array $command, public readonly bool $ownGroup)
	{
		$this->program = self::find($command[0]) ?? throw new Stop(
			'cannot run ' . Text::printable($command[0]) . ': there is no such program, or it may not be run',
			ExitCode::UNAVAILABLE,
		);
	}

	public function start(Signals $signals): void
	{
		$pid = pcntl_fork();
		if ($pid === -1) {
			throw new Stop('cannot fork: ' . pcntl_strerror(pcntl_get_last_error()), ExitCode::OS);
		}
		if ($pid === 0) {
			$this->ownGroup && posix_setpgid(0, 0);
			$signals->restore();
			@pcntl_exec($this->program, array_slice($this->command, 1));
			$problem = pcntl_get_last_error();
			if ($problem === PCNTL_ENOEXEC) {
				// A script that does not say what runs it is run by the shell, as execvp() does.
				@pcntl_exec('/bin/sh', [$this->program, ...array_slice($this->command, 1)]);
			}
			@fwrite(STDERR, "redislock: cannot run $this->program: " . pcntl_strerror($problem) . "\n");
			// The child of a fork owns no lock, so the way out gives nothing back.
			exit(ExitCode::UNAVAILABLE);
		}
		// Whoever of both is first: a signal to the group must not come too early.
		$this->ownGroup && @posix_setpgid($pid, $pid);
		$this->pid = $pid;
	}

	/** To the whole group, if it has one of its own. */
	public function signal(int $signal): void
	{
		$this->pid > 0 && @posix_kill($this->ownGroup ? -$this->pid : $this->pid, $signal);
	}

	/** Its exit status as a shell has it, if it has ended. */
	public function ended(): ?int
	{
		if (pcntl_waitpid($this->pid, $status, WNOHANG) !== $this->pid) {
			return null;
		}
		return pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 128 + pcntl_wtermsig($status);
	}

	/** As execvp() would find it. */
	private static function find(string $name): ?string
	{
		$runnable = fn (string $file): bool => is_file($file) && is_executable($file);
		if (str_contains($name, '/')) {
			return $runnable($name) ? $name : null;
		}
		foreach ($name === '' ? [] : explode(':', (string) (getenv('PATH') ?: '/usr/local/bin:/usr/bin:/bin')) as $folder) {
			$file = ($folder === '' ? '.' : $folder) . "/$name";
			if ($runnable($file)) {
				return $file;
			}
		}
		return null;
	}
}
