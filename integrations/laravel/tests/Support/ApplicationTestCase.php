<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests\Support;

use Illuminate\Contracts\Console\Kernel;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Testing\TestCase;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Redis;
use RedisLock\Laravel\Store;
use Throwable;

/** A test in an application of its own: every test has its own cache prefix, queue and schema of the database. */
abstract class ApplicationTestCase extends TestCase
{
	protected string $id;

	/** @var list<Process> */
	private array $processes = [];

	/** The client of Laravel for this test. */
	protected string $redisClient = 'phpredis';

	public function createApplication(): Application
	{
		$this->id ??= 't' . bin2hex(random_bytes(6));
		foreach ($this->environment() as $name => $value) {
			putenv("$name=$value");
			$_ENV[$name] = $_SERVER[$name] = $value;
		}
		$app = require $_SERVER['TEST_APPLICATION'] . '/bootstrap/app.php';
		$app->make(Kernel::class)->bootstrap();
		return $app;
	}

	protected function tearDown(): void
	{
		foreach ($this->processes as $process) {
			$process->end();
		}
		$this->processes = [];
		foreach (array_keys($this->environment()) as $name) {
			putenv($name);
			unset($_ENV[$name], $_SERVER[$name]);
		}
		parent::tearDown();
	}

	/** @return array<string, string> for this process and for those that it starts */
	protected function environment(): array
	{
		return [
			'REDIS_CLIENT' => $this->redisClient,
			'CACHE_PREFIX' => $this->id . ':',
			'TEST_QUEUE' => $this->id,
			'TEST_CHANNEL' => $this->id,
			'TEST_SCHEMA' => $this->id,
			'TEST_LOG' => $_SERVER['TEST_WORK'] . "/$this->id.log",
			'TEST_PGSQL_HOST' => (string) preg_replace('/^.*host=([^;]*).*$/', '$1', $_SERVER['REDISLOCK_PGSQL_DSN']),
		];
	}

	/** Starts `php artisan …` in the same application. */
	protected function artisanProcess(string ...$arguments): Process
	{
		$php = explode("\n", trim($_SERVER['TEST_PHP']));
		return $this->processes[] = new Process(
			[...$php, 'artisan', ...$arguments],
			$_SERVER['TEST_APPLICATION'],
			$this->environment() + getenv(),
		);
	}

	/** Uses the other client from here on, as an application would that has it in its configuration from the start. */
	protected function useClient(string $client): void
	{
		$this->redisClient = $client;
		$this->refreshApplication();
	}

	protected function store(string $name = 'redislock'): Store
	{
		$store = Cache::store($name)->getStore();
		$this->assertInstanceOf(Store::class, $store);
		return $store;
	}

	/** What Redis has for a lock: the whole name of the key, as Laravel's own driver makes it. */
	protected function key(string $name): string
	{
		return "app:$this->id:$name";
	}

	/** A connection to the server without Laravel's prefix, serializer and client. */
	protected function redis(int $database = 0): \Redis
	{
		$redis = new \Redis();
		$redis->connect('127.0.0.1', (int) $_SERVER['TEST_REDIS_PORT']);
		$redis->select($database);
		return $redis;
	}

	/** Collects what is reported to the application's exception handler. */
	protected function collectReports(): \ArrayObject
	{
		$reports = new \ArrayObject();
		$this->app->make(ExceptionHandler::class)->reportable(static function (Throwable $problem) use ($reports): bool {
			$reports->append($problem);
			return false;
		});
		return $reports;
	}

	/** Lets a job or a process that waits for this word go on. */
	protected function tell(string $word): void
	{
		Redis::connection('test')->rpush("$this->id:$word", '1');
	}

	/** The next thing that a job or a process has said, as [word, data]. */
	protected function hear(int $patience = 40): array
	{
		$said = Redis::connection('test')->blpop(["$this->id:said"], $patience);
		$this->assertIsArray($said, 'nothing was said; the log: ' . @file_get_contents($this->environment()['TEST_LOG']));
		return json_decode($said[1], true);
	}

	/**
	 * Waits until it is so.
	 *
	 * @param callable(): bool $condition
	 */
	protected function until(callable $condition): void
	{
		$limit = hrtime(true) + 40e9;
		while (!$condition()) {
			if (hrtime(true) > $limit) {
				$this->fail('it does not happen');
			}
			usleep(2000);
		}
	}

	protected function assertNothingSaid(): void
	{
		$this->assertSame([], $this->redis(3)->lRange("$this->id:said", 0, -1));
	}

	/** @return array<string, array{string}> */
	public static function clients(): array
	{
		return ['phpredis' => ['phpredis'], 'predis' => ['predis']];
	}
}
