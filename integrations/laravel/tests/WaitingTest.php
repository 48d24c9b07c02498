<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Support\Facades\Cache;
use RedisLock\Laravel\Tests\Support\ApplicationTestCase;

/** block() queues. Laravel's own lock asks four times a second. */
final class WaitingTest extends ApplicationTestCase
{
	public function testInOrderOfArrival(): void
	{
		$lock = Cache::lock('a', 1000);
		$lock->get();
		$redis = $this->redis();
		$blocked = fn (): int => (int) $redis->info('clients')['blocked_clients'];
		$before = $blocked();
		$waiters = [];
		foreach (['1', '2', '3', '4', '5'] as $number) {
			$waiters[] = $this->artisanProcess('test:block', 'a', $number);
			$this->until(fn () => $blocked() === $before + (int) $number);
		}
		$lock->release();
		$last = $lock->fence();
		foreach (['1', '2', '3', '4', '5'] as $number) {
			$said = $this->hear();
			$this->assertSame(['got it', $number], [$said['what'], $said['number']]);
			$this->assertGreaterThan($last, $said['fence']);
			$last = $said['fence'];
		}
		foreach ($waiters as $waiter) {
			$this->assertSame(0, $waiter->wait(), $waiter->output());
		}
	}

	public function testItDoesNotPoll(): void
	{
		$lock = Cache::lock('a', 1000);
		$lock->get();
		$redis = $this->redis();
		$blocked = fn (): int => (int) $redis->info('clients')['blocked_clients'];
		$before = $blocked();
		$waiter = $this->artisanProcess('test:block', 'a', '1');
		$this->until(fn () => $blocked() === $before + 1);
		$redis->rawCommand('CONFIG', 'RESETSTAT');
		// The waiter says that it is alive about once a second. After the third time it has waited long enough.
		$calls = fn (): int => (int) preg_replace('/^calls=(\d+),.*$/', '$1', $redis->info('commandstats')['cmdstat_evalsha'] ?? 'calls=0,');
		$this->until(fn () => $calls() >= 3);
		$this->assertSame($before + 1, $blocked(), 'it does not wait in one go');
		$this->assertSame(3, $calls());
		$lock->release();
		$this->assertSame('got it', $this->hear()['what']);
		$this->assertSame(0, $waiter->wait(), $waiter->output());
	}

	/** The worker's alarm comes while the job waits for a lock. */
	public function testASignalWhileWaiting(): void
	{
		Cache::lock('a', 1000)->get();
		$redis = $this->redis();
		$before = (int) $redis->info('clients')['blocked_clients'];
		$waiter = $this->artisanProcess('test:block', 'a', '1', '--alarm');
		$this->until(fn () => (int) $redis->info('clients')['blocked_clients'] === $before + 1);
		$waiter->signal(SIGALRM);
		$this->assertSame('alarm', $this->hear()['what']);
		$this->assertSame(7, $waiter->wait(), $waiter->output());
	}
}
