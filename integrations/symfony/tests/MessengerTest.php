<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock\Symfony\Messenger\KeptLockStamp;
use RedisLock\Symfony\Messenger\LockHeldElsewhereException;
use RedisLock\Symfony\Messenger\LockStamp;
use RedisLock\Symfony\Tests\App\Message\BatchJob;
use RedisLock\Symfony\Tests\App\Message\DirectJob;
use RedisLock\Symfony\Tests\App\Message\Job;
use RedisLock\Symfony\Tests\App\Message\KeptJob;
use RedisLock\Symfony\Tests\App\Message\NamedJob;
use RedisLock\Symfony\Tests\App\Message\PlainJob;
use RedisLock\Symfony\Tests\App\Message\ShortJob;
use RedisLock\Symfony\Tests\App\Message\SyncJob;
use RedisLock\Symfony\Tests\Support\App;
use RedisLock\Symfony\Tests\Support\Redis;
use Symfony\Component\Messenger\Stamp\DeduplicateStamp;

/** Messages under a lock, with real workers. */
final class MessengerTest extends TestCase
{
	private ?App $app = null;

	private function app(array $settings = [], ?Redis $redis = null): App
	{
		return $this->app = new App($redis ?? Redis::shared(), $settings);
	}

	protected function setUp(): void
	{
		Redis::shared()->command('FLUSHALL');
	}

	protected function tearDown(): void
	{
		$this->app?->stop();
	}

	public function testTheHandlerGetsTheFence(): void
	{
		$app = $this->app();
		$app->dispatch(new Job('a', 'attribute'));
		$app->dispatch(new NamedJob('a', 'interface'));
		$app->dispatch(new PlainJob('a', 'stamp'), [new LockStamp('job:a')]);
		$app->dispatch(new PlainJob('a', 'plain'));
		$app->worker();
		$app->waitForEmptyQueue();
		$rows = array_column($app->rows("WHERE what = 'end'"), 'fence', 'label');
		$this->assertSame(['attribute', 'interface', 'stamp', 'plain'], array_keys($rows));
		$this->assertNull($rows['plain']);
		$this->assertGreaterThan(0, $rows['attribute']);
		$this->assertGreaterThan($rows['attribute'], $rows['interface']);
		$this->assertGreaterThan($rows['interface'], $rows['stamp']);
		$this->assertFalse($app->wired->client->inspect('job:a')['held']);
	}

	/** Somebody outside of Messenger holds the lock. */
	private function hold(App $app, string $account = 'a'): \RedisLock
	{
		$lock = $app->wired->client->lock("job:$account", 600.0, false);
		$this->assertNotNull($lock->acquire());
		return $lock;
	}

	public function testContentionSendsTheMessageBack(): void
	{
		$app = $this->app();
		$lock = $this->hold($app);
		// More often than there are retries: it must not use them up.
		$app->dispatch(new Job('a', 'A', 'fail-once'));
		$app->worker();
		$app->waitForLog('sent back', 5);
		$this->assertSame([], $app->record('A'));
		$this->assertSame(1, $app->queued());
		$lock->release();
		$app->wait('A', 'end');
		$app->waitForEmptyQueue();
		$this->assertSame(['begin', 'failed', 'begin', 'end', 'commit: held'], $app->record('A'));
		$this->assertSame(0, $app->queued('failed'));
		$back = array_column($app->log('sent back'), 'context');
		$this->assertSame(range(1, count($back)), array_column($back, 'count'));
		$delays = array_column($back, 'delay_ms');
		$this->assertGreaterThanOrEqual(20, min($delays));
		$this->assertLessThanOrEqual(200, max($delays));
		$this->assertSame(['job:a'], array_values(array_unique(array_column($back, 'lock'))));
	}

	/** What goes with a message through the queue goes through it as JSON, too. */
	public function testSymfonysSerializer(): void
	{
		$app = $this->app(['serializer' => 'messenger.transport.symfony_serializer']);
		$lock = $this->hold($app);
		$app->dispatch(new PlainJob('a', 'stamp'), [new LockStamp('job:a', 30.0, keepForRetry: true)]);
		$worker = $app->worker();
		$app->waitForLog('sent back for', 3);
		$worker->signal(SIGTERM);
		$worker->wait();
		$this->assertSame(1, $app->queued());
		$app->pdo->exec('TRUNCATE messenger_messages');
		$lock->release();
		$app->dispatch(new PlainJob('a', 'A', 'fail-once'), [new LockStamp('job:a', 30.0, keepForRetry: true)]);
		$app->dispatch(new KeptJob('a', 'B'));
		$app->worker();
		$app->waitForEmptyQueue();
		$this->assertSame(['A', 'A', 'B'], array_column($app->rows("WHERE what = 'begin'"), 'label'));
		$this->assertCount(1, $app->log('is kept for the retry'));
	}

