<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use App\Events\OrderPlaced;
use App\Jobs\FencedJob;
use App\Listeners\ShipOrder;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Event;
use InvalidArgumentException;
use LogicException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock\ConnectionException;
use RedisLock\Laravel\Fenced;
use RedisLock\Laravel\Tests\Support\QueueTestCase;
use RedisLock\NotAcquiredException;

/** The middleware Fenced. */
final class FencedTest extends QueueTestCase
{
	private const NAME = 'account:7';

	#[DataProvider('queues')]
	public function testEveryAttemptHasALargerFence(string $queue): void
	{
		$this->useQueue($queue);
		dispatch(new FencedJob('a', [['sayFence', 'throw once'], ['sayFence ' . self::NAME, 'release'], ['sayFence', 'await go']]));
		$last = 0;
		foreach ([1, 2, 3] as $attempt) {
			$worker = $this->worker('--once', '--tries=9');
			$this->assertHeard('begun', 'a', $attempt);
			$fence = $this->assertHeard('fence', 'a', $attempt)['fence'];
			$this->assertGreaterThan($last, $fence);
			$last = $fence;
			if ($attempt === 3) {
				$this->assertLocked(self::NAME);
				$this->assertFalse(Cache::lock(self::NAME, 10)->get(), 'the same name is another lock elsewhere');
				$this->tell('go');
			}
			$this->assertSame(0, $worker->wait(), $worker->output());
			$this->assertFree(self::NAME);
			$attempt === 1 || $this->assertHeard('done', 'a');
		}
		$lock = Cache::lock(self::NAME, 10);
		$lock->get();
		$this->assertGreaterThan($last, $lock->fence());
	}

	#[DataProvider('queues')]
	public function testContention(string $queue): void
	{
		$this->useQueue($queue);
		$lock = Cache::lock(self::NAME, 1000);
		$lock->get();
		dispatch(new FencedJob('a', [['sayFence']]));
		$this->workOnce('--tries=9');
		$this->assertNothingSaid();
		$this->assertSame(1, $this->jobsInQueue());
		$lock->release();
		$this->worker('--tries=9', '--max-jobs=1');
		$this->assertHeard('begun', 'a', 2);
		$this->assertGreaterThan($lock->fence(), $this->assertHeard('fence', 'a')['fence']);
		$this->assertHeard('done', 'a');
	}

	/** @return array<string, array{string, string, int}> queue, how the job ends, and how that ends the worker */
	public static function endings(): array
	{
		$endings = [];
		foreach (['redis', 'database'] as $queue) {
			$endings += [
				"$queue, exception" => [$queue, 'throw it', 0],
				"$queue, failed" => [$queue, 'fail', 0],
				"$queue, released" => [$queue, 'release 1000', 0],
				"$queue, exit" => [$queue, 'exit 3', 3],
				"$queue, fatal error" => [$queue, 'fatal', 255],
				"$queue, timeout" => [$queue, 'hang', -SIGKILL],
			];
		}
		return $endings;
	}

	#[DataProvider('endings')]
	public function testTheLockEndsWithTheJob(string $queue, string $ending, int $status): void
	{
		$this->useQueue($queue);
		dispatch(new FencedJob('a', [[$ending]]));
		$worker = $this->worker('--max-jobs=1', '--tries=1', $ending === 'hang' ? '--timeout=2' : '--timeout=60');
		$this->assertHeard('begun', 'a');
		$this->assertSame($status, $worker->wait(), $worker->output());
		$this->assertFree(self::NAME);
	}

	/** The lock is free before the job can be tried again, or it would be in its own way. */
	#[DataProvider('queues')]
	public function testATimeoutAndARetry(string $queue): void
	{
		$this->useQueue($queue);
		$this->retryAfter = 3;
		dispatch(new FencedJob('a', [['sayFence', 'hang'], ['sayFence']]));
		$worker = $this->worker('--tries=2', '--timeout=2');
		$first = $this->fenceOf('a', 1);
		$this->assertSame(-SIGKILL, $worker->wait(), $worker->output());
		$this->assertFree(self::NAME);
		$worker = $this->worker('--tries=2', '--timeout=50', '--max-jobs=1');
		$this->assertGreaterThan($first, $this->fenceOf('a', 2));
	}

