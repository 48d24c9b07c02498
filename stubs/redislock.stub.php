<?php

/**
 * The PHP interface of the redislock extension.
 *
 * This file is the source of src/redislock_arginfo.h (scripts/generate), and what the Composer package redislock/stubs
 * gives to PHPStan, Psalm and an IDE. What gen_stub.php cannot read stands in @phpstan-… and @psalm-… tags.
 *
 * Every duration is a float in seconds and is rounded up to whole milliseconds. An argument that is out of range
 * raises a ValueError before anything is sent to Redis.
 *
 * @generate-class-entries
 */

namespace {

	/**
	 * A lease on a named resource in Redis or Valkey, with a fencing token for every acquisition.
	 *
	 * @strict-properties
	 * @not-serializable
	 */
	final class RedisLock implements RedisLock\Mutex
	{
		/**
		 * The shortest lease, in seconds. A reply takes time, and a lease that is over when it arrives is no lease.
		 *
		 * @var float
		 */
		public const MIN_TTL = 0.01;

		/**
		 * The longest lease, in seconds: 31 days.
		 *
		 * @var float
		 */
		public const MAX_TTL = 2678400.0;

		/**
		 * The longest time acquire() can wait, in seconds: one day.
		 *
		 * @var float
		 */
		public const MAX_WAIT = 86400.0;

		/**
		 * The longest name, in bytes.
		 *
		 * @var int
		 */
		public const MAX_NAME_LENGTH = 1024;

		/** The name of the resource, as given. */
		public readonly string $name;

		/** The lease in seconds, as given. */
		public readonly float $ttl;

		/**
		 * Describes a lock. Nothing is sent to Redis before acquire() or attach().
		 *
		 * @param string $name the resource: 1 to 1024 bytes, any bytes
		 * @param float $ttl the lease in seconds, MIN_TTL to MAX_TTL
		 * @param RedisLock\Client|null $client where the lock lives; null: one client per request, made from the INI
		 * @param bool $autoRelease give the lock back when the object is destroyed and at the end of the request
		 * @throws ValueError if the name or the lease is out of range
		 */
		public function __construct(string $name, float $ttl = 30.0, ?RedisLock\Client $client = null, bool $autoRelease = true) {}

		public function acquire(float $wait = 0.0, #[\SensitiveParameter] ?string $token = null): ?int {}

		public function attach(#[\SensitiveParameter] string $token): ?int {}

		public function renew(?float $ttl = null): bool {}

		public function release(): bool {}

		public function isHeld(): bool {}

		public function remaining(): float {}

		public function fence(): ?int {}

		public function token(): ?string {}

		/**
		 * @template T
		 *
		 * @param callable $callback gets the fence and this object
		 * @phpstan-param callable(int<1, max>, RedisLock): T $callback
		 * @psalm-param callable(int<1, max>, RedisLock): T $callback
		 * @return mixed what $callback returned
		 * @phpstan-return T
		 * @psalm-return T
		 * @throws RedisLock\NotAcquiredException
		 * @throws RedisLock\LostException
		 * @throws RedisLock\FailureException
		 * @phpstan-impure
		 */
		public function synchronized(callable $callback, float $wait = 0.0): mixed {}

		public function detach(): string {}

		/**
		 * What the locks have done since the process started: of PHP-FPM and every other server that forks its workers,
		 * what all of them together have done. A child of pcntl_fork() counts together with its parent.
		 *
		 * docs/metrics.md says what each number means. In a histogram, buckets are by their upper bound, and say how many
		 * values were not larger; values are in seconds, those of lease_used_ratio in leases. groups is there with
		 * redislock.stats_groups. Everything is 0 if redislock.stats is off.
		 *
		 * @return array{attempts: int, acquired: int, refused: int, timed_out: int, contended: int, hand_overs: int,
		 *     attached: int, renewed: int, renewals_refused: int, released: int, released_automatically: int,
		 *     released_late: int, lost: int, errors: array{connection: int, uncertain: int, server: int, quorum: int,
		 *     lost: int, system: int}, wait_seconds: array{count: int, sum: float, buckets: array<array-key, int>},
		 *     hold_seconds: array{count: int, sum: float, buckets: array<array-key, int>},
		 *     lease_used_ratio: array{count: int, sum: float, buckets: array<array-key, int>}, connections: int,
		 *     reconnects: int, connections_parked: int, repeats: int, orphans: int, raises: int, node_failures: int,
		 *     fences_ahead: int, round_trip_seconds: array{count: int, sum: float, buckets: array<array-key, int>},
		 *     groups?: array<array-key, array{attempts: int, acquired: int, refused: int, timed_out: int,
		 *     contended: int, hand_overs: int, attached: int, renewed: int, renewals_refused: int, released: int,
		 *     released_automatically: int, released_late: int, lost: int, errors: array{connection: int, uncertain: int,
		 *     server: int, quorum: int, lost: int, system: int}, wait_seconds: array{count: int, sum: float,
		 *     buckets: array<array-key, int>}, hold_seconds: array{count: int, sum: float, buckets: array<array-key, int>},
		 *     lease_used_ratio: array{count: int, sum: float, buckets: array<array-key, int>}}>}
		 */
		public static function stats(): array {}

		/**
		 * The same as text for Prometheus: its text format, version 0.0.4. Empty if redislock.stats is off.
		 */
		public static function metrics(): string {}
	}
}

namespace RedisLock {

