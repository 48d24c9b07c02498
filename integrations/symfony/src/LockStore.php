<?php
declare(strict_types=1);

namespace RedisLock\Symfony;

use Psr\Log\LoggerAwareInterface;
use Psr\Log\LoggerAwareTrait;
use RedisLock;
use RedisLock\FailureException;
use RedisLock\LostException;
use RedisLock\MutexFactory;
use Symfony\Component\Lock\BlockingStoreInterface;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockExpiredException;
use Symfony\Component\Lock\Exception\LockStorageException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Store\ExpiringStoreTrait;
use WeakMap;

/**
 * A store of symfony/lock on ext-redislock: owner-checked, with a lease, in a queue without polling, and with a fence.
 *
 * A Key owns the lock, as with every store of Symfony. The Key carries the token and the fence, so it can be serialized
 * and handed to another process. The live lock is kept beside it, by process: a forked child that destroys its copy of a
 * Lock releases nothing.
 *
 * Contention is a LockConflictedException, a failure of Redis a LockStorageException whose previous one says what it was.
 */
final class LockStore implements BlockingStoreInterface, LoggerAwareInterface
{
	use ExpiringStoreTrait;
	use LoggerAwareTrait;

	/** @var WeakMap<Key, Holding> */
	private WeakMap $holdings;

	/**
	 * @param MutexFactory $client where the locks live
	 * @param float $initialTtl the lease, in seconds, of a lock that comes without one of its own
	 * @param float|null $maxWait how long acquire(true) waits, in seconds, before it throws a LockConflictedException; null:
	 *        for ever, as Symfony's own stores do. It ends in any case when Redis fails
	 * @param bool $handOver whether a Key that holds a lock can be serialized, with its secret, for another process
	 * @throws InvalidTtlException if the lease is not possible
	 */
	public function __construct(
		private readonly MutexFactory $client,
		private readonly float $initialTtl = 300.0,
		private readonly ?float $maxWait = null,
		private readonly bool $handOver = true,
	) {
		self::lease($initialTtl);
		self::checkWait($maxWait);
		$this->holdings = new WeakMap();
	}

	public function save(Key $key): void
	{
		$this->take($key, null);
	}

	/** Waits in the queue, first come, first served, up to maxWait. */
	public function waitAndSave(Key $key): void
	{
		$this->take($key, $this->holding($key)->maxWait ?? $this->maxWait ?? INF);
	}

	public function putOffExpiration(Key $key, float $ttl): void
	{
		$lease = self::lease($ttl);
		$sent = Holding::now();
		$key->reduceLifetime($ttl);
		$holding = $this->holdings[$key] ?? null;
		if ($holding?->isOfParent()) {
			throw self::conflict($key);
		}
		if ($holding?->isOwned()) {
			if (!$holding->coversFirstRefresh($lease) && !$this->ask(static fn () => $holding->lock?->renew($lease))) {
				$this->lost($key, $holding);
				throw self::conflict($key);
			}
			$holding->extended($sent, $ttl);
		} else {
			$token = self::token($key) ?? throw self::conflict($key);
			if (!$this->ask(fn () => $this->client->renew(LockName::fit((string) $key), $token, $lease))) {
				$key->removeState(self::class);
				throw self::conflict($key);
			}
		}
		$this->checkNotExpired($key);
	}

	public function exists(Key $key): bool
	{
		$holding = $this->holdings[$key] ?? null;
		if ($holding?->isOfParent()) {
			return false;
		}
		$token = self::token($key);
		if ($holding?->isOwned()) {
			if ($holding->isOver()) {
				$this->giveBack($key, $holding);
				return false;
			}
			// What the local clock says errs on the safe side.
			$token = $holding->lock?->isHeld() ? $holding->lock->token() : null;
		}
		return $token !== null
			&& $this->ask(fn () => $this->client->inspect(LockName::fit((string) $key)))['token'] === $token;
	}

	public function delete(Key $key): void
	{
		$holding = $this->holdings[$key] ?? null;
		if ($holding?->isOfParent()) {
			$this->logger?->notice('Lock "{resource}" is not released: the parent of this process holds it.', [
				'resource' => (string) $key,
			]);
			return;
		}
		if ($holding?->isOwned()) {
			$this->giveBack($key, $holding);
		} elseif (($token = self::token($key)) !== null) {
			$released = $this->ask(fn () => $this->client->release(LockName::fit((string) $key), $token));
			$key->removeState(self::class);
			$this->logger?->log($released ? 'info' : 'notice', $released
				? 'Lock "{resource}" released for the process that acquired it.'
				: 'Lock "{resource}" is not released: this key does not hold it any more.', ['resource' => (string) $key]);
		} else {
			$this->logger?->debug('Lock "{resource}" is not released: this key does not hold it.', [
				'resource' => (string) $key,
			]);
		}
	}

	/**
	 * The fence of this Key's acquisition: larger than every one before for the same name. Null before the first. It does
	 * not say that the lock is still held; the database that gets the fence decides that.
	 */
	public function fence(Key $key): ?int
	{
		$holding = $this->holdings[$key] ?? null;
		if ($holding?->isOfParent()) {
			return null;
		}
		return $key->hasState(self::class) ? $key->getState(self::class)['fence'] : null;
	}

	/**
	 * What the lock of this Key is taken with, from the next acquisition on. A Lock tells its store how long it wants the
	 * lock only after it has got it, and a lease is never shortened in Redis. So who knows it before, says it here;
	 * LockFactory does.
	 */
	public function prepare(Key $key, ?float $ttl = null, ?float $maxWait = null): void
	{
		if ($ttl !== null) {
			self::lease($ttl);
		}
		self::checkWait($maxWait);
		$holding = $this->holding($key);
		$holding->lease = $ttl;
		$holding->maxWait = $maxWait;
	}