	#[DataProvider('queues')]
	public function testAWorkerThatIsKilled(string $queue): void
	{
		$this->useQueue($queue);
		$job = new FencedJob('a', [['sayFence', 'hang']]);
		$job->expireAfter = 5;
		dispatch($job);
		$worker = $this->worker('--tries=1');
		$first = $this->fenceOf('a', 1);
		$worker->signal(SIGKILL);
		$worker->wait();
		$this->assertLocked(self::NAME);
		dispatch(new FencedJob('b', [['sayFence']]));
		$this->worker('--tries=0');
		$said = $this->hear();
		$this->assertSame(['begun', 'b'], [$said['what'], $said['job']]);
		$this->assertGreaterThan($first, $this->assertHeard('fence', 'b')['fence']);
	}

	/** The job that lost its lock is told so by the database; and somebody should hear of it. */
	public function testALeaseThatIsOverIsReported(): void
	{
		$job = new FencedJob('a', [['await go']]);
		$job->expireAfter = 1;
		dispatch($job);
		$worker = $this->worker('--once');
		$this->assertHeard('begun', 'a');
		$next = Cache::lock(self::NAME, 100);
		$this->assertTrue($next->block(30));
		$this->tell('go');
		$this->assertHeard('done', 'a');
		$this->assertSame(0, $worker->wait());
		$this->assertTrue($next->isOwnedByCurrentProcess());
		$this->assertStringContainsString('was lost before the job was done', (string) file_get_contents($this->environment()['TEST_LOG']));
		$this->assertSame(0, DB::table('failed_jobs')->count(), 'a job that is done has not failed');
	}

	public function testRenewing(): void
	{
		$job = new FencedJob('a', [['renew 500', 'await go']]);
		$job->expireAfter = 5;
		dispatch($job);
		$worker = $this->worker('--once');
		$this->assertHeard('begun', 'a');
		$said = $this->assertHeard('renewed', 'a');
		$this->assertTrue($said['renewed']);
		$this->assertGreaterThan(400, $said['remaining']);
		$this->assertGreaterThan(400_000, $this->redis()->pttl($this->key(self::NAME)));
		$this->tell('go');
		$worker->wait();
		$this->assertFree(self::NAME);
	}

	/** "Redis is away" is a failed attempt. "Somebody has it" is not. */
	#[DataProvider('queues')]
	public function testAnOutageIsNotContention(string $queue): void
	{
		$this->useQueue($queue);
		$job = new FencedJob('a');
		$job->store = 'dead';
		dispatch($job);
		$this->workOnce('--tries=1');
		$failed = $this->assertHeard('failed', 'a');
		$this->assertSame(ConnectionException::class, $failed['problem']);
		$this->assertSame(1, DB::table('failed_jobs')->count());
	}

	public function testDropped(): void
	{
		Cache::lock(self::NAME, 1000)->get();
		$job = new FencedJob('a');
		$job->dontRelease = true;
		dispatch($job);
		$this->workOnce();
		$this->assertNothingSaid();
		$this->assertSame(0, $this->jobsInQueue());
		$this->assertSame(0, DB::table('failed_jobs')->count());
	}

	public function testTheWorkerWaits(): void
	{
		$lock = Cache::lock(self::NAME, 1000);
		$lock->get();
		$job = new FencedJob('a');
		$job->waitFor = 60;
		dispatch($job);
		$worker = $this->worker('--once');
		// The flag that a waiter raises.
		$this->until(fn () => $this->store()->client()->inspect(self::NAME)['waiters']);
		$lock->release();
		$this->assertHeard('begun', 'a', 1);
		$this->assertSame(0, $worker->wait());
	}

