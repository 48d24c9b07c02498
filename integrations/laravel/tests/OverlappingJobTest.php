<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use App\Jobs\OverlappingJob;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock\Laravel\Tests\Support\QueueTestCase;

/** The middleware WithoutOverlapping. */
final class OverlappingJobTest extends QueueTestCase
{
	private const NAME = 'laravel-queue-overlap:App\Jobs\OverlappingJob:key';

	#[DataProvider('queues')]
	public function testTheyDoNotOverlap(string $queue): void
	{
		$this->useQueue($queue);
		dispatch(new OverlappingJob('a', [['await go']]));
		$first = $this->worker('--once', '--tries=9');
		$this->assertHeard('begun', 'a');
		$this->assertLocked(self::NAME);
		dispatch(new OverlappingJob('b'));
		$this->workOnce('--tries=9');
		$this->assertNothingSaid();
		$this->assertSame(2, $this->jobsInQueue(), 'the second one did not go back to the queue');
		$this->tell('go');
		$this->assertSame(0, $first->wait());
		$this->assertHeard('done', 'a');
		$this->assertFree(self::NAME);
		$this->workOnce('--tries=9');
		$this->assertHeard('begun', 'b', 2);
		$this->assertHeard('done', 'b', 2);
	}

	/** laravel/framework #37060: jobs that fail do not leave the others stuck. */
	#[DataProvider('queues')]
	public function testAJobThatFails(string $queue): void
	{
		$this->useQueue($queue);
		foreach (['throw once', 'fail', 'release 1000', 'exit 3', 'fatal'] as $step) {
			dispatch(new OverlappingJob($step, [[$step]]));
			$worker = $this->worker('--once', '--tries=1');
			$this->assertHeard('begun', $step);
			$status = $worker->wait();
			if (in_array($step, ['exit 3', 'fatal'], true)) {
				// Laravel's middleware has no say any more. There is a lease, and that is what ends it.
				$this->assertNotSame(0, $status);
				$this->assertLocked(self::NAME);
				$this->redis()->del($this->key(self::NAME));
			} else {
				$this->assertSame(0, $status, $worker->output());
				$this->assertFree(self::NAME);
			}
			$this->redis(3)->del("$this->id:said");
		}
	}

	/** #37060: a job that runs too long is killed together with its worker, without any `finally`. */
	#[DataProvider('queues')]
	public function testAJobThatRunsTooLong(string $queue): void
	{
		$this->useQueue($queue);
		dispatch(new OverlappingJob('a', [['hang']]));
		$worker = $this->worker('--tries=1', '--timeout=2');
		$this->assertHeard('begun', 'a');
		$this->assertSame(-SIGKILL, $worker->wait(), $worker->output());
		$this->assertFree(self::NAME);
		dispatch(new OverlappingJob('b'));
		$this->workOnce();
		$this->assertHeard('begun', 'b', 1);
	}

	/** A worker that is killed cannot give anything back. The others go on when the lease is over. */
	#[DataProvider('queues')]
	public function testAWorkerThatIsKilled(string $queue): void
	{
		$this->useQueue($queue);
		$job = new OverlappingJob('a', [['hang']]);
		$job->expireAfter = 5;
		dispatch($job);
		$worker = $this->worker('--tries=1', '--timeout=100');
		$this->assertHeard('begun', 'a');
		$worker->signal(SIGKILL);
		$worker->wait();
		$this->assertLocked(self::NAME);
		dispatch(new OverlappingJob('b'));
		$worker = $this->worker('--tries=0');
		$this->assertHeard('begun', 'b');
		$this->assertHeard('done', 'b');
	}

	/** Without expireAfter Laravel's own lock has no end. */
	public function testThereIsAlwaysALease(): void
	{
		dispatch(new OverlappingJob('a', [['hang']]));
		$worker = $this->worker('--tries=1', '--timeout=100');
		$this->assertHeard('begun', 'a');
		$worker->signal(SIGKILL);
		$worker->wait();
		$this->assertLocked(self::NAME);
		$this->assertLessThanOrEqual(86_400_000, $this->redis()->pttl($this->key(self::NAME)));
	}
}
