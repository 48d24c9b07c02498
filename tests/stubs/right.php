<?php
/*
 * Uses of the interface that PHPStan (level max) and Psalm (level 1) must accept. It is analysed and never run.
 */
declare(strict_types=1);

use RedisLock\Client;
use RedisLock\ConnectionException;
use RedisLock\FailureException;
use RedisLock\LostException;
use RedisLock\Mutex;
use RedisLock\MutexFactory;
use RedisLock\NotAcquiredException;
use RedisLock\QuorumException;
use RedisLock\RedisLockError;
use RedisLock\ServerException;
use RedisLock\UncertainException;

/** @param int<1, max> $fence */
function store(int $fence): string
{
	return "fence $fence";
}

/** A fake as a user's test would have one: it needs no Redis and no RedisLock. */
final class FakeMutex implements Mutex
{
	/** @var int<0, max> */
	private int $acquired = 0;
	private ?string $token = null;

	/** @param list<string> $calls */
	public function __construct(private readonly bool $free = true, public array $calls = [])
	{
	}

	public function acquire(float $wait = 0.0, #[\SensitiveParameter] ?string $token = null): ?int
	{
		return $this->free ? $this->attach($token ?? 'a token') : null;
	}

	public function attach(#[\SensitiveParameter] string $token): int
	{
		$this->calls[] = __FUNCTION__;
		$this->token = $token;
		return ++$this->acquired;
	}

	public function renew(?float $ttl = null): bool
	{
		$this->calls[] = __FUNCTION__;
		return $this->token !== null;
	}

	public function release(): bool
	{
		$this->calls[] = __FUNCTION__;
		$held = $this->token !== null;
		$this->token = null;
		return $held;
	}

	public function isHeld(): bool
	{
		$this->calls[] = __FUNCTION__;
		return $this->token !== null;
	}

	public function remaining(): float
	{
		$this->calls[] = __FUNCTION__;
		return $this->token === null ? 0.0 : 30.0;
	}

	public function fence(): ?int
	{
		$this->calls[] = __FUNCTION__;
		return $this->acquired > 0 ? $this->acquired : null;
	}

	public function token(): ?string
	{
		$this->calls[] = __FUNCTION__;
		return $this->token;
	}

	public function synchronized(callable $callback, float $wait = 0.0): mixed
	{
		$fence = $this->acquire($wait) ?? throw new NotAcquiredException();
		try {
			return $callback($fence, $this);
		} finally {
			$this->release();
		}
	}

	public function detach(): string
	{
		$this->calls[] = __FUNCTION__;
		return $this->token ?? throw new RedisLockError();
	}
}

final class Orders
{
	public function __construct(private readonly MutexFactory $locks)
	{
	}

	public function take(string $order): ?string
	{
		$lock = $this->locks->lock("order:$order", 10.0);
		$fence = $lock->acquire(2.0);
		if ($fence === null) {
			return null;
		}
		try {
			return store($fence);
		} finally {
			$lock->release();
		}
	}

	/** The type of the callback's result comes through. */
	public function total(Mutex $lock): int
	{
		return $lock->synchronized(fn (int $fence): int => strlen(store($fence)), 1.0);
	}

	/** @return list<string> */
	public function names(): array
	{
		$lock = new RedisLock('names', ttl: 5.0, autoRelease: false);
		return $lock->synchronized(function (int $fence, RedisLock $lock): array {
			return [store($fence), $lock->name];
		});
	}

	public function nothing(RedisLock $lock): void
	{
		$lock->synchronized(static function (): void {
		});
	}
}

/** Each call may have another result than the one before. */
function tryTwice(RedisLock $lock): string
{
	if ($lock->isHeld()) {
		sleep(1);
		if (!$lock->isHeld()) {
			return 'the lease is over';
		}
	}
	if ($lock->acquire() === null) {
		sleep(1);
		if ($lock->acquire() !== null) {
			return 'the second time';
		}
	}
	if ($lock->fence() === null && $lock->token() === null) {
		$lock->acquire();
		if ($lock->fence() !== null && $lock->token() !== null) {
			return 'the third time';
		}
	}
	if ($lock->remaining() === 0.0) {
		$lock->renew();
		if ($lock->remaining() > 0.0) {
			return 'renewed';
		}
	}
	if (!$lock->release()) {
		return $lock->release() ? 'given back' : 'not ours';
	}
	return $lock->detach();
}

function outage(Client $client): string
{
	try {
		$client->lock('x')->acquire();
	} catch (QuorumException $problem) {
		$said = [];
		foreach ($problem->errors as $node => $error) {
			$said[] = $node . ': ' . $error->getMessage();
		}
		return implode("\n", $said);
	} catch (ServerException $problem) {
		return $problem->redisCode;
	} catch (ConnectionException | UncertainException | RedisLockError $problem) {
		return $problem->getMessage();
	} catch (LostException $problem) {
		return get_debug_type($problem->result);
	}
	return '';
}

function outageInShort(MutexFactory $client): string
{
	try {
		$client->lock('x')->synchronized(store(...));
	} catch (FailureException $problem) {
		return 'an outage: ' . $problem->getMessage();
	} catch (NotAcquiredException) {
		return 'somebody else holds it';
	}
	return '';
}

function looking(MutexFactory $client): float
{
	$found = $client->inspect('x');
	if (!$found['held'] || $found['waiters']) {
		return 0.0;
	}
	return ($found['remaining'] ?? INF) + (float) ($found['fence'] ?? 0) + (float) strlen($found['token'] ?? '');
}

function numbers(): string
{
	$stats = RedisLock::stats();
	$late = $stats['groups']['invoice']['released_late'] ?? 0;
	$mean = $stats['hold_seconds']['sum'] / max(1, $stats['hold_seconds']['count']);
	return sprintf('%d of %d, %.3f s, %d', $stats['acquired'], $stats['attempts'], $mean, $stats['errors']['connection'] + $late) . RedisLock::metrics();
}

function clients(string $password): Client
{
	new Client(['redis://a', 'redis://b', 'redis://c'], prefix: 'app:', connectTimeout: 0.5);
	return new Client("redis://:$password@localhost:6379/2", timeout: 1.0, retryFor: 5.0, persistent: true);
}

function limits(): float
{
	return min(max(1.5, RedisLock::MIN_TTL), RedisLock::MAX_TTL, RedisLock::MAX_WAIT) + RedisLock::MAX_NAME_LENGTH;
}
