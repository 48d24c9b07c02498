<?php
/*
 * Acquire and release of a free lock with each library, in the same shape: its objects are made once and used again, as
 * in a worker. Each contender lives in a process of its own, so that none pays for another's connections.
 */
declare(strict_types=1);

namespace Bench;

require_once __DIR__ . '/bench.php';
require_once __DIR__ . '/delay_proxy.php';
require_once __DIR__ . '/script_cost.php';

/** Where a server is, as each library wants it. */
final class Address
{
	private function __construct(public readonly string $dsn, public readonly string $host, public readonly int $port)
	{
	}

	public static function tcp(\RedisServer $server): self
	{
		return new self("redis://127.0.0.1:$server->port", '127.0.0.1', (int) $server->port);
	}

	public static function path(string $path): self
	{
		return new self("unix://$path", $path, 0);
	}

	public static function unix(\RedisServer $server): self
	{
		return new self("unix://$server->socket", $server->socket, 0);
	}

	public function phpredis(): \Redis
	{
		$redis = new \Redis();
		$redis->connect($this->host, $this->port);
		return $redis;
	}

	/** @return array<string, mixed> */
	public function predis(): array
	{
		return $this->port === 0 ? ['scheme' => 'unix', 'path' => $this->host] : ['host' => $this->host, 'port' => $this->port];
	}
}

interface Cycle
{
	/** Takes the lock "job" and gives it back. */
	public function run(): void;
}

final class RedisLockCycle implements Cycle
{
	private \RedisLock $lock;

	public function __construct(Address $address)
	{
		$this->lock = (new \RedisLock\Client($address->dsn))->lock('job', 30.0);
	}

	public function run(): void
	{
		$this->lock->acquire() ?? throw new \LogicException('the lock was not free');
		$this->lock->release() || throw new \LogicException('the lock was not ours');
	}
}

/** With a new lock object each time. */
final class RedisLockObjectCycle implements Cycle
{
	private \RedisLock\Client $client;

	public function __construct(Address $address)
	{
		$this->client = new \RedisLock\Client($address->dsn);
	}

	public function run(): void
	{
		$lock = $this->client->lock('job', 30.0);
		$lock->acquire() ?? throw new \LogicException('the lock was not free');
		$lock->release() || throw new \LogicException('the lock was not ours');
	}
}

/** The lock is given back by its destructor. */
final class DestructorCycle implements Cycle
{
	private \RedisLock\Client $client;

	public function __construct(Address $address)
	{
		$this->client = new \RedisLock\Client($address->dsn);
	}

	public function run(): void
	{
		$this->client->lock('job', 30.0)->acquire() ?? throw new \LogicException('the lock was not free');
	}
}

/** The recipe from the Redis documentation, by hand. */
final class PhpRedisCycle implements Cycle
{
	private const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
	private \Redis $redis;
	private string $release;

	public function __construct(Address $address)
	{
		$this->redis = $address->phpredis();
		$this->release = $this->redis->script('load', self::RELEASE);
	}

	public function run(): void
	{
		$token = bin2hex(random_bytes(16));
		$this->redis->set('phpredis:job', $token, ['nx', 'px' => 30000]) || throw new \LogicException('the lock was not free');
		$this->redis->evalSha($this->release, ['phpredis:job', $token], 1) === 1 || throw new \LogicException('the lock was not ours');
	}
}

/** The same with a fence that grows like ours: what a careful developer would write. */
final class PhpRedisFenceCycle implements Cycle
{
	private const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
	private \Redis $redis;
	private string $acquire;
	private string $release;

	public function __construct(Address $address)
	{
		$this->redis = $address->phpredis();
		$this->acquire = $this->redis->script('load', (string) file_get_contents(ProgramRunner::CAREFUL_FENCE));
		$this->release = $this->redis->script('load', self::RELEASE);
	}

	public function run(): void
	{
		$token = bin2hex(random_bytes(16));
		(int) $this->redis->evalSha($this->acquire, ['{phpredis-fence:job}', '{phpredis-fence:job}:fence', $token, 30000, 604800000], 2) > 0 || throw new \LogicException('the lock was not free');
		$this->redis->evalSha($this->release, ['{phpredis-fence:job}', $token], 1) === 1 || throw new \LogicException('the lock was not ours');
	}
}

final class PredisCycle implements Cycle
{
	private const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
	private \Predis\Client $redis;
	private string $release;

