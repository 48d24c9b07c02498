<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\Support;

use Closure;
use RuntimeException;
use Throwable;

/** A forked child that runs a closure. The two talk in lines. */
final class Child
{
	/** @param resource $socket */
	private function __construct(public readonly int $pid, private $socket)
	{
	}

	/**
	 * @param Closure(Closure(): string, Closure(string): void): void $work gets "listen" and "say"
	 * @param bool $clean the child ends as a script does, with destructors; otherwise by SIGKILL
	 */
	public static function fork(Closure $work, bool $clean = false): self
	{
		$pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
		$pid = pcntl_fork();
		if ($pid > 0) {
			fclose($pair[1]);
			stream_set_timeout($pair[0], 60);
			return new self($pid, $pair[0]);
		}
		fclose($pair[0]);
		try {
			$work(static fn () => rtrim((string) fgets($pair[1]), "\n"), static fn (string $line) => fwrite($pair[1], "$line\n"));
		} catch (Throwable $problem) {
			fwrite($pair[1], get_class($problem) . ': ' . strtr($problem->getMessage(), "\n", ' ') . "\n");
		}
		if ($clean) {
			// PHPUnit would print a summary of its own.
			ob_start(static fn () => '');
			exit(0);
		}
		posix_kill((int) getmypid(), SIGKILL);
		exit(1);
	}

	public function say(string $line): void
	{
		fwrite($this->socket, "$line\n");
	}

	public function listen(): string
	{
		$line = fgets($this->socket);
		return $line === false ? throw new RuntimeException('the child said nothing') : rtrim($line, "\n");
	}

	public function wait(): void
	{
		pcntl_waitpid($this->pid, $status);
	}
}
