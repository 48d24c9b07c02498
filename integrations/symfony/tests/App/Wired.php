<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App;

use RedisLock\Client;
use RedisLock\MutexFactory;
use RedisLock\Symfony\LockFactory;
use RedisLock\Symfony\LockStore;
use Symfony\Component\Lock\LockFactory as SymfonyLockFactory;
use Symfony\Component\Messenger\MessageBusInterface;

/** What an application gets by asking for it. */
final class Wired
{
	public function __construct(
		public readonly Client $client,
		public readonly MutexFactory $mutexFactory,
		public readonly LockFactory $fencing,
		public readonly SymfonyLockFactory $locks,
		public readonly LockStore $store,
		public readonly MessageBusInterface $bus,
	) {
	}
}
