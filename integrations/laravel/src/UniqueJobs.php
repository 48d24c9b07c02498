<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Bus\UniqueLock;
use Illuminate\Contracts\Queue\Job;
use Illuminate\Queue\Jobs\SyncJob;
use WeakMap;

/**
 * Keeps the owner of a unique job's lock with the job in the queue.
 *
 * Laravel 11 and 12 take the lock when the job is dispatched and throw its owner away. When the job is done they delete
 * the lock, whoever has it by then: a retry of a job that is unique until it is processed, or a job that was longer in
 * the queue than its lock lasted, deletes the lock of the job that came after it. With the owner at hand it does not.
 */
final class UniqueJobs
{
	private const PREFIX = 'laravel_unique_job:';

	/** In the payload of a job. */
	private const FIELD = 'redislock_unique';

	/** A job that was not pushed after all leaves an entry. They are few, and small. */
	private const MOST = 1000;

	/** @var array<string, string> name => owner: taken, and the job is not in the queue yet */
	private array $acquired = [];

	/** @var WeakMap<Job, array{string, string}> name and owner: of the jobs that are being processed, one inside of the other */
	private WeakMap $processed;

	/** @var WeakMap<Job, true> */
	private WeakMap $aboutToFail;

	public function __construct()
	{
		$this->processed = new WeakMap();
		$this->aboutToFail = new WeakMap();
	}

	public function acquired(string $name, string $owner): void
	{
		if (!str_starts_with($name, self::PREFIX)) {
			return;
		}
		unset($this->acquired[$name]);
		$this->acquired[$name] = $owner;
		if (count($this->acquired) > self::MOST) {
			unset($this->acquired[array_key_first($this->acquired)]);
		}
	}

	/**
	 * @param array<string, mixed> $payload of a job that is about to be pushed
	 * @return array<string, mixed> what is to be added to it
	 */
	public function payload(array $payload): array
	{
		$command = $payload['data']['command'] ?? null;
		if ($this->acquired === [] || !is_object($command)) {
			return [];
		}
		$name = UniqueLock::getKey($command);
		if (!isset($this->acquired[$name])) {
			return [];
		}
		$owner = $this->acquired[$name];
		unset($this->acquired[$name]);
		return [self::FIELD => ['name' => $name, 'owner' => $owner]];
	}

	public function begin(Job $job): void
	{
		$field = $job->payload()[self::FIELD] ?? null;
		if (is_string($field['name'] ?? null) && is_string($field['owner'] ?? null)) {
			$this->processed[$job] = [$field['name'], $field['owner']];
		}
	}

	/** The job is over, and Laravel has no more use for its lock. */
	public function end(Job $job): void
	{
		unset($this->processed[$job]);
	}

	/**
	 * The job has ended by an exception. Laravel lets a sync job fail after it has said so, and deletes its lock then. A
	 * job that has failed itself goes on, and its lock is deleted twice.
	 */
	public function exception(Job $job): void
	{
		if ($job instanceof SyncJob && !$job->isDeleted()) {
			$this->aboutToFail[$job] = true;
		} else {
			$this->end($job);
		}
	}

	public function failed(Job $job): void
	{
		if (isset($this->aboutToFail[$job])) {
			$this->end($job);
		}
	}

	/** The owner of the lock that was taken for the job that is being processed. Null: the name is not of its lock. */
	public function ownerOf(string $name): ?string
	{
		$owner = null;
		foreach ($this->processed as [$of, $is]) {
			$owner = $of === $name ? $is : $owner;
		}
		return $owner;
	}
}
