<?php
declare(strict_types=1);

namespace RedisLock\Symfony;

use Psr\Log\LoggerInterface;
use RedisLock\Client;
use Symfony\Component\Lock\LockFactory as SymfonyLockFactory;
use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Store\StoreFactory as SymfonyStoreFactory;

/**
 * Makes what framework.lock names: what is ours, and everything else as Symfony does.
 *
 * @internal
 */
final class StoreFactory
{
	public function __construct(private readonly LockStore $default, private readonly ?LoggerInterface $logger = null)
	{
	}

	/** @param object|string $connection "redislock" (the store of the bundle), a DSN, a store, a Client, or what Symfony knows */
	public function createStore(#[\SensitiveParameter] object|string $connection): PersistingStoreInterface
	{
		if ($connection === 'redislock') {
			return $this->default;
		}
		if ($connection instanceof PersistingStoreInterface) {
			return $connection;
		}
		if ($connection instanceof Client) {
			return $this->logged(new LockStore($connection));
		}
		if (is_string($connection) && Dsn::isOurs($connection)) {
			$dsn = Dsn::parse($connection);
			return $this->logged(new LockStore(ClientFactory::create($connection), $dsn->initialTtl() ?? 300.0, $dsn->maxWait()));
		}
		return SymfonyStoreFactory::createStore($connection);
	}

	/** The factory that belongs to a store: the locks of ours have a fence. */
	public static function createLockFactory(PersistingStoreInterface $store): SymfonyLockFactory
	{
		return $store instanceof LockStore ? new LockFactory($store) : new SymfonyLockFactory($store);
	}

	private function logged(LockStore $store): LockStore
	{
		if ($this->logger !== null) {
			$store->setLogger($this->logger);
		}
		return $store;
	}
}
