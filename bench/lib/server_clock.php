<?php
declare(strict_types=1);

namespace Bench;

/** The wall clock of a server, to be set while it runs. Its monotonic clocks go on as they are. */
final class ServerClock
{
	private string $folder;

	public function __construct()
	{
		$this->folder = sys_get_temp_dir() . '/redislock-clock-' . bin2hex(random_bytes(4));
		mkdir($this->folder, 0700);
		$this->set(0);
		build(__DIR__ . '/../../tests/clock/shift.c', "$this->folder/clock.so", '-shared', '-fPIC');
		file_put_contents("$this->folder/redis-server", sprintf(
			"#!/bin/sh\nCLOCK_SHIFT_FILE=%s LD_PRELOAD=%s exec %s \"\$@\"\n",
			escapeshellarg("$this->folder/offset"),
			escapeshellarg("$this->folder/clock.so"),
			escapeshellarg(redis_binary()),
		));
		chmod("$this->folder/redis-server", 0700);
	}

	public function startServer(): \RedisServer
	{
		$before = getenv('TEST_REDIS_SERVER');
		putenv("TEST_REDIS_SERVER=$this->folder/redis-server");
		try {
			return \RedisServer::start();
		} finally {
			putenv($before === false ? 'TEST_REDIS_SERVER' : "TEST_REDIS_SERVER=$before");
		}
	}

	/** How far it is ahead of the true time. */
	public function set(int $seconds): void
	{
		// In place: the server has mapped the file.
		$file = fopen("$this->folder/offset", 'c');
		fwrite($file, pack('q', $seconds * 1_000_000));
		fclose($file);
	}

	public function __destruct()
	{
		array_map('unlink', glob("$this->folder/*"));
		rmdir($this->folder);
	}
}
