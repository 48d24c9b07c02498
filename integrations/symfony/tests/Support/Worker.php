<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\Support;

use RuntimeException;

/** A process that runs messenger:consume. It ends with this one, whatever happens to it. */
final class Worker
{
	public readonly int $pid;
	private readonly string $output;

	/** @var resource|null */
	private $process;
	private bool $mayEnd = false;
	private int $status = -1;

	/** @param list<string> $command */
	public function __construct(array $command, string $folder)
	{
		$this->output = "$folder/worker-" . bin2hex(random_bytes(4));
		$file = ['file', $this->output, 'a'];
		$this->process = proc_open($command, [['file', '/dev/null', 'r'], $file, $file], $pipes) ?: throw new RuntimeException('no worker');
		$this->pid = proc_get_status($this->process)['pid'];
	}

	public function signal(int $signal): void
	{
		$this->mayEnd = true;
		if ($this->process !== null) {
			posix_kill($this->pid, $signal);
		}
	}

	/** Its exit status; -1 if a signal ended it. */
	public function wait(): int
	{
		if ($this->process !== null) {
			$this->mayEnd = true;
			Eventually::true('the worker ends', function () {
				$status = proc_get_status($this->process);
				$this->status = $status['running'] || $status['signaled'] ? -1 : $status['exitcode'];
				return !$status['running'];
			});
			proc_close($this->process);
			$this->process = null;
		}
		return $this->status;
	}

	public function check(): void
	{
		if (!$this->mayEnd && !proc_get_status($this->process)['running']) {
			throw new RuntimeException('a worker has ended: ' . file_get_contents($this->output));
		}
	}

	public function output(): string
	{
		return (string) file_get_contents($this->output);
	}
}