	/** The alarm comes while the job waits: it holds nothing, and must not disturb the one that does. */
	public function testATimeoutWhileTheWorkerWaits(): void
	{
		$lock = Cache::lock(self::NAME, 1000);
		$lock->get();
		$job = new FencedJob('a');
		$job->waitFor = 60;
		dispatch($job);
		$worker = $this->worker('--tries=1', '--timeout=2');
		$this->assertSame(-SIGKILL, $worker->wait(), $worker->output());
		$this->assertSame('failed', $this->hear()['what']);
		$this->assertTrue($lock->isOwnedByCurrentProcess());
		$this->assertStringNotContainsString('RedisLockError', (string) @file_get_contents($this->environment()['TEST_LOG']));
		$lock->release();
		$this->assertTrue(Cache::lock(self::NAME, 10)->block(30));
	}

	public function testSeveralLocks(): void
	{
		$job = new FencedJob('a', [['sayFence account:7', 'sayFence 42', 'sayFence']]);
		$job->names = ['account:7', '42'];
		dispatch($job);
		$this->workOnce('--tries=1');
		$this->assertHeard('begun', 'a');
		$this->assertHeard('fence', 'a');
		$this->assertHeard('fence', 'a');
		// Which one is meant it must not guess.
		$this->assertSame(LogicException::class, $this->assertHeard('failed', 'a')['problem']);
		$this->assertFree('account:7');
		$this->assertFree('42');
	}

	/** A job that sends a copy of itself does not send its fence with it. */
	public function testAFenceIsNotSerialized(): void
	{
		dispatch(new FencedJob('a', [['sayFence', 'sendCopy']]));
		$this->workUntilEmpty();
		$first = $this->fenceOf('a', 1);
		$this->assertHeard('done', 'a');
		$this->assertGreaterThan($first, $this->fenceOf('copy', 1));
	}

	/** Given at the dispatch, the middleware itself travels with the job. */
	public function testTheMiddlewareIsSerialized(): void
	{
		$job = new FencedJob('a', [['sayFence other']]);
		$job->names = [];
		dispatch($job->through([(new Fenced('other'))->expireAfter(33)->waitFor(1)->releaseAfter(2, 3)->onStore('redislock')]));
		$this->workOnce();
		$this->assertHeard('begun', 'a');
		$said = $this->assertHeard('fence', 'a');
		$this->assertGreaterThan(20, $said['remaining']);
		$this->assertLessThan(33, $said['remaining']);
	}

	public function testAListenerInTheQueue(): void
	{
		Event::listen(OrderPlaced::class, ShipOrder::class);
		event(new OrderPlaced('order:5'));
		$this->workOnce();
		$said = $this->hear();
		$this->assertSame('shipped', $said['what']);
		$this->assertSame($this->store()->client()->inspect('order:5')['fence'], $said['fence']);
		$this->assertFree('order:5');
	}

	public function testAJobThatRunsAtOnce(): void
	{
		config(['queue.default' => 'sync']);
		dispatch(new FencedJob('a', [['sayFence']]));
		$this->assertHeard('begun', 'a');
		$this->assertHeard('fence', 'a');
		$this->assertHeard('done', 'a');
		$this->assertFree(self::NAME);
		// There is no queue to which it could go back, and silence would mean that it is done.
		Cache::lock(self::NAME, 100)->get();
		$this->expectException(NotAcquiredException::class);
		dispatch(new FencedJob('a'));
	}

	public function testWithoutAFence(): void
	{
		$this->expectException(LogicException::class);
		$this->expectExceptionMessage('middleware Fenced');
		(new FencedJob('a'))->fence();
	}

