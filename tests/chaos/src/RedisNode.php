<?php
declare(strict_types=1);

namespace Chaos;

use RuntimeException;

/** A redis-server on a unix socket. */
final class RedisNode
{
	public readonly string $socket;

	private ?Process $process = null;

	public function __construct(private readonly string $folder, private readonly string $shim, private readonly Clock $clock)
	{
		mkdir($folder, 0700);
		$this->socket = "$folder/redis.sock";
	}

	public function start(): void
	{
		$this->process = new Process(
			[
				'redis-server', '--port', '0', '--unixsocket', $this->socket, '--dir', $this->folder,
				'--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0', '--repl-timeout', '5',
				'--maxmemory-policy', 'noeviction', '--enable-debug-command', 'local',
			],
			"$this->folder/log",
			['LD_PRELOAD' => $this->shim, 'CLOCK_SHIFT_FILE' => $this->clock->file],
		);
		$until = hrtime(true) + 20e9;
		while (true) {
			try {
				if ($this->command('PING') === '+PONG') {
					return;
				}
			} catch (RuntimeException) {
			}
			if ($this->process->end() !== null || hrtime(true) > $until) {
				throw new RuntimeException("redis-server does not start: see $this->folder/log");
			}
			usleep(1_000);
		}
	}

	/** Dies at once. What it has saved stays, if it is to be kept. */
	public function kill(bool $keepFile = false): void
	{
		$this->process?->kill();
		@unlink($this->socket);
		if (!$keepFile) {
			@unlink("$this->folder/dump.rdb");
		}
	}

	/** The first line of the answer. */
	public function command(string ...$words): string
	{
		$connection = @stream_socket_client("unix://$this->socket", $number, $text, 2.0);
		if ($connection === false) {
			throw new RuntimeException("cannot connect to Redis: $text");
		}
		stream_set_timeout($connection, 5);
		$request = '*' . count($words) . "\r\n";
		foreach ($words as $word) {
			$request .= '$' . strlen($word) . "\r\n$word\r\n";
		}
		fwrite($connection, $request);
		$line = fgets($connection);
		return $line === false ? throw new RuntimeException('Redis does not answer') : rtrim($line);
	}

	/** A line of INFO, or null. */
	public function info(string $section, string $field): ?string
	{
		$connection = stream_socket_client("unix://$this->socket", $number, $text, 2.0);
		fwrite($connection, "INFO $section\r\n");
		stream_set_timeout($connection, 5);
		$text = stream_get_contents($connection, (int) substr((string) fgets($connection), 1));
		return preg_match("/^$field:(.*?)\r?$/m", (string) $text, $match) ? $match[1] : null;
	}
}