	public function __construct(Address $address)
	{
		$this->redis = new \Predis\Client($address->predis());
		$this->release = $this->redis->script('load', self::RELEASE);
	}

	public function run(): void
	{
		$token = bin2hex(random_bytes(16));
		$this->redis->set('predis:job', $token, 'PX', 30000, 'NX') !== null || throw new \LogicException('the lock was not free');
		$this->redis->evalsha($this->release, 1, 'predis:job', $token) === 1 || throw new \LogicException('the lock was not ours');
	}
}

final class SymfonyCycle implements Cycle
{
	private \Symfony\Component\Lock\SharedLockInterface $lock;

	public function __construct(Address $address)
	{
		$store = new \Symfony\Component\Lock\Store\RedisStore($address->phpredis(), 30.0);
		$this->lock = (new \Symfony\Component\Lock\LockFactory($store))->createLock('symfony-job', 30.0);
	}

	public function run(): void
	{
		$this->lock->acquire() || throw new \LogicException('the lock was not free');
		$this->lock->release();
	}
}

final class LaravelCycle implements Cycle
{
	private \Illuminate\Contracts\Cache\Lock $lock;

	public function __construct(Address $address)
	{
		$config = ['default' => ['host' => $address->host, 'port' => $address->port, 'database' => 0]];
		$redis = new \Illuminate\Redis\RedisManager(new \Illuminate\Container\Container(), 'phpredis', $config);
		$this->lock = (new \Illuminate\Cache\RedisStore($redis, 'laravel:'))->lock('job', 30);
	}

	public function run(): void
	{
		$this->lock->get() || throw new \LogicException('the lock was not free');
		$this->lock->release() || throw new \LogicException('the lock was not ours');
	}
}

final class PhpLockCycle implements Cycle
{
	private \Malkusch\Lock\Mutex\RedisMutex $mutex;

	public function __construct(Address $address)
	{
		$this->mutex = new \Malkusch\Lock\Mutex\RedisMutex($address->phpredis(), 'job', 30.0, 30.0);
	}

	public function run(): void
	{
		$this->mutex->synchronized(static function (): void {
		});
	}
}

final class CheprasovCycle implements Cycle
{
	private \RedisLock\RedisLock $lock;

	public function __construct(Address $address)
	{
		$redis = new \RedisClient\RedisClient(['server' => $address->port === 0 ? "unix://$address->host" : "$address->host:$address->port"]);
		$this->lock = new \RedisLock\RedisLock($redis, 'cheprasov-job');
	}

	public function run(): void
	{
		$this->lock->acquire(30) || throw new \LogicException('the lock was not free');
		$this->lock->release() || throw new \LogicException('the lock was not ours');
	}
}

/** @return array<string, class-string<Cycle>|null> name => class; null: not here */
function cycles(): array
{
	contenders();
	$there = fn (string $needs, string $class) => class_exists($needs) ? $class : null;
	return [
		'redislock, with fence' => RedisLockCycle::class,
		'redislock, a new object each time' => RedisLockObjectCycle::class,
		'phpredis SET NX + evalSha' => $there(\Redis::class, PhpRedisCycle::class),
		'phpredis, the same fence in Lua' => $there(\Redis::class, PhpRedisFenceCycle::class),
		'Laravel lock' => $there(\Illuminate\Cache\RedisStore::class, LaravelCycle::class),
		'php-lock' => $there(\Malkusch\Lock\Mutex\RedisMutex::class, PhpLockCycle::class),
		'predis SET NX + evalsha' => $there(\Predis\Client::class, PredisCycle::class),
		'cheprasov/php-redis-lock' => $there(\RedisLock\RedisLock::class, CheprasovCycle::class),
		'Symfony Lock' => $there(\Symfony\Component\Lock\LockFactory::class, SymfonyCycle::class),
	];
}

/** Something that runs cycles when told, and says how many seconds they took. */
interface Runner
{
	public function run(int $cycles): float;

	public function pid(): int;
}

/** A contender in a process of its own. */
final class CycleRunner implements Runner
{
	private Crew $crew;

	/** @param class-string<Cycle> $class */
	public function __construct(string $class, Address $address)
	{
		$this->crew = new Crew(1, static function (Line $boss) use ($class, $address): void {
			$cycle = new $class($address);
			while (true) {
				$cycles = $boss->hear();
				$begin = hrtime(true);
				for ($i = 0; $i < $cycles; $i++) {
					$cycle->run();
				}
				$boss->tell((hrtime(true) - $begin) / 1e9);
			}
		});
	}