	public function testOneAtATime(): void
	{
		$app = $this->app();
		foreach (range(1, 4) as $number) {
			foreach (['a', 'b', 'c'] as $account) {
				$app->dispatch(new Job($account, "$account $number"));
			}
		}
		$app->worker();
		$app->worker();
		$app->worker();
		$app->waitForEmptyQueue();
		foreach (['a', 'b', 'c'] as $account) {
			$inside = null;
			$fence = $ends = 0;
			foreach ($app->rows("WHERE label LIKE '$account %' AND what IN ('begin', 'end')") as $row) {
				if ($row['what'] === 'begin') {
					$this->assertNull($inside, 'two at a time');
					$this->assertGreaterThan($fence, $row['fence']);
					$inside = $row['label'];
					$fence = $row['fence'];
				} else {
					$this->assertSame($inside, $row['label']);
					$inside = null;
					$ends++;
				}
			}
			$this->assertSame(4, $ends);
		}
	}

	public function testAWorkerCanWait(): void
	{
		$app = $this->app(['redislock' => ['messenger' => ['wait' => 60.0]]]);
		$lock = $this->hold($app);
		$app->dispatch(new Job('a', 'A'));
		$app->worker();
		Support\Eventually::true('it waits', fn () => $app->wired->client->inspect('job:a')['waiters']);
		usleep(100_000);
		$lock->release();
		$app->wait('A', 'commit: held');
		$app->waitForLog(' ms, held ');
		$this->assertSame([], $app->log('sent back'));
		$line = $app->log(' ms, held ')[0];
		$this->assertSame(['redislock', 'INFO', Job::class, 'job:a'], [$line['channel'], $line['level_name'], $line['context']['class'], $line['context']['lock']]);
		$this->assertGreaterThan(100.0, $line['context']['wait_ms']);
		$this->assertGreaterThan(0.0, $line['context']['hold_ms']);
		$this->assertSame((int) $app->rows("WHERE label = 'A' AND what = 'end'")[0]['fence'], $line['context']['fence']);
	}

	/** It fails as a handler does: with retries, and into the failure transport. */
	public function testAnOutageIsNotContention(): void
	{
		$redis = new Redis();
		$app = $this->app(redis: $redis);
		$redis->kill();
		$app->dispatch(new Job('a', 'A'));
		$worker = $app->worker();
		$app->waitForLog('Removing from transport after');
		$app->waitForEmptyQueue();
		$this->assertSame(1, $app->queued('failed'));
		$this->assertSame([], $app->record('A'));
		$this->assertSame([], $app->log('sent back'));
		$removed = $app->log('Removing from transport')[0]['context'];
		$this->assertSame(2, $removed['retryCount']);
		$this->assertSame(\RedisLock\ConnectionException::class, $removed['exception']['class']);
		$worker->check();
		// The same worker goes on when Redis is back.
		$redis->start();
		$app->dispatch(new Job('a', 'B'));
		$app->wait('B', 'end');
		$app->console('messenger:failed:retry', '--force');
		$app->wait('A', 'end');
	}

	/** Redis goes while the handler is at work. What is done is done; it is not done again because of the lock. */
	public function testAnOutageDuringTheHandler(): void
	{
		$redis = new Redis();
		$app = $this->app(redis: $redis);
		$pipe = $app->pipe();
		$app->dispatch(new PlainJob('a', 'A', "pipe $pipe"), [new LockStamp('job:a')]);
		$worker = $app->worker();
		$app->wait('A', 'begin');
		$redis->kill();
		$app->go($pipe);
		$app->waitForLog('could not be released');
		$app->waitForEmptyQueue();
		$this->assertSame(['begin', 'end'], $app->record('A'));
		$this->assertSame(0, $app->queued('failed'));
		$worker->check();
	}

