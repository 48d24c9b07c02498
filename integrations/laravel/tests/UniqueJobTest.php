<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use App\Jobs\UniqueJob;
use App\Jobs\UniqueUntilProcessingJob;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\Cache;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock\Laravel\Tests\Support\QueueTestCase;

/** ShouldBeUnique and ShouldBeUniqueUntilProcessing. */
final class UniqueJobTest extends QueueTestCase
{
	#[DataProvider('queues')]
	public function testOneAtATime(string $queue): void
	{
		$this->useQueue($queue);
		$job = new UniqueJob('a');
		dispatch($job);
		dispatch(new UniqueJob('a'));
		dispatch(new UniqueJob('b'));
		$this->assertSame(2, $this->jobsInQueue());
		$this->assertLocked(self::uniqueName($job));
		$this->workUntilEmpty();
		foreach (['a', 'b'] as $id) {
			$this->assertHeard('begun', $id);
			$this->assertHeard('done', $id);
		}
		$this->assertNothingSaid();
		$this->assertFree(self::uniqueName($job));
		dispatch(new UniqueJob('a'));
		$this->assertSame(1, $this->jobsInQueue());
	}

	#[DataProvider('queues')]
	public function testTheLockIsKeptForTheRetryAndGoesWithTheFailure(string $queue): void
	{
		$this->useQueue($queue);
		$job = new UniqueJob('a', [['throw once'], ['throw twice']]);
		dispatch($job);
		$this->workOnce('--tries=2');
		$this->assertHeard('begun', 'a', 1);
		$this->assertLocked(self::uniqueName($job));
		dispatch(new UniqueJob('a'));
		$this->assertSame(1, $this->jobsInQueue());
		$this->workOnce('--tries=2');
		$this->assertHeard('begun', 'a', 2);
		$this->assertSame(0, $this->jobsInQueue());
		$this->assertFree(self::uniqueName($job));
	}

	/** The worker is killed; the job is found to have been tried too often by the next one. */
	#[DataProvider('queues')]
	public function testAJobThatTookItsWorkerWithIt(string $queue): void
	{
		$this->useQueue($queue);
		$job = new UniqueJob('a', [['hang']]);
		dispatch($job);
		$worker = $this->worker('--tries=1', '--timeout=2');
		$this->assertHeard('begun', 'a');
		$this->assertSame(-SIGKILL, $worker->wait(), $worker->output());
		$this->assertFree(self::uniqueName($job));
	}

	/**
	 * laravel/framework #60906: the lock is given back before the job is processed, so it may belong to another job by the
	 * time the first one is tried again.
	 */
	#[DataProvider('queues')]
	public function testARetryDoesNotDeleteTheLockOfTheNextJob(string $queue): void
	{
		$this->useQueue($queue);
		$job = new UniqueUntilProcessingJob('a', [['await go', 'throw once'], []]);
		$name = self::uniqueName($job);
		dispatch($job);
		$worker = $this->worker('--once', '--tries=3');
		$this->assertHeard('begun', 'a', 1);
		$this->assertFree($name);
		dispatch((new UniqueUntilProcessingJob('a'))->delay(1000));
		$owner = $this->assertLocked($name);
		$this->tell('go');
		$this->assertSame(0, $worker->wait(), $worker->output());
		$this->assertSame(2, $this->jobsInQueue());
		$this->workOnce('--tries=3');
		$this->assertHeard('begun', 'a', 2);
		$this->assertHeard('done', 'a', 2);
		$this->assertSame($owner, $this->assertLocked($name));
		dispatch(new UniqueUntilProcessingJob('a'));
		$this->assertSame(1, $this->jobsInQueue(), 'there are two of them in the queue');
	}

	/** The other half of it: a job that a middleware has sent back gives its own lock back when it is processed. */
	#[DataProvider('queues')]
	public function testAJobThatWasSentBackStillReleasesItsLock(string $queue): void
	{
		$this->useQueue($queue);
		$job = new UniqueUntilProcessingJob('a');
		$job->sendBack = 2;
		$name = self::uniqueName($job);
		dispatch($job);
		$owner = $this->assertLocked($name);
		foreach ([1, 2] as $attempt) {
			$this->workOnce('--tries=9');
			$this->assertHeard('sent back', 'a', $attempt);
			$this->assertSame($owner, $this->assertLocked($name));
		}
		$this->workOnce('--tries=9');
		$this->assertHeard('begun', 'a', 3);
		$this->assertHeard('done', 'a', 3);
		$this->assertFree($name);
	}

