<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests\Support;

use RuntimeException;

/** A process that a test has started. It ends with the test, whatever happens. */
final class Process
{
	/** Seconds: only to catch a process that hangs. */
	private const PATIENCE = 60;

	/** @var resource|null */
	private $process;

	private string $output;

	public readonly int $pid;

	private ?int $status = null;

	/**
	 * @param list<string> $command
	 * @param array<string, string> $environment
	 */
	public function __construct(array $command, string $folder, array $environment)
	{
		$this->output = tempnam($_SERVER['TEST_WORK'], 'out');
		$process = proc_open($command, [['file', '/dev/null', 'r'], ['file', $this->output, 'w'], ['redirect', 1]], $pipes, $folder, $environment);
		$this->process = $process ?: throw new RuntimeException('cannot start ' . implode(' ', $command));
		$this->pid = proc_get_status($process)['pid'];
	}

	public function __destruct()
	{
		$this->end();
	}

	public function signal(int $signal): void
	{
		posix_kill($this->pid, $signal);
	}

	/** Waits until it ends. Returns its exit status, or minus the signal that has ended it. */
	public function wait(): int
	{
		$end = hrtime(true) + self::PATIENCE * 1e9;
		while ($this->status === null) {
			$status = proc_get_status($this->process);
			if (!$status['running']) {
				$this->status = $status['signaled'] ? -$status['termsig'] : $status['exitcode'];
			} elseif (hrtime(true) > $end) {
				throw new RuntimeException('it does not end: ' . $this->output());
			} else {
				usleep(5000);
			}
		}
		return $this->status;
	}

	public function output(): string
	{
		return (string) file_get_contents($this->output);
	}

	public function end(): void
	{
		if ($this->process === null) {
			return;
		}
		if (proc_get_status($this->process)['running']) {
			$this->signal(SIGCONT);
			$this->signal(SIGKILL);
		}
		proc_close($this->process);
		$this->process = null;
		@unlink($this->output);
	}
}