	/** The same, and the handler fails: the failure counts, and the retry waits for Redis as any message does. */
	public function testAnOutageWhileALockIsKept(): void
	{
		$redis = new Redis();
		$app = $this->app(['retry_delay' => 4000], $redis);
		$pipe = $app->pipe();
		$app->dispatch(new PlainJob('a', 'A', "pipe-fail-once $pipe"), [new LockStamp('job:a', 30.0, keepForRetry: true)]);
		$app->worker();
		$app->wait('A', 'begin');
		$redis->kill();
		$app->go($pipe);
		$app->waitForLog('could not be renewed for the retry');
		$redis->start();
		$app->wait('A', 'end');
		$this->assertSame(['begin', 'failed', 'begin', 'end'], $app->record('A'));
		$this->assertSame(0, $app->queued('failed'));
	}

	public function testAFailureGivesTheLockBack(): void
	{
		$app = $this->app();
		$app->dispatch(new Job('a', 'A', 'fail'));
		$app->dispatch(new Job('a', 'B'));
		$app->worker();
		Support\Eventually::true('A fails for good', fn () => $app->queued('failed') === 1);
		$app->waitForEmptyQueue();
		$this->assertSame(['begin', 'begin', 'begin'], $app->record('A'));
		$order = array_column($app->rows("WHERE what = 'begin'"), 'label');
		$this->assertSame(['A', 'B', 'A', 'A'], $order, 'another one got in while A waited for its retry');
		$this->assertFalse($app->wired->client->inspect('job:a')['held']);
	}

	/** symfony #61917: a message that waits for its retry loses its lock, and another one of that name gets in. */
	public function test61917TheLockIsKeptForTheRetry(): void
	{
		$app = $this->app();
		$app->dispatch(new KeptJob('a', 'A', 'fail-once'));
		$app->dispatch(new KeptJob('a', 'B'));
		$app->dispatch(new Job('a', 'C'));
		$app->worker();
		$app->worker();
		$app->waitForEmptyQueue();
		$rows = $app->rows("WHERE what IN ('begin', 'end')");
		$this->assertSame(['A', 'A', 'A'], array_column(array_slice($rows, 0, 3), 'label'), 'nobody got in');
		$this->assertSame(['begin', 'begin', 'end'], array_column(array_slice($rows, 0, 3), 'what'));
		$this->assertCount(7, $rows);
		$fences = array_column(array_filter($rows, static fn (array $row) => $row['what'] === 'begin'), 'fence');
		$sorted = $fences;
		sort($sorted);
		$this->assertSame($sorted, $fences);
		$this->assertCount(4, array_unique($fences));
		$this->assertCount(1, $app->log('is kept for the retry'));
		$this->assertFalse($app->wired->client->inspect('job:a')['held']);
	}

	/** symfony #61917: and its TTL is not extended, so that it ends before the retry. */
	public function test61917TheLeaseLastsUntilTheRetry(): void
	{
		$app = $this->app(['retry_delay' => 600_000]);
		$app->dispatch(new KeptJob('a', 'A', 'fail'));
		$worker = $app->worker();
		$app->waitForLog('is kept for the retry');
		// Not by the end of the worker either.
		$worker->signal(SIGTERM);
		$this->assertSame(0, $worker->wait());
		$state = $app->wired->client->inspect('job:a');
		$this->assertTrue($state['held']);
		$this->assertGreaterThan(520.0, $state['remaining']);
		$this->assertSame(1, $app->queued());
	}

	/** A transport delivers a message a second time, while the first copy of it is still being handled. */
	public function testAKeptLockIsNotForTwoCopies(): void
	{
		$app = $this->app();
		$lock = $this->hold($app);
		$stamps = [new LockStamp('job:a', 60.0), new KeptLockStamp('job:a', (string) $lock->token(), (int) $lock->fence())];
		$pipe = $app->pipe();
		$app->dispatch(new PlainJob('a', 'A', "pipe $pipe"), $stamps);
		$app->worker();
		$app->wait('A', 'begin');
		$app->dispatch(new PlainJob('a', 'copy of A'), $stamps);
		$app->worker();
		$app->waitForLog('sent back for', 2);
		$this->assertSame([], $app->record('copy of A'));
		$app->go($pipe);
		$app->wait('copy of A', 'end');
		$fences = array_column($app->rows("WHERE what = 'begin'"), 'fence');
		$this->assertGreaterThan($lock->fence(), $fences[0]);
		$this->assertGreaterThan($fences[0], $fences[1]);
	}