	/** phpunit.xml of a new application has CACHE_STORE=array and QUEUE_CONNECTION=sync. */
	public function testInTheTestsOfAnApplication(): void
	{
		config(['cache.default' => 'array', 'queue.default' => 'sync']);
		dispatch(new FencedJob('a', [['sayFence', 'renew 5']]));
		dispatch(new FencedJob('b', [['sayFence']]));
		$first = $this->fenceOf('a', 1);
		$this->assertTrue($this->assertHeard('renewed', 'a')['renewed']);
		$this->assertHeard('done', 'a');
		$this->assertGreaterThan($first, $this->fenceOf('b', 1));
		$this->assertHeard('done', 'b');
		$this->assertSame(0, $this->redis()->exists($this->key(self::NAME)));
		Cache::lock(self::NAME, 100)->get();
		$this->expectException(NotAcquiredException::class);
		dispatch(new FencedJob('c'));
	}

	public function testTheDelayIsBounded(): void
	{
		Cache::lock('a', 1000)->get();
		$delays = [];
		foreach ([1, 2, 3, 4, 5, 50, 5000] as $attempt) {
			$job = new class ($attempt) {
				public ?int $delay = null;

				public object $job;

				public function __construct(private readonly int $attempt)
				{
					$this->job = new \stdClass();
				}

				public function attempts(): int
				{
					return $this->attempt;
				}

				public function release(int $delay): void
				{
					$this->delay = $delay;
				}
			};
			(new Fenced('a'))->releaseAfter(3, 40)->handle($job, fn () => $this->fail('it runs'));
			$delays[$attempt] = $job->delay;
		}
		foreach ([1 => 3, 2 => 6, 3 => 12, 4 => 24, 5 => 40, 50 => 40, 5000 => 40] as $attempt => $most) {
			$this->assertGreaterThanOrEqual($most / 2, $delays[$attempt]);
			$this->assertLessThanOrEqual($most, $delays[$attempt]);
		}
	}

	public function testWrongUse(): void
	{
		foreach ([
			fn () => new Fenced(''),
			fn () => new Fenced(str_repeat('a', 1025)),
			fn () => (new Fenced('a'))->expireAfter(0),
			fn () => (new Fenced('a'))->expireAfter(NAN),
			fn () => (new Fenced('a'))->expireAfter(2678401),
			fn () => (new Fenced('a'))->waitFor(-1),
			fn () => (new Fenced('a'))->waitFor(INF),
			fn () => (new Fenced('a'))->releaseAfter(0),
			fn () => (new Fenced('a'))->releaseAfter(5, 4),
			fn () => (new Fenced('a}:redislock:b'))->handle(new \stdClass(), fn () => null),
		] as $use) {
			try {
				$use();
				$this->fail('it was taken');
			} catch (InvalidArgumentException $problem) {
				$this->assertNotSame('', $problem->getMessage());
			}
		}
		foreach (['lease' => 0, 'wait' => 'long', 'release_after' => [5, 4]] as $setting => $value) {
			$before = config("redislock.fenced.$setting");
			config(["redislock.fenced.$setting" => $value]);
			Cache::lock('held', 100)->get();
			try {
				$job = new FencedJob('a');
				$job->job = new \Illuminate\Queue\Jobs\FakeJob();
				(new Fenced('held'))->handle($job, fn () => null);
				$this->fail("took the setting $setting");
			} catch (InvalidArgumentException $problem) {
				$this->assertStringContainsString($setting, $problem->getMessage());
			}
			config(["redislock.fenced.$setting" => $before]);
		}
		Cache::lock('a', 100)->get();
		try {
			(new Fenced('a'))->handle(new \stdClass(), fn () => null);
			$this->fail('it was taken');
		} catch (LogicException $problem) {
			$this->assertStringContainsString('InteractsWithQueue', $problem->getMessage());
		}
		$this->app['env'] = 'production';
		$this->expectException(LogicException::class);
		$this->expectExceptionMessage('"array"');
		(new Fenced('a'))->onStore('array')->handle(new \stdClass(), fn () => null);
	}

	private function fenceOf(string $job, int $attempt): int
	{
		$this->assertHeard('begun', $job, $attempt);
		return $this->assertHeard('fence', $job, $attempt)['fence'];
	}
}
