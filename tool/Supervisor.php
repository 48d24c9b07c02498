<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/**
 * Keeps the lease alive while a command runs, passes signals on to it, and ends it when the lease is lost.
 *
 * The lease is renewed after each third of it. When a renewal has no answer the old lease stands, and it is tried again;
 * the command is told while a fifth of the lease (at most five seconds) is still left, so that it can stop in time.
 */
final class Supervisor
{
	/** The lease was lost, or the command was told that it is about to end. */
	public bool $lost = false;

	private readonly int $begin;
	private int $nextRenewal;
	private ?int $killAt = null;
	private bool $bounded = false;

	/** @param \Closure(string, string): void $say event, text */
	public function __construct(
		private readonly \RedisLock $lock,
		private readonly Child $child,
		private readonly Signals $signals,
		private readonly float $maxTime,
		private readonly int $lostSignal,
		private readonly float $killAfter,
		private readonly \Closure $say,
	) {
		$this->begin = hrtime(true);
		$this->nextRenewal = $this->begin + $this->third();
	}

	/** @return int the exit status of the command */
	public function run(): int
	{
		$this->child->start($this->signals);
		($this->say)('started', "held, fence {$this->lock->fence()}: process {$this->child->pid} runs");
		while (($status = $this->child->ended()) === null) {
			$signal = $this->signals->next($this->pause());
			if ($signal !== null && $signal[0] !== SIGCHLD) {
				$this->pass(...$signal);
			}
			$this->killAt !== null ? $this->killInTime() : $this->keep();
		}
		return $status;
	}

	/** How long nothing need be done, in seconds. */
	private function pause(): float
	{
		$now = hrtime(true);
		if ($this->killAt !== null) {
			return $this->killAt === PHP_INT_MAX ? 60.0 : ($this->killAt - $now) / 1e9;
		}
		$until = $this->lock->remaining() - $this->margin();
		return max(0.0, $this->bounded ? $until : min($until, ($this->nextRenewal - $now) / 1e9));
	}

	private function keep(): void
	{
		$now = hrtime(true);
		if (!$this->bounded && $now >= $this->nextRenewal) {
			$left = $this->maxTime - ($now - $this->begin) / 1e9;
			if ($left <= 0) {
				$this->bounded = true;
				($this->say)('max-time', "ran for {$this->maxTime} s: the lease is not renewed any more");
			} else {
				$this->renew();
			}
		}
		if (!$this->lost && $this->lock->remaining() <= $this->margin()) {
			$this->tell($this->lock->isHeld() ? 'the lease ends and is not renewed' : 'the lease is over');
		}
	}

	private function renew(): void
	{
		try {
			if (!$this->lock->renew()) {
				$this->tell('the lock is not ours any more');
				return;
			}
			$this->nextRenewal = hrtime(true) + $this->third();
		} catch (\RedisLock\FailureException $problem) {
			($this->say)(
				'not-renewed',
				'the lease cannot be renewed, ' . Text::duration($this->lock->remaining()) . ' are left: ' . $problem->getMessage(),
			);
			$this->nextRenewal = hrtime(true) + (int) min(1e9, $this->third() / 4);
		}
	}

	private function tell(string $why): void
	{
		$this->lost = true;
		($this->say)('lost', "$why: " . Signals::name($this->lostSignal) . ' to the command');
		$this->child->signal($this->lostSignal);
		// Whoever is stopped cannot end.
		$this->child->signal(SIGCONT);
		$this->killAt = $this->killAfter > 0 ? hrtime(true) + (int) ($this->killAfter * 1e9) : PHP_INT_MAX;
	}

	private function killInTime(): void
	{
		if (hrtime(true) >= $this->killAt) {
			($this->say)('killed', "the command did not end within {$this->killAfter} s: SIGKILL");
			$this->child->signal(SIGKILL);
			$this->killAt = PHP_INT_MAX;
		}
	}

	/** @param bool $fromTerminal it went to our whole process group */
	private function pass(int $signal, bool $fromTerminal): void
	{
		if ($this->child->ownGroup || !$fromTerminal) {
			// A group that is not the terminal's own may ignore SIGTSTP.
			$this->child->signal($signal === SIGTSTP && $this->child->ownGroup ? SIGSTOP : $signal);
		}
		if ($signal === SIGTSTP) {
			posix_kill(posix_getpid(), SIGSTOP);
		}
	}

	private function third(): int
	{
		return (int) ($this->lock->ttl / 3 * 1e9);
	}

	private function margin(): float
	{
		return min(5.0, $this->lock->ttl / 5);
	}
}
