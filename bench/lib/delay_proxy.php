<?php
declare(strict_types=1);

namespace Bench;

/** Servers behind a network whose round trip takes a given time, and whose connections can be made to lead nowhere. */
final class DelayProxy
{
	private string $folder;
	/** @var resource */
	private $process;
	/** @var array<int, resource> */
	private array $pipes = [];
	private int $owner;

	/** @param list<\RedisServer> $servers */
	public function __construct(array $servers, int $microseconds)
	{
		$this->owner = posix_getpid();
		$this->folder = sys_get_temp_dir() . '/redislock-delay-' . bin2hex(random_bytes(4));
		mkdir($this->folder, 0700);
		build(__DIR__ . '/delay_proxy.c', "$this->folder/delay_proxy");
		$arguments = [];
		foreach ($servers as $i => $server) {
			array_push($arguments, $this->socket($i), $server->socket, (string) $microseconds);
		}
		$this->process = proc_open(["$this->folder/delay_proxy", ...$arguments], [['pipe', 'r'], ['pipe', 'w'], STDERR], $this->pipes);
		$this->hear('ready');
	}

	public function socket(int $i): string
	{
		return "$this->folder/$i.sock";
	}

	public function dsn(int $i): string
	{
		return 'unix://' . $this->socket($i);
	}

	/** From now on the connections to this server lead nowhere, and nobody is told. */
	public function swallow(int $i): void
	{
		fwrite($this->pipes[0], "swallow $i\n");
		$this->hear('done');
	}

	/** And they work again. */
	public function pass(int $i): void
	{
		fwrite($this->pipes[0], "pass $i\n");
		$this->hear('done');
	}

	private function hear(string $expected): void
	{
		trim((string) fgets($this->pipes[1])) === $expected || throw new \RuntimeException('the proxy ended');
	}

	public function __destruct()
	{
		array_map('fclose', $this->pipes);
		if (posix_getpid() === $this->owner) {
			proc_terminate($this->process);
			proc_close($this->process);
			array_map('unlink', glob("$this->folder/*"));
			rmdir($this->folder);
		}
	}
}
