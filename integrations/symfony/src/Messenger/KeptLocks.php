<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use WeakMap;

/**
 * The locks of messages whose handler has failed, until it is decided whether they are retried.
 *
 * @internal
 */
final class KeptLocks
{
	/** @var WeakMap<object, array{HeldLock, string}> */
	private WeakMap $locks;

	public function __construct()
	{
		$this->locks = new WeakMap();
	}

	public function keep(object $message, HeldLock $lock, string $name): void
	{
		$this->locks[$message] = [$lock, $name];
	}

	/** @return array{HeldLock, string}|null */
	public function of(object $message): ?array
	{
		return $this->locks[$message] ?? null;
	}

	public function forget(object $message): void
	{
		unset($this->locks[$message]);
	}
}
