<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Cache\ArrayStore;
use Illuminate\Contracts\Cache\Factory;
use Illuminate\Contracts\Cache\Repository;
use Illuminate\Contracts\Foundation\Application;
use InvalidArgumentException;
use LogicException;
use RedisLock\Mutex;

/** Makes and finds the cache stores whose driver is "redislock". */
final class LockStores
{
	public function __construct(private readonly Application $app)
	{
	}

	/** @param array<string, mixed> $config one of cache.stores in config/cache.php */
	public function make(array $config): Store
	{
		$settings = $this->app->make('config');
		$connection = $config['connection'] ?? 'default';
		$store = new Store(
			$this->app->make('redis'),
			$config['prefix'] ?? $settings->get('cache.prefix') ?? '',
			$connection,
			$settings->get('cache.serializable_classes'),
		);
		$store->setLockConnection($config['lock_connection'] ?? $connection);
		$store->setLocks(
			new LockConnection($this->app, $config['lock_connection'] ?? $connection, $config['servers'] ?? null),
			self::forever($config['forever'] ?? $settings->get('redislock.forever')),
			$this->app->make(UniqueJobs::class),
			$this->app->make(LiveLocks::class),
		);
		return $store;
	}

	/**
	 * @param string|null $name a cache store; null: the one of the setting redislock.store, or the default one
	 * @throws LogicException if its driver is not "redislock"
	 */
	public function get(?string $name = null): Store
	{
		$store = $this->repository($name)->getStore();
		return $store instanceof Store ? $store : throw new LogicException(sprintf(
			'The cache store "%s" has another driver than "redislock": change it in config/cache.php, or name a store that has it in the setting redislock.store',
			$name ?? $this->app->make('config')->get('redislock.store') ?? $this->app->make('config')->get('cache.default'),
		));
	}

	/** @param string|null $name a cache store, as in get() */
	public function fenced(?string $name, string $lock, float $lease): Mutex|LocalFence
	{
		if ($this->app->runningUnitTests()) {
			$store = $this->repository($name)->getStore();
			if ($store instanceof ArrayStore) {
				return new LocalFence($store, $lock, $lease);
			}
		}
		return $this->get($name)->client()->lock($lock, $lease);
	}

	private function repository(?string $name): Repository
	{
		return $this->app->make(Factory::class)->store($name ?? $this->app->make('config')->get('redislock.store'));
	}

	private static function forever(mixed $seconds): float
	{
		if (!is_numeric($seconds) || !($seconds >= 1 && $seconds <= \RedisLock::MAX_TTL)) {
			throw new InvalidArgumentException(sprintf(
				'The setting redislock.forever must be a number of seconds, 1 to %d, not %s',
				\RedisLock::MAX_TTL,
				json_encode($seconds, JSON_PARTIAL_OUTPUT_ON_ERROR),
			));
		}
		return (float) $seconds;
	}
}
