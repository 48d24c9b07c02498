<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\Support;

use Composer\Autoload\ClassLoader;
use PDO;
use ReflectionClass;
use RuntimeException;
use RedisLock\Symfony\Tests\App\Kernel;
use RedisLock\Symfony\Tests\App\Wired;
use Symfony\Component\Messenger\Stamp\StampInterface;

/** The application in this process, and its workers in others. */
final class App
{
	public readonly PDO $pdo;
	public readonly Wired $wired;
	private readonly Kernel $kernel;
	private readonly string $folder;

	/** @var list<Worker> */
	private array $workers = [];

	/** @param array<string, mixed> $settings see Kernel */
	public function __construct(public readonly Redis $redis, array $settings = [])
	{
		static $folder = null;
		$this->folder = $folder ??= Folder::make('app');
		@unlink("$folder/log");
		$dsn = getenv('REDISLOCK_PGSQL_DSN') ?: throw new RuntimeException('these tests need a PostgreSQL: run integrations/symfony/test');
		$this->pdo = new PDO($dsn);
		$this->pdo->exec('CREATE TABLE IF NOT EXISTS record (id SERIAL PRIMARY KEY, pid INTEGER NOT NULL, label TEXT NOT NULL, what TEXT NOT NULL, fence BIGINT)');
		foreach ([
			'APP_FOLDER' => $folder,
			'APP_SETTINGS' => json_encode($settings, JSON_THROW_ON_ERROR),
			'AUTOLOAD' => dirname((string) (new ReflectionClass(ClassLoader::class))->getFileName(), 2) . '/autoload.php',
			'REDISLOCK_DSN' => $redis->dsn,
			'PGHOST' => preg_replace('/^pgsql:host=([^;]+);.*$/', '$1', $dsn),
		] as $name => $value) {
			putenv("$name=$value");
			$_ENV[$name] = $_SERVER[$name] = $value;
		}
		$this->kernel = new Kernel();
		$this->kernel->boot();
		$wired = $this->kernel->getContainer()->get(Wired::class);
		assert($wired instanceof Wired);
		$this->wired = $wired;
		static $prepared = false;
		if (!$prepared) {
			$this->console('messenger:setup-transports');
			$prepared = true;
		}
		$this->pdo->exec('TRUNCATE record, messenger_messages RESTART IDENTITY');
	}

	/** @param list<StampInterface> $stamps */
	public function dispatch(object $message, array $stamps = []): void
	{
		$this->wired->bus->dispatch($message, $stamps);
	}

	public function worker(string ...$arguments): Worker
	{
		return $this->workers[] = new Worker($this->command('messenger:consume', 'async', '--sleep=0.02', '-vv', ...$arguments), $this->folder);
	}

	/** Runs a command to its end. */
	public function console(string ...$arguments): string
	{
		$process = proc_open($this->command(...$arguments), [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
		$output = (string) stream_get_contents($pipes[1]);
		return proc_close($process) === 0 ? $output : throw new RuntimeException("$arguments[0] failed: $output");
	}

	/** @return list<string> what was done with this message */
	public function record(string $label): array
	{
		return array_column($this->rows('WHERE label = ' . $this->pdo->quote($label)), 'what');
	}

	/** @return list<array{pid: int, label: string, what: string, fence: ?int}> */
	public function rows(string $where = ''): array
	{
		return $this->pdo->query("SELECT pid, label, what, fence FROM record $where ORDER BY id")->fetchAll(PDO::FETCH_ASSOC);
	}

	public function wait(string $label, string $what, int $times = 1): void
	{
		Eventually::true("$label: $what, $times times", function () use ($label, $what, $times) {
			$this->checkWorkers();
			return count(array_keys($this->record($label), $what, true)) >= $times;
		});
	}

	/** How many messages a queue has, also those that are being handled or have a delay. */
	public function queued(string $queue = 'async'): int
	{
		return (int) $this->pdo->query("SELECT count(*) FROM messenger_messages WHERE queue_name = '$queue' AND (delivered_at IS NULL OR delivered_at < '9999-01-01')")->fetchColumn();
	}

	public function waitForEmptyQueue(): void
	{
		Eventually::true('the queue is empty', function () {
			$this->checkWorkers();
			return $this->queued() === 0;
		});
	}

	public function waitForLog(string $part, int $times = 1): void
	{
		Eventually::true("the log has \"$part\"", function () use ($part, $times) {
			$this->checkWorkers();
			return count($this->log($part)) >= $times;
		});
	}

	/** @return list<array{message: string, context: array<string, mixed>, level_name: string, channel: string}> lines of the log */
	public function log(string $part = ''): array
	{
		$lines = [];
		foreach (is_file("$this->folder/log") ? (array) file("$this->folder/log") : [] as $line) {
			$line = json_decode((string) $line, true);
			if ($line !== null && str_contains($line['message'], $part)) {
				$lines[] = $line;
			}
		}
		return $lines;
	}

	/** A pipe that a handler waits for. */
	public function pipe(): string
	{
		$path = "$this->folder/pipe-" . bin2hex(random_bytes(4));
		posix_mkfifo($path, 0600);
		return $path;
	}

	/** Lets the handler go on that waits for the pipe. */
	public function go(string $pipe): void
	{
		file_put_contents($pipe, "go\n");
	}

	public function stop(): void
	{
		foreach ($this->workers as $worker) {
			$worker->signal(SIGKILL);
			$worker->wait();
		}
		$this->workers = [];
		$this->kernel->shutdown();
	}

	/** One that has ended does not do what is waited for. */
	private function checkWorkers(): void
	{
		foreach ($this->workers as $worker) {
			$worker->check();
		}
	}

	/** @return list<string> */
	private function command(string ...$arguments): array
	{
		$options = explode("\n", (string) getenv('REDISLOCK_PHP_OPTIONS'));
		return ['setpriv', '--pdeathsig', 'KILL', PHP_BINARY, ...$options, dirname(__DIR__) . '/App/console.php', ...$arguments];
	}
}
