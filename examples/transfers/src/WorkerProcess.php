<?php
declare(strict_types=1);

namespace Transfers;

use Closure;
use RuntimeException;
use Throwable;

/** A worker process, seen from its parent. */
final class WorkerProcess
{
	/** What the worker is busy with; null: it waits for work. */
	public ?Transfer $transfer = null;

	private bool $alive = true;

	private function __construct(
		public readonly int $number,
		private readonly int $pid,
		public readonly Channel $channel,
	) {
	}

	/**
	 * @param Closure(Channel): void $main what the process does
	 * @param array<self> $others the ones started before
	 */
	public static function start(int $number, Closure $main, array $others): self
	{
		[$ours, $theirs] = Channel::pair();
		// Between the fork and the child's first line, a signal would run the parent's handler in the child.
		pcntl_sigprocmask(SIG_BLOCK, Signals::ENDING, $old);
		$pid = pcntl_fork();
		if ($pid === 0) {
			Signals::leaveToParent();
			pcntl_sigprocmask(SIG_SETMASK, $old);
			// An end that stays open in a second process never reports that the first one has died.
			$ours->close();
			foreach ($others as $other) {
				$other->close();
			}
			exit(self::runChild($main, $theirs));
		}
		pcntl_sigprocmask(SIG_SETMASK, $old);
		$theirs->close();
		if ($pid < 0) {
			throw new RuntimeException('no process to be had');
		}
		return new self($number, $pid, $ours);
	}

	private static function runChild(Closure $main, Channel $channel): int
	{
		try {
			$main($channel);
			return 0;
		} catch (Throwable $error) {
			$channel->send(['error' => sprintf('%s: %s', $error::class, $error->getMessage())]);
			return 1;
		}
	}

	public function isAlive(): bool
	{
		return $this->alive;
	}

	/** Stops the process as a frozen container would; returns when it has stopped. */
	public function stop(): void
	{
		posix_kill($this->pid, SIGSTOP);
		$status = $this->wait(WUNTRACED);
		if (!pcntl_wifstopped($status)) {
			$this->alive = false;
			throw new RuntimeException("worker $this->number ended when it was to be stopped");
		}
	}

	/** Lets a worker go on that waits before it writes. If it is stopped, it does so when it is continued. */
	public function goOn(): void
	{
		$this->channel->send(['goOn' => true]);
	}

	/** The opposite of stop(). */
	public function continue(): void
	{
		posix_kill($this->pid, SIGCONT);
	}

	/** Kills the process, also a stopped one: it gets no chance to give anything back. Returns when it is gone. */
	public function kill(): void
	{
		if ($this->alive) {
			$this->alive = false;
			posix_kill($this->pid, SIGKILL);
			$this->wait();
			$this->close();
		}
	}

	/** The process has closed its end, or we close ours: it is about to end. Says how it ended; null: well. */
	public function end(): ?string
	{
		$this->alive = false;
		$this->close();
		$status = $this->wait();
		return match (true) {
			pcntl_wifsignaled($status) =>
				sprintf('worker %d died of signal %d', $this->number, pcntl_wtermsig($status)),
			pcntl_wexitstatus($status) !== 0 =>
				sprintf('worker %d ended with status %d', $this->number, pcntl_wexitstatus($status)),
			default => null,
		};
	}

	private function close(): void
	{
		$this->channel->close();
	}

	/** The status as waitpid(2) gives it. */
	private function wait(int $flags = 0): int
	{
		do {
			$pid = pcntl_waitpid($this->pid, $status, $flags);
		} while ($pid < 0 && pcntl_get_last_error() === PCNTL_EINTR);
		if ($pid !== $this->pid) {
			throw new RuntimeException("worker $this->number is not our child any more");
		}
		return $status;
	}
}
