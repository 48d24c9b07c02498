<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\Support;

use RedisLock\Client;
use RuntimeException;

/** A redis-server of the tests' own, on a unix socket. It ends with this process, whatever happens to it. */
final class Redis
{
	private static ?self $shared = null;

	public readonly string $dsn;
	private readonly string $folder;

	/** @var resource|null */
	private $process = null;

	public function __construct()
	{
		$this->folder = Folder::make('redis');
		$this->dsn = 'redislock+unix://' . $this->folder . '/redis.sock';
		$this->start();
	}

	/** One for all tests that do not stop it. Each test uses names of its own. */
	public static function shared(): self
	{
		return self::$shared ??= new self();
	}

	public function client(?float $timeout = null, ?float $retryFor = null): Client
	{
		return new Client('unix://' . $this->folder . '/redis.sock', 'test:', timeout: $timeout, retryFor: $retryFor);
	}

	public function start(): void
	{
		$log = ['file', $this->folder . '/log', 'a'];
		$this->process = proc_open(
			['setpriv', '--pdeathsig', 'KILL', 'redis-server', '--port', '0', '--unixsocket', $this->folder . '/redis.sock', '--dir', $this->folder, '--save', '', '--appendonly', 'no'],
			[['file', '/dev/null', 'r'], $log, $log],
			$pipes,
		) ?: throw new RuntimeException('redis-server does not start');
		Eventually::true('redis-server answers', fn () => $this->answers());
	}

	public function kill(): void
	{
		if ($this->process !== null) {
			proc_terminate($this->process, SIGKILL);
			proc_close($this->process);
			$this->process = null;
		}
	}

	/** One command of redis-cli, its output without the last line feed. */
	public function command(string ...$words): string
	{
		$process = proc_open(['redis-cli', '-s', $this->folder . '/redis.sock', ...$words], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
		$output = (string) stream_get_contents($pipes[1]);
		proc_close($process);
		return rtrim($output, "\n");
	}

	private function answers(): bool
	{
		$status = proc_get_status($this->process);
		if (!$status['running']) {
			throw new RuntimeException('redis-server ended: ' . file_get_contents($this->folder . '/log'));
		}
		return $this->command('PING') === 'PONG';
	}
}
