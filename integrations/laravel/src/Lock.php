<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Cache\Lock as BaseLock;
use Illuminate\Container\Container;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Contracts\Debug\ExceptionHandler;
use InvalidArgumentException;
use RedisLock\Client;
use RedisLock\RedisLockException;
use Throwable;
use ValueError;

/**
 * A lock of Laravel's cache on the extension.
 *
 * It stays held when the object is gone, as every lock of Laravel does: that is how unique jobs and handing over by
 * owner() work.
 */
final class Lock extends BaseLock
{
	private \RedisLock $mutex;

	/** This object has got the lock, or asked for it and does not know: so it has something to give back. */
	private bool $taken = false;

	/** @var float the lease; 0 or less: the setting redislock.forever */
	protected $seconds;

	/** Who owner() has been told to; from then on every acquisition has this owner. */
	private ?string $chosen;

	/** @internal Cache::lock() makes it. */
	public function __construct(
		private readonly Client $client,
		string $name,
		float $seconds,
		?string $owner,
		private readonly float $forever,
		private readonly LockConnection $connection,
		private readonly UniqueJobs $uniqueJobs,
		private readonly LiveLocks $liveLocks,
	) {
		if ($owner === '') {
			throw new InvalidArgumentException('The owner of a lock must not be empty');
		}
		parent::__construct($name, 0, $owner ?? '');
		// Laravel's own has whole seconds.
		$this->seconds = $seconds;
		$this->chosen = $owner;
		// So that a name that cannot be one is found here, and not where it is a surprise.
		$this->mutex = $this->make();
	}

	/** @return bool false: somebody has it, this object included */
	public function acquire(): bool
	{
		return $this->take(0.0);
	}

	/**
	 * @param callable|null $callback
	 * @return mixed false if somebody has the lock; else what the callback returned, true if there is none
	 */
	public function get($callback = null): mixed
	{
		if (!$this->take(0.0)) {
			return false;
		}
		return is_callable($callback) ? $this->run($callback) : true;
	}

	/**
	 * Waits in the queue of those who want the lock, without asking again and again.
	 *
	 * @param int|float $seconds
	 * @param callable|null $callback
	 * @throws LockTimeoutException if somebody had the lock to the end
	 */
	public function block($seconds, $callback = null): mixed
	{
		if (!$this->take(max(0.0, (float) $seconds))) {
			throw new LockTimeoutException("The lock \"$this->name\" was held by somebody else for $seconds seconds");
		}
		return is_callable($callback) ? $this->run($callback) : true;
	}

	/** @return bool false: it is not ours, or not any more */
	public function release(): bool
	{
		if ($this->taken) {
			return $this->mutex->release();
		}
		return $this->chosen !== null && $this->asOwner($this->chosen, $this->client->release(...));
	}

	/**
	 * Makes the lease last that many seconds from now. A lease is never shortened.
	 *
	 * @param int|float|null $seconds null: as long as it was taken for; 0: the setting redislock.forever
	 * @return bool false: it is not ours any more
	 */
	public function refresh($seconds = null): bool
	{
		$lease = $this->lease((float) ($seconds ?? $this->seconds));
		if ($this->taken) {
			return $this->mutex->renew($lease);
		}
		return $this->chosen !== null
			&& $this->asOwner($this->chosen, fn (string $name, string $token) => $this->client->renew($name, $token, $lease));
	}

	/**
	 * Whoever has the lock loses it, with one exception: the lock of the unique job that is being processed goes only
	 * if it still is the one that was taken for this job. Laravel 11 and 12 call this for both.
	 */
	public function forceRelease(): void
	{
		$owner = $this->uniqueJobs->ownerOf($this->name);
		if ($owner !== null) {
			$this->client->release($this->name, $owner);
		} else {
			$this->client->forceRelease($this->name);
		}
	}

	/** The owner of the lock, for restoreLock(): what it will be taken with if that is still to come. */
	public function owner(): string
	{
		return $this->owner = $this->chosen ??= $this->owner !== '' ? $this->owner : bin2hex(random_bytes(16));
	}

