<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\Cache;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock\Laravel\Tests\Support\ApplicationTestCase;

/** The rest of the cache store is Laravel's own, and has the same data as a store with the driver "redis". */
final class StoreTest extends ApplicationTestCase
{
	#[DataProvider('clients')]
	public function testTheCacheItself(string $client): void
	{
		$this->useClient($client);
		Cache::put('a', ['b' => 1], 100);
		$this->assertSame(['b' => 1], Cache::get('a'));
		$this->assertSame(['b' => 1], Cache::store('stock')->get('a'));
		$this->assertFalse(Cache::add('a', 2, 100));
		$this->assertTrue(Cache::add('n', 2, 100));
		$this->assertEquals(5, Cache::increment('n', 3));
		$this->assertEquals(4, Cache::decrement('n'));
		$this->assertTrue(Cache::forever('f', 'x'));
		Cache::putMany(['p' => 1, 'q' => 'y'], 100);
		$this->assertEquals(['p' => 1, 'q' => 'y', 'r' => null], Cache::many(['p', 'q', 'r']));
		$this->assertSame('y', Cache::pull('q'));
		$this->assertFalse(Cache::has('q'));
		$this->assertSame('made', Cache::remember('m', 100, fn () => 'made'));
		$this->assertSame('made', Cache::remember('m', 100, fn () => $this->fail('made twice')));
		$this->assertTrue(Cache::forget('m'));
		Cache::tags(['t', 'u'])->put('tagged', 1, 100);
		$this->assertEquals(1, Cache::tags(['t', 'u'])->get('tagged'));
		Cache::tags('t')->flush();
		$this->assertNull(Cache::tags(['t', 'u'])->get('tagged'));
		$this->assertSame(0, Artisan::call('cache:prune-stale-tags', ['store' => 'redislock']));
		$this->assertTrue(Cache::lock('a', 10)->get(), 'the locks have a connection of their own');
		$this->assertTrue(Cache::flush());
		$this->assertNull(Cache::get('a'));
		$this->assertFalse(Cache::lock('a', 10)->get());
	}

	/** One refreshes, the others get what is there. */
	public function testFlexible(): void
	{
		$this->travelTo('2030-01-01 12:00:00');
		$this->assertSame('first', Cache::flexible('k', [10, 1000], fn () => 'first'));
		$this->travel(60)->seconds();
		$name = 'illuminate:cache:flexible:lock:k';
		$other = Cache::lock($name, 100);
		$this->assertTrue($other->get());
		$this->assertSame('first', Cache::flexible('k', [10, 1000], fn () => $this->fail('somebody else is at it')));
		\Illuminate\Support\defer()->invoke();
		$other->release();
		$this->assertSame('first', Cache::flexible('k', [10, 1000], function () use ($name) {
			$this->assertFalse(Cache::lock($name, 100)->get(), 'it is done without the lock');
			return 'second';
		}));
		\Illuminate\Support\defer()->invoke();
		$this->assertSame('second', Cache::get('k'));
		$this->assertTrue(Cache::lock($name, 100)->get());
	}

	public function testCommands(): void
	{
		$this->assertSame(0, Artisan::call('redislock:inspect', ['name' => 'a']));
		$this->assertStringContainsString("free\nlast fence: none\nwaiting for it: nobody", Artisan::output());

		$lock = Cache::lock('a', 100);
		$lock->get();
		$owner = $lock->owner();
		$this->assertSame(0, Artisan::call('redislock:inspect', ['name' => 'a']));
		$this->assertMatchesRegularExpression("/^held by $owner for \d+\.\d more seconds\nlast fence: {$lock->fence()}\n/", Artisan::output());
		$this->assertSame(0, Artisan::call('redislock:inspect', ['name' => 'a', '--json' => true]));
		$said = json_decode(Artisan::output(), true, 9, JSON_THROW_ON_ERROR);
		$this->assertSame([true, $owner, $lock->fence(), false], [$said['held'], $said['token'], $said['fence'], $said['waiters']]);
		$this->assertIsFloat($said['remaining']);

		$this->assertSame(1, Artisan::call('redislock:release', ['name' => 'a', 'token' => 'other']));
		$this->assertStringContainsString('does not hold', Artisan::output());
		$this->assertTrue($lock->isOwnedByCurrentProcess());
		$this->assertSame(0, Artisan::call('redislock:release', ['name' => 'a', 'token' => $owner]));
		$this->assertFalse($lock->isOwnedByCurrentProcess());

		Cache::store('stock')->lock('b', 0, "\xff")->get();
		$this->assertSame(0, Artisan::call('redislock:inspect', ['name' => 'b']));
		$this->assertStringContainsString('without an end', Artisan::output());
		$this->assertSame(0, Artisan::call('redislock:inspect', ['name' => 'b', '--json' => true]));
		$this->assertNull(json_decode(Artisan::output(), true, 9, JSON_THROW_ON_ERROR)['remaining']);

		foreach ([['redislock:inspect', []], ['redislock:release', ['token' => 'x']]] as [$command, $arguments]) {
			$this->assertSame(2, Artisan::call($command, ['name' => 'a', '--store' => 'dead'] + $arguments));
			$this->assertSame(2, Artisan::call($command, ['name' => '', '--store' => null] + $arguments));
		}
	}

	public function testTheConfigurationCanBePublished(): void
	{
		$file = $this->app->configPath('redislock.php');
		@unlink($file);
		try {
			$this->assertSame(0, Artisan::call('vendor:publish', ['--tag' => 'redislock-config']));
			$this->assertSame(config('redislock'), require $file);
		} finally {
			@unlink($file);
		}
	}
}
