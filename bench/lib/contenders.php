<?php
/* The libraries, all in the same shape: wait for the lock "job", do something inside, give it back. */
declare(strict_types=1);

namespace Bench;

interface Contender
{
	/** @param \Closure(int): void $inside gets the fence, or 0 */
	public function run(\Closure $inside): void;
}

final class RedisLockContender implements Contender
{
	private \RedisLock $lock;

	public function __construct(string $socket)
	{
		$this->lock = (new \RedisLock\Client("unix://$socket"))->lock('job', 60.0);
	}

	public function run(\Closure $inside): void
	{
		$inside($this->lock->acquire(60.0));
		$this->lock->release();
	}
}

final class SymfonyContender implements Contender
{
	private \Symfony\Component\Lock\LockFactory $factory;

	public function __construct(string $socket)
	{
		$redis = new \Redis();
		$redis->connect($socket);
		$this->factory = new \Symfony\Component\Lock\LockFactory(new \Symfony\Component\Lock\Store\RedisStore($redis, 60.0));
	}

	public function run(\Closure $inside): void
	{
		$lock = $this->factory->createLock('symfony-job', 60.0);
		$lock->acquire(true);
		$inside(0);
		$lock->release();
	}
}

final class LaravelContender implements Contender
{
	private \Illuminate\Cache\RedisStore $store;

	public function __construct(string $socket)
	{
		$config = ['default' => ['host' => $socket, 'port' => 0, 'database' => 0]];
		$redis = new \Illuminate\Redis\RedisManager(new \Illuminate\Container\Container(), 'phpredis', $config);
		$this->store = new \Illuminate\Cache\RedisStore($redis, 'laravel:');
	}

	public function run(\Closure $inside): void
	{
		$lock = $this->store->lock('job', 60);
		$lock->block(60);
		$inside(0);
		$lock->release();
	}
}

final class PhpLockContender implements Contender
{
	private \Malkusch\Lock\Mutex\RedisMutex $mutex;

	public function __construct(string $socket)
	{
		$redis = new \Redis();
		$redis->connect($socket);
		$this->mutex = new \Malkusch\Lock\Mutex\RedisMutex($redis, 'job', 60.0, 60.0);
	}

	public function run(\Closure $inside): void
	{
		$this->mutex->synchronized(fn () => $inside(0));
	}
}

/** @return array<string, class-string<Contender>|null> name => class; null: not here */
function contenders(): array
{
	$autoload = __DIR__ . '/../.peers/vendor/autoload.php';
	if (is_file($autoload) && class_exists(\Redis::class)) {
		require_once $autoload;
	}
	$there = fn (string $needs, string $class) => class_exists($needs) ? $class : null;
	return [
		'redislock' => RedisLockContender::class,
		'Symfony Lock' => $there(\Symfony\Component\Lock\LockFactory::class, SymfonyContender::class),
		'Laravel block()' => $there(\Illuminate\Cache\RedisStore::class, LaravelContender::class),
		'php-lock' => $there(\Malkusch\Lock\Mutex\RedisMutex::class, PhpLockContender::class),
	];
}