	/**
	 * Every public instance method of RedisLock: what code that takes a lock should ask for, and what its tests can
	 * replace. It may grow in a minor version.
	 */
	interface Mutex
	{
		/**
		 * Takes the lock.
		 *
		 * @param float $wait how long to wait while somebody else holds it, in seconds, 0 to MAX_WAIT; 0 never blocks
		 * @param string|null $token the owner's secret, 1 to 255 bytes, not beginning with "handoff:"; null: a fresh
		 *        random one, which is what everybody wants who does not have to
		 * @return int|null the fence: larger than every fence handed out before for this name. Null: somebody else held
		 *         the lock to the end of $wait
		 * @phpstan-return int<1, max>|null
		 * @psalm-return int<1, max>|null
		 * @throws \ValueError if an argument is out of range
		 * @throws RedisLockError if this object holds the lock already
		 * @throws ConnectionException if Redis could not be reached: nothing was taken
		 * @throws UncertainException if the command was sent and its outcome stayed unknown: the object remembers it,
		 *         release() and the destructor give back what may have been taken
		 * @throws ServerException if Redis answered with an error
		 * @throws QuorumException if fewer than a majority of the nodes of a quorum answered
		 * @throws LostException if the lease was over before the answer arrived
		 * @phpstan-impure
		 */
		public function acquire(float $wait = 0.0, #[\SensitiveParameter] ?string $token = null): ?int;

		/**
		 * Takes over, in this process, a lock that $token holds. It is a new ownership, so it has a new fence. A lock
		 * without a time to live gets the lease of this object; otherwise what is left of the lease stays as it is.
		 *
		 * @param string $token the token of the present holder, 1 to 65535 bytes; also one another library wrote
		 * @return int|null the new fence; null: that token does not hold the lock
		 * @phpstan-return int<1, max>|null
		 * @psalm-return int<1, max>|null
		 * @throws \ValueError if the token is empty, too long, or begins with "handoff:"
		 * @throws RedisLockError if this object holds the lock already
		 * @throws FailureException if Redis could not serve the call
		 * @phpstan-impure
		 */
		public function attach(#[\SensitiveParameter] string $token): ?int;

		/**
		 * Makes the lease last $ttl seconds from now. A lease is never shortened and never made anew.
		 *
		 * @param float|null $ttl seconds, MIN_TTL to MAX_TTL; null: the lease given to the constructor
		 * @return bool true: the lease is ours and lasts at least that long; false: it is no longer ours
		 * @throws \ValueError if the lease is out of range
		 * @throws FailureException if Redis could not serve the call: the lease from before still stands
		 * @phpstan-impure
		 */
		public function renew(?float $ttl = null): bool;

		/**
		 * Gives the lock back. Calling it again does no harm.
		 *
		 * @return bool true: we gave it back; false: it was no longer ours
		 * @throws ConnectionException if Redis could not be reached: the lock is held until its lease ends
		 * @throws UncertainException if it stayed unknown whether we or the end of the lease freed the lock
		 * @throws ServerException if Redis answered with an error
		 * @throws QuorumException if fewer than a majority of the nodes of a quorum answered
		 * @phpstan-impure
		 */
		public function release(): bool;

		/**
		 * True while the lease is ours by the local clock. Sends nothing.
		 *
		 * @phpstan-impure
		 */
		public function isHeld(): bool;

		/**
		 * The seconds of lease that are left by the local clock; 0.0 when the lock is not held. Sends nothing.
		 *
		 * @phpstan-impure
		 */
		public function remaining(): float;

		/**
		 * The fence of the present or the last acquisition, null before the first.
		 *
		 * @phpstan-return int<1, max>|null
		 * @psalm-return int<1, max>|null
		 * @phpstan-impure
		 */
		public function fence(): ?int;

		/**
		 * The owner's secret: 32 hexadecimal digits, or what the caller chose. Null when the lock is not held.
		 *
		 * @phpstan-impure
		 */
		public function token(): ?string;

		/**
		 * Runs $callback under the lock: acquires it, calls $callback(int $fence, Mutex $lock), gives it back.
		 *
		 * @template T
		 *
		 * @param callable $callback gets the fence and this object
		 * @phpstan-param callable(int<1, max>, Mutex): T $callback
		 * @psalm-param callable(int<1, max>, Mutex): T $callback
		 * @param float $wait as in acquire()
		 * @return mixed what $callback returned
		 * @phpstan-return T
		 * @psalm-return T
		 * @throws NotAcquiredException if somebody else held the lock to the end of $wait: $callback was not called
		 * @throws LostException if the lease was over when $callback returned: its result is in $result
		 * @throws FailureException as acquire() does. An exception of $callback always comes through unchanged
		 * @phpstan-impure
		 */
		public function synchronized(callable $callback, float $wait = 0.0): mixed;

		/**
		 * Ends the ownership of this object without giving the lock back, so that another process can attach().
		 *
		 * @return string the token
		 * @throws RedisLockError if this object does not hold the lock
		 * @phpstan-impure
		 */
		public function detach(): string;
	}

	/** What makes locks, and works on a lock by its name and token. It may grow in a minor version. */
	interface MutexFactory
	{
		/**
		 * Describes a lock that lives where this client points to. Sends nothing.
		 *
		 * @param string $name the resource: 1 to 1024 bytes, any bytes
		 * @param float $ttl the lease in seconds, RedisLock::MIN_TTL to RedisLock::MAX_TTL
		 * @param bool $autoRelease give the lock back when the object is destroyed and at the end of the request
		 * @throws \ValueError if the name or the lease is out of range
		 */
		public function lock(string $name, float $ttl = 30.0, bool $autoRelease = true): Mutex;

		/**
		 * Gives a lock back for a holder that is elsewhere, in one round trip.
		 *
		 * @param string $name the resource
		 * @param string $token the token of the holder
		 * @return bool true: it was given back; false: that token does not hold the lock
		 * @throws UncertainException also if the command was sent twice, because the first answer was lost, and the
		 *         second answer is "not held by that token": the first one may have done it
		 * @throws FailureException if Redis could not serve the call
		 * @phpstan-impure
		 */
		public function release(string $name, #[\SensitiveParameter] string $token): bool;

		/**
		 * Renews a lease for a holder that is elsewhere, in one round trip. A lease is never shortened.
		 *
		 * @param string $name the resource
		 * @param string $token the token of the holder
		 * @param float $ttl the lease in seconds from now
		 * @return bool true: the lease lasts at least that long; false: that token does not hold the lock
		 * @throws FailureException if Redis could not serve the call
		 * @phpstan-impure
		 */
		public function renew(string $name, #[\SensitiveParameter] string $token, float $ttl): bool;

		/**
		 * An operator's override: whoever holds the lock loses it, and one who waits for it is served.
		 *
		 * @param string $name the resource
		 * @return bool true: something was there
		 * @throws FailureException if Redis could not serve the call
		 * @phpstan-impure
		 */
		public function forceRelease(string $name): bool;

		/**
		 * What Redis knows of a lock.
		 *
		 * @param string $name the resource
		 * @return array{held: bool, token: ?string, remaining: ?float, fence: ?int, waiters: bool} remaining is INF for
		 *         a lock without a time to live; fence is the last one handed out
		 * @throws FailureException if Redis could not serve the call
		 * @phpstan-impure
		 */
		public function inspect(string $name): array;
	}

	/**
	 * Where the locks live. Cheap to make: it connects on first use, and connections are shared by all clients with
	 * the same settings.
	 *
	 * @strict-properties
	 * @not-serializable
	 */
	final class Client implements MutexFactory
	{
		/**
		 * @param string|array|null $servers one DSN, redis://[[user]:password@]host[:port][/db], rediss:// (TLS) or
		 *        unix://[[user]:password@]/path.sock?db=2; null: redislock.servers
		 * @phpstan-param string|array<string>|null $servers
		 * @psalm-param string|array<string>|null $servers
		 * @param string|null $prefix put before every name; null: redislock.prefix
		 * @param float|null $connectTimeout seconds for a connection to be ready; null: redislock.connect_timeout
		 * @param float|null $timeout seconds for one command; null: redislock.timeout
		 * @param float|null $retryFor how long failures are retried within a wait; null: redislock.retry_for
		 * @param bool|null $persistent keep connections when the request ends; null: redislock.persistent
		 * @throws \ValueError if a DSN or a setting is not usable; the message says why and never holds a password
		 */
		public function __construct(#[\SensitiveParameter] string|array|null $servers = null, ?string $prefix = null, ?float $connectTimeout = null, ?float $timeout = null, ?float $retryFor = null, ?bool $persistent = null) {}

		public function lock(string $name, float $ttl = 30.0, bool $autoRelease = true): \RedisLock {}

		public function release(string $name, #[\SensitiveParameter] string $token): bool {}

		public function renew(string $name, #[\SensitiveParameter] string $token, float $ttl): bool {}

		/**
		 * Puts the nodes of a new quorum into service.
		 *
		 * @throws RedisLockError if this client is not a quorum
		 */
		public function initializeQuorum(): void {}

		public function forceRelease(string $name): bool {}

		public function inspect(string $name): array {}
	}

	/** What every exception of this extension is. */
	class RedisLockException extends \Exception
	{
	}

	/** Redis could not serve us: what to catch for an outage. */
	abstract class FailureException extends RedisLockException
	{
	}

	/** Redis could not be reached. Nothing was sent, nothing was taken. */
	class ConnectionException extends FailureException
	{
	}

	/** A command was sent and its outcome stayed unknown. */
	class UncertainException extends FailureException
	{
	}

	/** Redis answered with an error. */
	class ServerException extends FailureException
	{
		/** The first word of the answer: OOM, READONLY, NOAUTH, NOPERM, LOADING, WRONGTYPE … */
		public string $redisCode = "";
	}

	/** Fewer than a majority of the nodes answered. */
	class QuorumException extends FailureException
	{
		/**
		 * What was wrong with each node: "host:port" => FailureException.
		 *
		 * @phpstan-var array<string, FailureException>
		 * @psalm-var array<string, FailureException>
		 */
		public array $errors = [];
	}

	/** synchronized() did not get the lock: somebody else held it to the end of the wait. */
	class NotAcquiredException extends RedisLockException
	{
	}

	/** The lease was over before the work was done. */
	class LostException extends RedisLockException
	{
		/** What the callback of synchronized() returned. */
		public mixed $result = null;
	}

	/** Misuse of an object: the program is wrong, not Redis. */
	class RedisLockError extends \Error
	{
	}
}
