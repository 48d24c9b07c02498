<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Bus\UniqueLock;
use Illuminate\Contracts\Queue\Job;
use Illuminate\Queue\Jobs\SyncJob;

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

	/** @var array<string, string> name => owner: of the job that is being processed, and of those inside of it */
	private array $processed = [];

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
		// A sync job runs inside of another one, or of a request.
		if (!$job instanceof SyncJob) {
			$this->processed = [];
		}
		$field = $job->payload()[self::FIELD] ?? null;
		if (is_string($field['name'] ?? null) && is_string($field['owner'] ?? null)) {
			$this->processed[$field['name']] = $field['owner'];
		}
	}

	/** The owner of the lock that was taken for the job that is being processed. Null: the name is not of its lock. */
	public function ownerOf(string $name): ?string
	{
		return $this->processed[$name] ?? null;
	}
}