	public function testAKeptLockEndsWithTheLastRetry(): void
	{
		$app = $this->app();
		$app->dispatch(new KeptJob('a', 'A', 'fail'));
		$app->dispatch(new KeptJob('b', 'B', 'reject'));
		$app->worker();
		Support\Eventually::true('both fail for good', fn () => $app->queued('failed') === 2);
		$app->waitForLog('the message is not retried', 2);
		$this->assertSame(['begin', 'begin', 'begin'], $app->record('A'));
		$this->assertSame(['begin'], $app->record('B'));
		$this->assertFalse($app->wired->client->inspect('job:a')['held']);
		$this->assertFalse($app->wired->client->inspect('job:b')['held']);
		// From the failure transport it begins anew, with a stale token in its envelope.
		$this->hold($app);
		$app->console('messenger:failed:retry', '--force');
		$app->waitForLog('sent back');
		$this->assertSame(['begin', 'begin', 'begin'], $app->record('A'));
	}

	public function testAKilledWorkerFreesTheLockByItsLease(): void
	{
		$app = $this->app();
		$pipe = $app->pipe();
		$stamp = new LockStamp('job:a', 6.0);
		$app->dispatch(new PlainJob('a', 'A', "pipe $pipe"), [$stamp]);
		$killed = $app->worker();
		$app->wait('A', 'begin');
		$killed->signal(SIGKILL);
		$killed->wait();
		$state = $app->wired->client->inspect('job:a');
		$this->assertTrue($state['held'], 'nobody could give it back');
		$this->assertLessThanOrEqual(6.0, $state['remaining']);
		$app->dispatch(new PlainJob('a', 'B'), [$stamp]);
		$app->worker();
		$app->wait('B', 'end');
		$rows = $app->rows("WHERE what = 'begin'");
		$this->assertSame(['A', 'B'], array_column($rows, 'label'));
		$this->assertGreaterThan($rows[0]['fence'], $rows[1]['fence']);
	}

	public function testAWorkerThatIsToldToStopFinishesFirst(): void
	{
		$app = $this->app();
		$pipe = $app->pipe();
		$app->dispatch(new Job('a', 'A', "pipe $pipe"));
		$worker = $app->worker();
		$app->wait('A', 'begin');
		$worker->signal(SIGTERM);
		$app->go($pipe);
		$this->assertSame(0, $worker->wait());
		$this->assertSame(['begin', 'end', 'commit: held'], $app->record('A'));
		$this->assertFalse($app->wired->client->inspect('job:a')['held']);
		$this->assertSame(0, $app->queued());
	}

	/** The handler's work is done, and the fence has decided what it was worth. It is not done a second time. */
	public function testALostLockIsReported(): void
	{
		$app = $this->app();
		$app->dispatch(new Job('a', 'A', 'lose'));
		$app->dispatch(new ShortJob('b', 'B', 'outlive'));
		$app->worker();
		$app->waitForLog('was lost before the handler was done', 2);
		$app->waitForEmptyQueue();
		$this->assertSame(['begin', 'end', 'commit: free'], $app->record('A'));
		$this->assertSame(['begin', 'end'], $app->record('B'));
		$this->assertSame(0, $app->queued('failed'));
		$this->assertSame(['WARNING'], array_values(array_unique(array_column($app->log('was lost before'), 'level_name'))));
	}

	public function testTheHandlerCanRenew(): void
	{
		$app = $this->app();
		$app->dispatch(new ShortJob('a', 'A', 'renew'));
		$app->worker();
		$app->wait('A', 'end');
		$this->assertSame(['begin', 'renewed', 'end'], $app->record('A'));
	}

	public function testALimit(): void
	{
		$app = $this->app(['redislock' => ['messenger' => ['min_delay' => 0.02, 'max_delay' => 0.05, 'limit' => 2]]]);
		$this->hold($app);
		$app->dispatch(new Job('a', 'A'));
		$app->worker();
		$app->waitForLog('Removing from transport after');
		$app->waitForEmptyQueue();
		$this->assertSame(1, $app->queued('failed'));
		$this->assertCount(2, $app->log('sent back for'));
		$this->assertSame(0, $app->log('Removing from transport')[0]['context']['retryCount']);
		$this->assertSame([], $app->record('A'));
	}