	public function run(int $cycles): float
	{
		return $this->crew->ask($cycles)[0];
	}

	public function pid(): int
	{
		return $this->crew->members[0]->pid;
	}
}

/** A program that reads how many cycles to run, a line each, and answers with the nanoseconds that they took. */
final class ProgramRunner implements Runner
{
	public const CAREFUL_FENCE = __DIR__ . '/careful_fence.lua';

	/** @var resource */
	private $process;
	/** @var array<int, resource> */
	private array $pipes = [];

	/** @param list<string> $command */
	public function __construct(private readonly array $command)
	{
		$this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $this->pipes) ?: throw new \RuntimeException("cannot start $command[0]");
	}

	/** The program in limit.c; with the fence of CAREFUL_FENCE, or without one. */
	public static function limit(Address $address, bool $fence = false): self
	{
		$where = $address->port === 0 ? ['unix', $address->host] : ['tcp', $address->host, (string) $address->port];
		return new self([self::limitProgram(), ...$where, ...$fence ? [self::CAREFUL_FENCE] : []]);
	}

	/** Compiles it once. */
	public static function limitProgram(): string
	{
		static $program;
		return $program ??= compile('limit', '-lhiredis');
	}

	/** A PHP of its own with other settings. @param array<string, string> $settings */
	public static function php(array $settings, Address $address): self
	{
		$words = php_words();
		foreach ($settings as $name => $value) {
			array_push($words, '-d', "$name=$value");
		}
		return new self([...$words, __DIR__ . '/cycles_by_line.php', $address->dsn]);
	}

	public function run(int $cycles): float
	{
		fwrite($this->pipes[0], "$cycles\n");
		$line = fgets($this->pipes[1]);
		return $line === false ? throw new \RuntimeException("{$this->command[0]} ended") : (int) $line / 1e9;
	}

	public function pid(): int
	{
		return proc_get_status($this->process)['pid'];
	}

	public function __destruct()
	{
		// Not by closing its input: the contenders that were started later have copies of it.
		proc_terminate($this->process);
		array_map('fclose', $this->pipes);
		proc_close($this->process);
	}
}

/** The command line of a PHP like this one. @return list<string> */
function php_words(): array
{
	// It was quoted for a shell by bench.sh.
	exec('printf "%s\\n" ' . getenv('TEST_PHP_EXTRA_ARGS'), $words);
	return [PHP_BINARY, ...$words];
}

/** Compiles a C file of this folder into a temporary folder that goes with this process. */
function compile(string $name, string ...$options): string
{
	$folder = sys_get_temp_dir() . '/redislock-bench-' . getmypid();
	is_dir($folder) || mkdir($folder, 0700) || throw new \RuntimeException("cannot make $folder");
	$owner = getmypid();
	register_shutdown_function(function () use ($folder, $owner): void {
		if (getmypid() === $owner && is_dir($folder)) {
			array_map('unlink', glob("$folder/*"));
			rmdir($folder);
		}
	});
	build(__DIR__ . "/$name.c", "$folder/$name", ...$options);
	return "$folder/$name";
}

/** Keeps processes on one processor, the last one: numbers that can be compared. */
function pin_together(int ...$pids): void
{
	preg_match('/(\d+)$/', allowed_cpus(), $last);
	foreach ($pids as $pid) {
		pin($pid, $last[1]);
	}
}

/**
 * Runs all in turn, in another random order each time. Answers seconds per cycle, by name, of each round.
 *
 * @param array<string, Runner> $runners
 * @return list<array<string, float>>
 */
function race(array $runners, int $rounds, int $cycles): array
{
	foreach ($runners as $runner) {
		$runner->run(intdiv($cycles, 4) + 1);
	}
	$results = [];
	for ($round = 0; $round < $rounds; $round++) {
		$names = array_keys($runners);
		shuffle($names);
		$seconds = [];
		foreach ($names as $name) {
			$seconds[$name] = $runners[$name]->run($cycles) / $cycles;
		}
		$results[] = $seconds;
	}
	return $results;
}

/** Median over the rounds of one's time by another's in the same round. @param list<array<string, float>> $results */
function ratio(array $results, string $name, string $other): float
{
	return median(array_map(fn (array $round) => $round[$name] / $round[$other], $results));
}

function us(float $seconds): string
{
	return sprintf('%.1f µs', $seconds * 1e6);
}
