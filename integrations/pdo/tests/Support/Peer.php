<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests\Support;

use PDO;
use RuntimeException;

/**
 * A transaction in another process. ask() waits for the answer; send() does not, and waitUntilBlocked() then returns as
 * soon as the database says that the peer is waiting for somebody else.
 */
final class Peer
{
	/** Seconds. Nothing here takes nearly as long. */
	private const DEADLINE = 30.0;

	/** @var resource */
	private $process;

	/** @var array<int, resource> */
	private array $pipes = [];

	private readonly int $pid;

	/** What the database calls its connection. */
	private readonly int $connection;

	public function __construct(private readonly Server $server)
	{
		$this->process = proc_open([PHP_BINARY, __DIR__ . '/peer.php', $server->dsn], [['pipe', 'r'], ['pipe', 'w']], $this->pipes)
			?: throw new RuntimeException('cannot start PHP');
		$this->pid = proc_get_status($this->process)['pid'];
		$this->ask('exec', match ($server->driver) {
			'pgsql' => "SET lock_timeout = '20s'",
			'mysql' => 'SET innodb_lock_wait_timeout = 20',
			'sqlite' => 'PRAGMA busy_timeout = 20000',
		});
		$this->connection = match ($server->driver) {
			'pgsql' => (int) $this->ask('value', 'SELECT pg_backend_pid()'),
			'mysql' => (int) $this->ask('value', 'SELECT CONNECTION_ID()'),
			'sqlite' => 0,
		};
	}

	public function begin(string $level): void
	{
		foreach (Isolation::begin($this->server->driver, $level) as $statement) {
			$this->ask('exec', $statement);
		}
	}

	public function send(string $do, mixed ...$arguments): void
	{
		fwrite($this->pipes[0], base64_encode(serialize([$do, $arguments])) . "\n");
	}

	/** What the peer answers, or the exception that it has got. */
	public function hear(): mixed
	{
		$read = [$this->pipes[1]];
		$none = null;
		if (stream_select($read, $none, $none, (int) self::DEADLINE) !== 1 || ($line = fgets($this->pipes[1])) === false) {
			throw new RuntimeException('the peer does not answer');
		}
		$said = unserialize(base64_decode($line));
		return $said['exception'] ?? $said['answer'];
	}

	/** send() and hear(), for what must not fail. */
	public function ask(string $do, mixed ...$arguments): mixed
	{
		$this->send($do, ...$arguments);
		$answer = $this->hear();
		return $answer instanceof Problem ? throw new RuntimeException("the peer, at $do: $answer") : $answer;
	}

	/** send() and hear(), for what may fail. */
	public function attempt(string $do, mixed ...$arguments): mixed
	{
		$this->send($do, ...$arguments);
		return $this->hear();
	}

	/** Returns when the peer waits for another transaction. An answer instead is an error. */
	public function waitUntilBlocked(): void
	{
		$watcher = $this->server->driver === 'sqlite' ? null : $this->server->connect();
		$end = hrtime(true) + self::DEADLINE * 1e9;
		while (!$this->isBlocked($watcher)) {
			$read = [$this->pipes[1]];
			$none = null;
			// This is where the time between two looks passes.
			if (stream_select($read, $none, $none, 0, 2_000) === 1) {
				$answer = $this->hear();
				throw new RuntimeException('the peer did not wait for the other transaction, it answered ' . ($answer instanceof Problem ? $answer : json_encode($answer)));
			}
			if (hrtime(true) > $end) {
				throw new RuntimeException('the peer neither waits nor answers');
			}
		}
	}

	private function isBlocked(?PDO $watcher): bool
	{
		return match ($this->server->driver) {
			'pgsql' => $watcher->query("SELECT cardinality(pg_blocking_pids($this->connection)) > 0")->fetchColumn(),
			'mysql' => $this->isInLockWait((string) $watcher->query('SHOW ENGINE INNODB STATUS')->fetchColumn(2)),
			// SQLite has no server to ask. Its busy handler sleeps between two tries, and nothing else in the peer sleeps.
			'sqlite' => $this->isAsleep(),
		};
	}

	/** Not information_schema.INNODB_TRX: who asks it more often than every 0.1 s gets the same old answer for ever. */
	private function isInLockWait(string $status): bool
	{
		foreach (explode('---TRANSACTION', $status) as $transaction) {
			if (preg_match("/ thread id $this->connection,/", $transaction)) {
				return str_contains($transaction, 'LOCK WAIT');
			}
		}
		return false;
	}

	private function isAsleep(): bool
	{
		// clock_nanosleep and nanosleep
		$numbers = php_uname('m') === 'x86_64' ? ['230', '35'] : ['115', '101'];
		return in_array(strtok((string) file_get_contents("/proc/$this->pid/syscall"), ' '), $numbers, true);
	}

	public function __destruct()
	{
		array_map('fclose', $this->pipes);
		if (proc_get_status($this->process)['running']) {
			// It may be waiting for a lock, and would not see that its input has ended.
			proc_terminate($this->process, 9);
		}
		proc_close($this->process);
	}
}