	/** A message from the failure transport goes back to the queue where it came from in the first place. */
	public function testContentionOfAFailedMessage(): void
	{
		$app = $this->app();
		$app->dispatch(new Job('a', 'A', 'fail'));
		$worker = $app->worker();
		Support\Eventually::true('it fails for good', fn () => $app->queued('failed') === 1);
		$worker->signal(SIGTERM);
		$worker->wait();
		$this->hold($app);
		$app->console('messenger:failed:retry', '--force');
		$this->assertSame([0, 1], [$app->queued('failed'), $app->queued()]);
		$this->assertCount(1, $app->log('sent back'));
		$app->wired->client->forceRelease('job:a');
		$app->worker();
		// If it fails again, it is kept again.
		Support\Eventually::true('it fails once more', fn () => $app->queued('failed') === 1);
		$this->assertSame(6, count($app->record('A')));
	}

	/** @return list<array{object}> */
	public static function handledAtOnce(): array
	{
		return [[new SyncJob('a', 'A')], [new DirectJob('a', 'A')]];
	}

	/** Without a queue there is nowhere to wait. */
	#[DataProvider('handledAtOnce')]
	public function testAMessageThatIsHandledAtOnce(object $message): void
	{
		$app = $this->app();
		$lock = $this->hold($app);
		try {
			$app->dispatch($message);
			$this->fail('it was held');
		} catch (LockHeldElsewhereException $exception) {
			$this->assertSame('job:a', $exception->lock);
		}
		$this->assertSame([], $app->record('A'));
		$lock->release();
		$app->dispatch($message);
		$rows = $app->rows();
		$this->assertSame(['begin', 'end'], array_column($rows, 'what'));
		$this->assertGreaterThan($lock->fence(), $rows[0]['fence']);
		$this->assertFalse($app->wired->client->inspect('job:a')['held']);
	}

	/** A batch handler puts messages aside. Their locks are held until it has dealt with them. */
	public function testBatches(): void
	{
		$app = $this->app();
		$app->dispatch(new BatchJob('a', 'A'));
		$app->dispatch(new BatchJob('b', 'B'));
		$worker = $app->worker();
		$app->waitForEmptyQueue();
		// Alone, so it is dealt with when the worker has nothing else to do.
		$app->dispatch(new BatchJob('c', 'C', 'fail'));
		Support\Eventually::true('C fails for good', fn () => $app->queued('failed') === 1);
		$worker->check();
		$this->assertSame(['processed: held'], $app->record('A'));
		$this->assertSame(['processed: held'], $app->record('B'));
		$this->assertSame(array_fill(0, 3, 'processed: held'), $app->record('C'));
		foreach (['a', 'b', 'c'] as $account) {
			$this->assertFalse($app->wired->client->inspect("job:$account")['held']);
		}
		$this->assertCount(5, $app->log(' ms, held '));
	}

	/** Symfony's own deduplication, with keys that go through the queue. A message that is sent back stays deduplicated. */
	public function testSymfonysDeduplication(): void
	{
		if (!class_exists(DeduplicateStamp::class)) {
			$this->assertTrue(true, 'Symfony before 7.3 has no deduplication');
			return;
		}
		$app = $this->app();
		$lock = $this->hold($app);
		$app->dispatch(new Job('a', 'A'), [new DeduplicateStamp('only-one')]);
		$app->dispatch(new Job('a', 'B'), [new DeduplicateStamp('only-one')]);
		$this->assertSame(1, $app->queued());
		$app->worker();
		$app->waitForLog('sent back', 2);
		$app->dispatch(new Job('a', 'C'), [new DeduplicateStamp('only-one')]);
		$lock->release();
		$app->waitForEmptyQueue();
		$this->assertSame(['begin', 'end', 'commit: held'], $app->record('A'));
		$this->assertSame([], $app->record('B'));
		$this->assertSame([], $app->record('C'));
		$this->assertFalse($app->wired->client->inspect('only-one')['held']);
		$app->dispatch(new Job('a', 'D'), [new DeduplicateStamp('only-one')]);
		$app->wait('D', 'end');
	}
}
