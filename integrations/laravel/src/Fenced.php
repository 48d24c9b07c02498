<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use BackedEnum;
use Closure;
use DateInterval;
use DateTimeInterface;
use Illuminate\Queue\Jobs\SyncJob;
use Illuminate\Support\InteractsWithTime;
use InvalidArgumentException;
use LogicException;
use RedisLock\FailureException;
use RedisLock\NotAcquiredException;
use UnitEnum;
use ValueError;

/**
 * A job middleware: the job runs under a lock, and the trait HasFence gives it the fence.
 *
 * The name is that of Cache::lock(), as it is: jobs of different classes, commands and requests that use the same name
 * exclude each other.
 */
final class Fenced
{
	use InteractsWithTime;

	private readonly string $name;

	private ?string $store = null;

	private ?float $lease = null;

	private ?float $wait = null;

	/** @var array{int, int}|null seconds: the first time, and at most */
	private ?array $releaseAfter = null;

	private bool $release = true;

	/** @param string|UnitEnum $name what is protected, such as "account:7" */
	public function __construct(string|UnitEnum $name)
	{
		$name = $name instanceof UnitEnum ? (string) ($name instanceof BackedEnum ? $name->value : $name->name) : $name;
		if ($name === '' || strlen($name) > \RedisLock::MAX_NAME_LENGTH) {
			throw new InvalidArgumentException(sprintf('The name of a lock has 1 to %d bytes, not %d', \RedisLock::MAX_NAME_LENGTH, strlen($name)));
		}
		$this->name = $name;
	}

	/**
	 * The lease. Make it longer than the job may run; the setting redislock.fenced.lease is the default.
	 *
	 * @return $this
	 */
	public function expireAfter(DateTimeInterface|DateInterval|int|float $seconds): static
	{
		$this->lease = self::valid('The lease', is_float($seconds) ? $seconds : $this->secondsUntil($seconds), 1, \RedisLock::MAX_TTL);
		return $this;
	}

	/**
	 * How long the worker waits for the lock before it gives the job back to the queue.
	 *
	 * @return $this
	 */
	public function waitFor(int|float $seconds): static
	{
		$this->wait = self::valid('The wait', $seconds, 0, \RedisLock::MAX_WAIT);
		return $this;
	}

	/**
	 * For how long the job goes back to the queue if the lock is not to be had: about $first seconds the first time,
	 * twice as long from one attempt to the next, never more than $most.
	 *
	 * @return $this
	 */
	public function releaseAfter(int $first, ?int $most = null): static
	{
		$this->releaseAfter = self::validDelays([$first, $most ?? max($first, 60)]);
		$this->release = true;
		return $this;
	}

	/**
	 * The job is dropped if the lock is not to be had.
	 *
	 * @return $this
	 */
	public function dontRelease(): static
	{
		$this->release = false;
		return $this;
	}

	/**
	 * The cache store that has the lock. Its driver must be "redislock".
	 *
	 * @return $this
	 */
	public function onStore(string $store): static
	{
		$this->store = $store;
		return $this;
	}

	/**
	 * @param Closure(object): mixed $next
	 * @throws FailureException if Redis could not serve us: that is a failed attempt of the job, not contention
	 * @throws NotAcquiredException if somebody has the lock, and the job runs at once and not from a queue
	 */
	public function handle(object $job, Closure $next): mixed
	{
		$lease = $this->lease ?? self::valid('redislock.fenced.lease', config('redislock.fenced.lease'), 1, \RedisLock::MAX_TTL);
		$wait = $this->wait ?? self::valid('redislock.fenced.wait', config('redislock.fenced.wait'), 0, \RedisLock::MAX_WAIT);
		try {
			$lock = app(LockStores::class)->fenced($this->store, $this->name, $lease);
		} catch (ValueError $problem) {
			throw new InvalidArgumentException($problem->getMessage(), 0, $problem);
		}
		Fences::add($job, $this->name, $lock);
		try {
			if ($lock->acquire($wait) === null) {
				$this->release && $this->giveJobBack($job);
				return null;
			}
			try {
				return $next($job);
			} finally {
				Fences::giveBack($lock, $this->name);
			}
		} finally {
			Fences::remove($job, $this->name);
		}
	}

	private function giveJobBack(object $job): void
	{
		if (!method_exists($job, 'release') || !method_exists($job, 'attempts')) {
			throw new LogicException(sprintf('%s needs the trait InteractsWithQueue, or it cannot go back to the queue when somebody else has the lock', $job::class));
		}
		if (($job->job ?? null) === null || $job->job instanceof SyncJob) {
			throw new NotAcquiredException("The lock \"$this->name\" is held by somebody else, and this job is not in a queue to which it could go back");
		}
		[$first, $most] = $this->releaseAfter ?? self::validDelays(array_values((array) config('redislock.fenced.release_after')), 'redislock.fenced.release_after: ');
		$delay = (int) min($most, $first * 2 ** min(max($job->attempts(), 1) - 1, 30));
		// Those who came together shall not come together again.
		$job->release(random_int((int) ceil($delay / 2), $delay));
	}

	private static function valid(string $what, mixed $seconds, int $least, float $most): float
	{
		if (!is_numeric($seconds) || !($seconds >= $least && $seconds <= $most)) {
			throw new InvalidArgumentException(sprintf('%s must be %d to %d seconds, not %s', $what, $least, $most, json_encode($seconds, JSON_PARTIAL_OUTPUT_ON_ERROR)));
		}
		return (float) $seconds;
	}

	/**
	 * @param array<mixed> $delays
	 * @return array{int, int}
	 */
	private static function validDelays(array $delays, string $setting = ''): array
	{
		if (count($delays) !== 2 || !is_int($delays[0]) || !is_int($delays[1]) || $delays[0] < 1 || $delays[1] < $delays[0]) {
			throw new InvalidArgumentException("{$setting}the job goes back to the queue for 1 second or more, and not for longer than the most that is given after it, not " . json_encode($delays));
		}
		return $delays;
	}
}