	/** @param float|null $wait how long; null: not at all */
	private function take(Key $key, ?float $wait): void
	{
		$holding = $this->holding($key);
		if ($holding->isOfParent()) {
			// What the parent holds is not ours, even if it lets us have a copy of its Key.
			$holding->forget();
			$key->removeState(self::class);
		}
		$ttl = $holding->lease ?? $this->initialTtl;
		$began = Holding::now();
		if ($wait === null) {
			$key->reduceLifetime($ttl);
		}
		if (!$this->ask(fn () => $this->hold($key, $holding, $ttl) || $this->acquire($key, $holding, $ttl, $wait ?? 0.0))) {
			throw self::conflict($key);
		}
		if ($wait !== null) {
			// Counted from now, because the time in the queue is none of the lease's.
			$key->reduceLifetime(min($ttl, $holding->lock?->remaining() ?? $ttl));
		}
		$this->logger?->info('Lock "{resource}" acquired, waited {wait_ms} ms, fence {fence}.', [
			'resource' => (string) $key,
			'wait_ms' => round((Holding::now() - $began) * 1000, 1),
			'fence' => $this->fence($key),
		]);
		$this->checkNotExpired($key);
	}

	/** Holds on to what this Key has already: in this process, or because it was handed over. */
	private function hold(Key $key, Holding $holding, float $ttl): bool
	{
		$lease = self::lease($ttl);
		$sent = Holding::now();
		if ($holding->isOwned()) {
			if (!$holding->isOver() && $holding->lock?->renew($lease)) {
				$holding->extended($sent, $ttl);
				return true;
			}
			$this->giveBack($key, $holding);
			return false;
		}
		$token = self::token($key);
		if ($token === null) {
			return false;
		}
		$lock = $this->client->lock(LockName::fit((string) $key), $lease, false);
		// A new owner, so a new fence: the one that handed it over may still be at work.
		$fence = $lock->attach($token);
		if ($fence === null || !$lock->renew($lease)) {
			$key->removeState(self::class);
			return false;
		}
		$holding->forget();
		$holding->candidate($lease, static fn () => $lock);
		$holding->took($sent, $ttl);
		$this->remember($key, $token, $fence);
		return true;
	}

	private function acquire(Key $key, Holding $holding, float $ttl, float $wait): bool
	{
		$lease = self::lease($ttl);
		$lock = $holding->candidate($lease, fn () => $this->client->lock(LockName::fit((string) $key), $lease, false));
		$end = Holding::now() + $wait;
		do {
			$sent = Holding::now();
			$fence = $lock->acquire(min(RedisLock::MAX_WAIT, max(0.0, $end - $sent)));
		} while ($fence === null && Holding::now() < $end);
		if ($fence === null) {
			return false;
		}
		$holding->took($wait > 0.0 ? Holding::now() : $sent, $ttl);
		$this->remember($key, $lock->token(), $fence);
		return true;
	}

	private function giveBack(Key $key, Holding $holding): void
	{
		$released = $this->ask(static fn () => $holding->lock?->release());
		if (!$released) {
			$this->lost($key, $holding);
			return;
		}
		$this->logger?->info('Lock "{resource}" released, held {hold_ms} ms.', [
			'resource' => (string) $key,
			'hold_ms' => round($holding->age() * 1000, 1),
		]);
		$holding->forget();
		$key->removeState(self::class);
	}

	private function lost(Key $key, Holding $holding): void
	{
		$this->logger?->warning('Lock "{resource}" was lost: after {hold_ms} ms it is no longer ours.', [
			'resource' => (string) $key,
			'hold_ms' => round($holding->age() * 1000, 1),
		]);
		$holding->forget();
		$key->removeState(self::class);
	}

	private function holding(Key $key): Holding
	{
		return $this->holdings[$key] ??= new Holding();
	}

	private function remember(Key $key, ?string $token, int $fence): void
	{
		$key->setState(self::class, ['token' => $token, 'fence' => $fence]);
		if (!$this->handOver) {
			$key->markUnserializable();
		}
	}

	private static function token(Key $key): ?string
	{
		return $key->hasState(self::class) ? $key->getState(self::class)['token'] : null;
	}

	/** The lease in Redis for a time that Symfony asks for: it may ask for less than the shortest one. */
	private static function lease(float $ttl): float
	{
		if (!($ttl > 0.0) || $ttl > RedisLock::MAX_TTL) {
			throw new InvalidTtlException(sprintf(
				'A lock expects a TTL above 0 and up to %d seconds. Got %s.',
				RedisLock::MAX_TTL,
				var_export($ttl, true),
			));
		}
		return max($ttl, RedisLock::MIN_TTL);
	}

	private static function checkWait(?float $maxWait): void
	{
		if ($maxWait !== null && !($maxWait >= 0.0)) {
			throw new InvalidArgumentException(
				sprintf('A lock waits 0 seconds or more, or null: for ever. Got %s.', var_export($maxWait, true)),
			);
		}
	}

	private static function conflict(Key $key): LockConflictedException
	{
		return new LockConflictedException(sprintf('The lock "%s" is held by somebody else.', $key));
	}

	/** @param callable(): mixed $question */
	private function ask(callable $question): mixed
	{
		try {
			return $question();
		} catch (FailureException $exception) {
			throw new LockStorageException($exception->getMessage(), 0, $exception);
		} catch (LostException $exception) {
			throw new LockExpiredException($exception->getMessage(), 0, $exception);
		} catch (\ValueError $error) {
			// Not an \Exception, so the Lock would let it through.
			throw new InvalidArgumentException($error->getMessage(), 0, $error);
		}
	}
}