	/** @param string|null $owner */
	public function isOwnedBy($owner): bool
	{
		$current = $this->getCurrentOwner();
		return $current === $owner
			|| $current !== null && $owner !== null && $current === $this->connection->packed($owner);
	}

	public function isOwnedByCurrentProcess(): bool
	{
		$owner = $this->chosen ?? $this->owner;
		return $owner !== '' && $this->isOwnedBy($owner);
	}

	/**
	 * The fencing token of the lock: larger than that of everybody who had it before. Null before it was taken by this
	 * object.
	 */
	public function fence(): ?int
	{
		return $this->mutex->fence();
	}

	/** The seconds of lease that are left by the clock of this machine; 0.0 if this object does not hold the lock. */
	public function remaining(): float
	{
		return $this->mutex->remaining();
	}

	/** The name of the connection in config/database.php whose server and prefix the lock has. */
	public function getConnectionName(): string
	{
		return $this->connection->name;
	}

	/** Nobody else knows the owner, so nobody but this object can ever give the lock back. */
	public function isPrivate(): bool
	{
		return $this->chosen === null && $this->taken;
	}

	protected function getCurrentOwner(): ?string
	{
		return $this->client->inspect($this->name)['token'];
	}

	private function take(float $wait): bool
	{
		// An object that holds the lock is like any other holder. It must not lose what it needs to give it back.
		$mutex = $this->mutex->isHeld() ? $this->make() : $this->mutex;
		$taken = $this->taken;
		// Also if there is an exception: then only the mutex knows what may have to be given back.
		$this->taken = $taken || $mutex === $this->mutex;
		$this->liveLocks->add($this, $this->name, $this->seconds <= 0);
		try {
			do {
				$slice = min($wait, \RedisLock::MAX_WAIT);
				$wait -= $slice;
				$fence = $mutex->acquire($slice, $this->chosen);
			} while ($fence === null && $wait > 0);
		} catch (ValueError $problem) {
			throw new InvalidArgumentException($problem->getMessage(), 0, $problem);
		}
		if ($fence === null) {
			$this->taken = $taken;
			return false;
		}
		$this->mutex = $mutex;
		$this->taken = true;
		$this->owner = $mutex->token() ?? $this->owner;
		$this->uniqueJobs->acquired($this->name, $this->owner);
		return true;
	}

	/** The callback's result or exception comes through, whatever happens to the lock afterwards. */
	private function run(callable $callback): mixed
	{
		try {
			return $callback();
		} finally {
			try {
				$this->release();
			} catch (RedisLockException $problem) {
				// The work is done, and the lease will end. It is not worth the result, but somebody should know.
				self::report($problem);
			}
		}
	}

	private static function report(Throwable $problem): void
	{
		$container = Container::getInstance();
		if ($container->bound(ExceptionHandler::class)) {
			$container->make(ExceptionHandler::class)->report($problem);
		}
	}

	/**
	 * For a lock that somebody else has taken, maybe a worker that still has Laravel's own driver.
	 *
	 * @param callable(string, string): bool $operation
	 */
	private function asOwner(string $owner, callable $operation): bool
	{
		try {
			if ($operation($this->name, $owner)) {
				return true;
			}
		} catch (ValueError $problem) {
			throw new InvalidArgumentException($problem->getMessage(), 0, $problem);
		}
		$packed = $this->connection->packed($owner);
		return $packed !== null && $operation($this->name, $packed);
	}

	private function lease(float $seconds): float
	{
		return $seconds > 0 ? max(1.0, min($seconds, \RedisLock::MAX_TTL)) : $this->forever;
	}

	private function make(): \RedisLock
	{
		try {
			return $this->client->lock($this->name, $this->lease((float) $this->seconds), autoRelease: false);
		} catch (ValueError $problem) {
			throw new InvalidArgumentException($problem->getMessage(), 0, $problem);
		}
	}
}
