<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Contracts\Foundation\Application;
use Illuminate\Redis\Connections\PhpRedisConnection;
use Illuminate\Redis\RedisManager;
use RedisLock\Client;

/**
 * One of the connections of config/database.php, for locks: the same server, database and prefix, so that the keys are
 * those of Laravel's own locks. The extension connects by itself.
 */
final class LockConnection
{
	/** @var array<string, Client> by prefix: a few, one for each tenant of an application at most */
	private array $clients = [];

	/** @param string|list<string>|null $servers DSNs that replace what config/database.php says */
	public function __construct(
		private readonly Application $app,
		public readonly string $name,
		private readonly string|array|null $servers,
	) {
	}

	public function named(string $name): self
	{
		return new self($this->app, $name, $this->servers);
	}

	public function client(string $cachePrefix): Client
	{
		$prefix = $this->prefix() . $cachePrefix;
		if (isset($this->clients[$prefix])) {
			return $this->clients[$prefix];
		}
		if (count($this->clients) >= 16) {
			$this->clients = [];
		}
		$config = $this->app->make('config');
		return $this->clients[$prefix] = new Client(
			$this->servers ?? $this->settings()->dsn(),
			$prefix,
			self::seconds($config->get('redislock.connect_timeout')),
			self::seconds($config->get('redislock.timeout')),
			self::seconds($config->get('redislock.retry_for')),
			$config->get('redislock.persistent'),
		);
	}

	/**
	 * What Laravel's own lock would have written for this owner: phpredis serializes and compresses if it is told to.
	 * Null if it would have written the owner as it is.
	 */
	public function packed(string $owner): ?string
	{
		$connection = $this->resolved();
		if ($connection === null && $this->isPhpRedis() && $this->settings()->packs()) {
			$connection = $this->app->make('redis')->connection($this->name);
		}
		if (!$connection instanceof PhpRedisConnection || !($connection->serialized() || $connection->compressed())) {
			return null;
		}
		$packed = $connection->pack([$owner])[0];
		return $packed === $owner ? null : $packed;
	}

	private function prefix(): string
	{
		$connection = $this->resolved();
		// Some applications change the prefix as they run. Then the connection knows better than the configuration.
		return $connection instanceof PhpRedisConnection
			? (string) $connection->client()->_prefix('')
			: $this->settings()->prefix();
	}

	private function resolved(): mixed
	{
		$redis = $this->app->make('redis');
		return $redis instanceof RedisManager ? ($redis->connections()[$this->name] ?? null) : null;
	}

	private function isPhpRedis(): bool
	{
		return $this->app->make('config')->get('database.redis.client', 'phpredis') === 'phpredis';
	}

	private function settings(): ConnectionSettings
	{
		return ConnectionSettings::of((array) $this->app->make('config')->get('database.redis'), $this->name);
	}

	private static function seconds(mixed $value): ?float
	{
		return $value === null || $value === '' ? null : (float) $value;
	}
}
