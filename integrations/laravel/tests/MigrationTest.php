<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Cache\RedisStore;
use Illuminate\Contracts\Cache\Lock;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Redis as RedisFacade;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock\Laravel\Tests\Support\ApplicationTestCase;

/** A fleet is changed worker by worker: those with Laravel's own driver and those with this one share the locks. */
final class MigrationTest extends ApplicationTestCase
{
	/** @return iterable<string, array{string, array<string, mixed>}> client, and its options */
	public static function configurations(): iterable
	{
		foreach (['phpredis', 'predis'] as $client) {
			yield "$client" => [$client, ['prefix' => 'app:']];
			yield "$client, no prefix" => [$client, []];
			yield "$client, odd prefix" => [$client, ['prefix' => 'a {b} ä:']];
		}
		// Laravel-framework #36337: what phpredis makes of the owner on the way in, a script must make of it too.
		foreach (['PHP', 'JSON', 'IGBINARY'] as $serializer) {
			yield "serializer $serializer" => ['phpredis', ['prefix' => 'app:', 'serializer' => constant("Redis::SERIALIZER_$serializer")]];
		}
		foreach (['LZF', 'ZSTD', 'LZ4'] as $compression) {
			yield "compression $compression" => ['phpredis', ['prefix' => 'app:', 'compression' => constant("Redis::COMPRESSION_$compression")]];
			yield "serializer IGBINARY, compression $compression" => ['phpredis', ['prefix' => 'app:', 'serializer' => \Redis::SERIALIZER_IGBINARY, 'compression' => constant("Redis::COMPRESSION_$compression")]];
		}
	}

	/** @param array<string, mixed> $options */
	private function configure(string $client, array $options): void
	{
		$this->useClient($client);
		config(['database.redis.options' => $options]);
		$this->app->forgetInstance('redis');
		RedisFacade::clearResolvedInstances();
		$stock = Cache::store('stock')->getStore();
		$this->assertSame(RedisStore::class, $stock::class, 'this is not what is to be replaced');
	}

	private static function stock(string $name, int $seconds = 100, ?string $owner = null): Lock
	{
		return Cache::store('stock')->lock($name, $seconds, $owner);
	}

	/** @param array<string, mixed> $options */
	#[DataProvider('configurations')]
	public function testTheyExcludeEachOther(string $client, array $options): void
	{
		$this->configure($client, $options);

		$old = self::stock('a');
		$this->assertTrue($old->get());
		$new = Cache::lock('a', 100);
		$this->assertFalse($new->get());
		$this->assertTrue($old->release());
		$this->assertTrue($new->get());
		$this->assertFalse(self::stock('a')->get());
		$this->assertFalse($old->release());
		$this->assertTrue($new->isOwnedByCurrentProcess());
		$this->assertTrue($new->release());
		$this->assertTrue(self::stock('a')->get());

		// For ever, as Laravel's own lock means it.
		$this->assertTrue(self::stock('b', 0)->get());
		$this->assertFalse(Cache::lock('b', 100)->get());
		Cache::lock('b')->forceRelease();
		$this->assertTrue(Cache::lock('b', 100)->get());
		self::stock('b')->forceRelease();
		$this->assertTrue(self::stock('b', 0)->get());
	}

	/** A job that an old web server has dispatched is done by a new worker, which knows the owner only. */
	#[DataProvider('configurations')]
	public function testANewWorkerReleasesWhatAnOldOneHasTaken(string $client, array $options): void
	{
		$this->configure($client, $options);
		foreach ([100, 0] as $seconds) {
			$old = self::stock('a', $seconds);
			$this->assertTrue($old->get());
			$owner = $old->owner();
			$this->assertFalse(Cache::restoreLock('a', 'other')->release());
			$restored = Cache::restoreLock('a', $owner);
			$this->assertTrue($restored->isOwnedByCurrentProcess());
			$this->assertTrue(Cache::lock('a')->isOwnedBy($owner));
			$this->assertTrue($restored->refresh(1000));
			$this->assertTrue($restored->release());
			$this->assertFalse($old->release());
			$this->assertTrue(self::stock('a')->get());
			self::stock('a')->forceRelease();
		}
	}

	public static function configurationsThatDoNotPack(): iterable
	{
		foreach (self::configurations() as $name => $configuration) {
			if (array_diff_key($configuration[1], ['prefix' => 0]) === []) {
				yield $name => $configuration;
			}
		}
	}

	#[DataProvider('configurationsThatDoNotPack')]
	public function testAnOldWorkerReleasesWhatANewOneHasTaken(string $client, array $options): void
	{
		$this->configure($client, $options);
		$new = Cache::lock('a', 100);
		$new->get();
		$this->assertTrue(Cache::store('stock')->restoreLock('a', $new->owner())->release());
		$this->assertFalse($new->release());
	}

	/** Old workers poll, new ones queue. Both get the lock, and never both at once. */
	public function testWaitingForEachOther(): void
	{
		$old = self::stock('a', 1);
		$old->get();
		$this->assertTrue(Cache::lock('a', 1)->block(30), 'the new one does not see the end of the old one');
		$this->assertTrue(self::stock('a', 100)->block(30), 'the old one does not see the end of the new one');
		$this->expectException(LockTimeoutException::class);
		Cache::lock('a', 1)->block(1);
	}

	/** Processes with the old and with the new driver at the same time. */
	#[DataProvider('clients')]
	public function testAMixedFleet(string $client): void
	{
		$this->useClient($client);
		$fleet = [];
		foreach (['stock', 'redislock', 'stock', 'redislock', 'redislock'] as $store) {
			$fleet[] = $this->artisanProcess('test:fleet', $store, '40');
		}
		foreach ($fleet as $process) {
			$said = $this->hear();
			$this->assertSame('done', $said['what'], json_encode($said));
		}
		foreach ($fleet as $process) {
			$this->assertSame(0, $process->wait(), $process->output());
		}
		// What may be left for half a second is reserved for a waiter that has just gone.
		$this->assertFalse($this->store()->client()->inspect('fleet')['held']);
	}

	/** Some applications with many tenants change the prefix of a connection that is open. */
	public function testThePrefixOfAConnectionIsChanged(): void
	{
		$store = $this->store();
		Cache::lock('a', 100)->get();
		$connection = RedisFacade::connection('default')->client();
		foreach (['tenant1:', 'tenant2:'] as $prefix) {
			$connection->setOption(\Redis::OPT_PREFIX, $prefix);
			$this->assertTrue(Cache::lock('a', 100)->get());
			$this->assertFalse(self::stock('a')->get());
			$this->assertSame(1, $this->redis()->exists("$prefix$this->id:a"));
		}
		$store->setPrefix('other:');
		$this->assertTrue(Cache::lock('a', 100)->get());
		$this->assertSame(1, $this->redis()->exists('tenant2:other:a'));
		$this->redis()->del('tenant2:other:a');
	}

	public function testTheConnectionOfTheLocks(): void
	{
		$this->assertSame('default', Cache::lock('a')->getConnectionName());
		Cache::lock('a', 100)->get();
		$this->assertSame(1, $this->redis(0)->exists($this->key('a')));
		$this->store()->setLockConnection('queue');
		$this->assertSame('queue', Cache::lock('a')->getConnectionName());
		$this->assertTrue(Cache::lock('a', 100)->get());
		$this->assertSame(1, $this->redis(2)->exists($this->key('a')));
	}
}