	/** It was longer in the queue than its lock lasted, and so another one came in. */
	#[DataProvider('queues')]
	public function testALateJobDoesNotDeleteTheLockOfTheNextOne(string $queue): void
	{
		$this->useQueue($queue);
		$job = new UniqueJob('a');
		$job->uniqueFor = 1;
		$name = self::uniqueName($job);
		dispatch($job);
		$gap = Cache::lock($name, 100);
		$this->assertTrue($gap->block(30));
		$gap->release();
		dispatch((new UniqueJob('a'))->delay(1000));
		$owner = $this->assertLocked($name);
		$this->workOnce();
		$this->assertHeard('begun', 'a');
		$this->assertHeard('done', 'a');
		$this->assertSame($owner, $this->assertLocked($name));
	}

	/** queue:retry puts a failed job back without its lock. */
	public function testAFailedJobThatIsTriedAgainByHand(): void
	{
		$job = new UniqueJob('a', [['throw once']]);
		$name = self::uniqueName($job);
		dispatch($job);
		$this->workOnce('--tries=1');
		$this->assertFree($name);
		dispatch((new UniqueJob('a'))->delay(1000));
		$owner = $this->assertLocked($name);
		$this->assertSame(0, Artisan::call('queue:retry', ['id' => ['all']]));
		$this->workOnce('--tries=1');
		$this->assertHeard('begun', 'a');
		$this->assertHeard('begun', 'a');
		$this->assertSame($owner, $this->assertLocked($name));
	}

	/** Then nobody knows the owner, and it is as with Laravel's own driver. */
	public function testAJobThatWasDispatchedByAProcessWithTheOldDriver(): void
	{
		config(['cache.default' => 'stock']);
		$job = new UniqueJob('a');
		dispatch($job);
		$this->assertSame(1, $this->redis()->exists($this->key(self::uniqueName($job))));
		$this->workOnce();
		$this->assertHeard('begun', 'a');
		$this->assertHeard('done', 'a');
		$this->assertFree(self::uniqueName($job));
	}

	public function testAnOperatorCanStillForceIt(): void
	{
		$job = new UniqueJob('a');
		dispatch($job);
		Cache::lock(self::uniqueName($job))->forceRelease();
		$this->assertFree(self::uniqueName($job));
	}

	/** A long-running web server is one process for many requests, and some of its jobs run at once. */
	public function testWhatASyncJobLeavesBehind(): void
	{
		config(['queue.default' => 'sync']);
		$name = self::uniqueName(new UniqueJob('a'));
		foreach ([[], ['throw it'], ['fail']] as $steps) {
			try {
				dispatch(new UniqueJob('a', [$steps]));
			} catch (\RuntimeException) {
				$this->assertSame(['throw it'], $steps);
			}
			$this->assertHeard('begun', 'a');
			$this->assertFree($name);
			// The job is over: an operator can delete the lock of the next one.
			Cache::lock($name, 100)->get();
			Cache::lock($name)->forceRelease();
			$this->assertFree($name);
			$this->redis(3)->del("$this->id:said");
		}
	}

	/** It fails itself, and another one is dispatched before Laravel deletes the lock a second time. */
	public function testAJobThatFailsItselfAndGoesOn(): void
	{
		$job = new UniqueJob('a', [['fail', 'await go']]);
		$name = self::uniqueName($job);
		dispatch($job);
		$worker = $this->worker('--once', '--tries=1');
		$this->assertHeard('begun', 'a');
		$this->until(fn () => $this->redis()->exists($this->key($name)) === 0);
		dispatch((new UniqueJob('a'))->delay(1000));
		$owner = $this->assertLocked($name);
		$this->tell('go');
		$this->assertSame(0, $worker->wait(), $worker->output());
		$this->assertSame($owner, $this->assertLocked($name));
	}
}
