<?php
declare(strict_types=1);

namespace Chaos;

use RuntimeException;

/**
 * A TCP port that leads to a unix socket, in a process of its own (proxy.php). The faults of a network are made here.
 */
final class Proxy
{
	public readonly int $port;

	private readonly Process $process;

	public function __construct(string $folder, string $name, string $upstream)
	{
		$file = "$folder/$name.port";
		$this->process = new Process([PHP_BINARY, '-n', __DIR__ . '/../proxy.php', $upstream, $file], "$folder/$name.log");
		$until = hrtime(true) + 10e9;
		while (!is_file($file)) {
			if ($this->process->end() !== null || hrtime(true) > $until) {
				throw new RuntimeException('the proxy does not start: ' . @file_get_contents("$folder/$name.log"));
			}
			usleep(1_000);
		}
		$this->port = (int) file_get_contents($file);
	}

	/** Closes every connection. */
	public function cut(): void
	{
		$this->process->write("cut\n");
	}

	/** Passes on what arrives from now on so many milliseconds later; 0: at once. */
	public function delay(int $milliseconds): void
	{
		$this->process->write("delay $milliseconds\n");
	}

	/** Passes nothing on, and tells nobody, until resume(). */
	public function hold(): void
	{
		$this->process->write("hold\n");
	}

	public function resume(): void
	{
		$this->process->write("resume\n");
	}

	/** Where new connections lead to. */
	public function leadTo(string $socket): void
	{
		$this->process->write("upstream $socket\n");
	}

	public function kill(): void
	{
		$this->process->kill();
	}
}
