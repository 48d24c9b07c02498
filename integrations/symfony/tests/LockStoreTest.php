<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock\Client;
use RedisLock\ConnectionException;
use RedisLock\ServerException;
use RedisLock\Symfony\LockName;
use RedisLock\Symfony\LockStore;
use RedisLock\Symfony\Tests\Support\Child;
use RedisLock\Symfony\Tests\Support\Eventually;
use RedisLock\Symfony\Tests\Support\Log;
use RedisLock\Symfony\Tests\Support\Redis;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockExpiredException;
use Symfony\Component\Lock\Exception\LockStorageException;
use Symfony\Component\Lock\Exception\UnserializableKeyException;
use Symfony\Component\Lock\Key;

/** What Symfony expects of a store, and what this one promises beyond that. */
final class LockStoreTest extends TestCase
{
	private Client $client;
	private LockStore $store;

	protected function setUp(): void
	{
		$this->client = Redis::shared()->client();
		$this->store = new LockStore($this->client);
	}

	private function key(string $suffix = ''): Key
	{
		return new Key($this->name() . $this->dataName() . $suffix);
	}

	/** What Redis says of a lock. */
	private function inRedis(Key $key): array
	{
		return $this->client->inspect(LockName::fit((string) $key));
	}

	public function testSaveExistsDelete(): void
	{
		$key = $this->key();
		$this->assertFalse($this->store->exists($key));
		$this->store->save($key);
		$this->assertTrue($this->store->exists($key));
		$this->assertTrue($this->inRedis($key)['held']);
		$this->store->delete($key);
		$this->assertFalse($this->store->exists($key));
		$this->assertFalse($this->inRedis($key)['held']);
		$this->store->delete($key);
	}

	public function testTwoKeysExcludeEachOther(): void
	{
		[$one, $two] = [$this->key(), $this->key()];
		$this->store->save($one);
		foreach ([$this->store, new LockStore(Redis::shared()->client())] as $store) {
			try {
				$store->save($two);
				$this->fail('it was held');
			} catch (LockConflictedException) {
			}
		}
		$this->assertTrue($this->store->exists($one));
		$this->assertFalse($this->store->exists($two));
		$this->store->delete($two);
		$this->assertTrue($this->store->exists($one), 'nobody releases what it does not hold');
		$this->store->delete($one);
		$this->store->save($two);
		$this->assertFalse($this->store->exists($one));
		$this->assertTrue($this->store->exists($two));
	}

	public function testNamesAreIndependent(): void
	{
		[$one, $two] = [$this->key('1'), $this->key('2')];
		$this->store->save($one);
		$this->store->save($two);
		$this->store->delete($two);
		$this->assertTrue($this->store->exists($one));
	}

	/** Symfony: an acquisition of a held key makes its lease begin anew. The owner and its fence stay. */
	public function testSaveOfAHeldKeyRenews(): void
	{
		$key = $this->key();
		$store = new LockStore($this->client, 20.0);
		$store->save($key);
		$store->putOffExpiration($key, 15.0);
		usleep(500_000);
		$before = $this->inRedis($key);
		$key->resetLifetime();
		$store->save($key);
		$after = $this->inRedis($key);
		$this->assertSame([$before['token'], $before['fence']], [$after['token'], $after['fence']]);
		$this->assertGreaterThan($before['remaining'], $after['remaining']);
		$this->assertGreaterThan(15.0, $key->getRemainingLifetime());
	}

	public function testPutOffExpirationMakesTheLeaseLonger(): void
	{
		$key = $this->key();
		$store = new LockStore($this->client, 5.0);
		$store->save($key);
		$store->putOffExpiration($key, 60.0);
		$this->assertGreaterThan(50.0, $this->inRedis($key)['remaining']);
		// It only ever reduces it: the Lock resets it first.
		$this->assertLessThanOrEqual(5.0, $key->getRemainingLifetime());
	}

	/** The key ends when it was told to, although Redis does not shorten a lease; and then the lock becomes free. */
	public function testPutOffExpirationCanShorten(): void
	{
		[$key, $other] = [$this->key(), $this->key()];
		$this->store->save($key);
		$this->store->putOffExpiration($key, 1.0);
		$this->assertTrue($this->store->exists($key));
		$this->assertLessThanOrEqual(1.0, $key->getRemainingLifetime());
		Eventually::true('the key ends', fn () => !$this->store->exists($key));
		$this->assertTrue($key->isExpired());
		$this->store->save($other);
		$this->assertTrue($this->store->exists($other));
	}

	public function testPutOffExpirationOfWhatIsNotOurs(): void
	{
		[$one, $two, $never] = [$this->key(), $this->key(), $this->key()];
		$this->store->save($one);
		$this->client->forceRelease((string) $one);
		$this->store->save($two);
		foreach ([$one, $never] as $key) {
			try {
				$this->store->putOffExpiration($key, 10.0);
				$this->fail('it is not ours');
			} catch (LockConflictedException) {
			}
		}
		$this->assertTrue($this->store->exists($two));
	}

	public function testAKeyThatIsTooLateIsCleanedUp(): void
	{
		[$one, $two] = [$this->key(), $this->key()];
		$one->reduceLifetime(0);
		try {
			$this->store->save($one);
			$this->fail('it had ended');
		} catch (LockExpiredException) {
		}
		$this->assertFalse($this->store->exists($one));
		$this->store->save($two);
		$this->assertTrue($this->store->exists($two));
	}

	/** Symfony lets a TTL be shorter than the shortest lease. */
	public function testATinyTtl(): void
	{
		$key = $this->key();
		$this->store->save($key);
		$this->expectException(LockExpiredException::class);
		try {
			$this->store->putOffExpiration($key, 0.000001);
		} finally {
			$this->assertFalse($this->store->exists($key));
			$this->assertFalse($this->inRedis($key)['held']);
		}
	}

	/** @return list<array{float}> */
	public static function impossibleTtls(): array
	{
		return [[0.0], [-1.0], [NAN], [INF], [\RedisLock::MAX_TTL + 1.0]];
	}

	#[DataProvider('impossibleTtls')]
	public function testAnImpossibleTtl(float $ttl): void
	{
		$key = $this->key();
		$this->store->save($key);
		try {
			$this->store->putOffExpiration($key, $ttl);
			$this->fail('that TTL is not possible');
		} catch (InvalidTtlException) {
		}
		$this->assertTrue($this->store->exists($key), 'it was refused before anything happened');
		$this->expectException(InvalidTtlException::class);
		new LockStore($this->client, $ttl);
	}

	public function testAnImpossibleWait(): void
	{
		$this->expectException(InvalidArgumentException::class);
		new LockStore($this->client, maxWait: -1.0);
	}

	/** @return array<string, array{string}> */
	public static function names(): array
	{
		return [
			'plain' => ['account:7'],
			'empty' => [''],
			'longest' => [str_repeat('x', 1024)],
			'too long' => [str_repeat('x', 1025)],
			'any bytes' => ["\0\xff{}\n ' \"{\$"],
			'like our own keys' => ['{a}:redislock:fence'],
		];
	}

	#[DataProvider('names')]
	public function testEveryNameThatSymfonyAllows(string $name): void
	{
		[$one, $two] = [new Key($name), new Key($name)];
		$this->store->save($one);
		$this->assertTrue($this->store->exists($one));
		try {
			$this->store->save($two);
			$this->fail('it was held');
		} catch (LockConflictedException) {
		}
		$this->store->delete($one);
		$this->store->save($two);
		$this->store->delete($two);
		$this->assertFalse($this->client->inspect(LockName::fit($name))['held']);
	}

	public function testLongNamesDoNotMeet(): void
	{
		$start = str_repeat('x', 2000);
		[$one, $two] = [new Key($start . '1'), new Key($start . '2')];
		$this->store->save($one);
		$this->store->save($two);
		$this->assertTrue($this->store->exists($one) && $this->store->exists($two));
	}

	public function testWaitAndSaveIsServedByTheRelease(): void
	{
		$key = $this->key();
		$child = Child::fork(function (\Closure $listen, \Closure $say) use ($key): void {
			$store = new LockStore(Redis::shared()->client());
			$store->save($key);
			$say('held');
			$listen();
			$store->delete($key);
			$say('released');
		});
		$this->assertSame('held', $child->listen());
		$waiter = Child::fork(function (\Closure $listen, \Closure $say): void {
			$mine = $this->key();
			$store = new LockStore(Redis::shared()->client());
			$store->waitAndSave($mine);
			$say($store->exists($mine) ? 'served with a lifetime of ' . round((float) $mine->getRemainingLifetime(), -2) : 'not held');
		});
		Eventually::true('somebody waits', fn () => $this->inRedis($key)['waiters']);
		$child->say('go');
		$this->assertSame('released', $child->listen());
		$this->assertSame('served with a lifetime of 300', $waiter->listen());
		$child->wait();
		$waiter->wait();
	}

	/** The time in the queue is not taken from the lease. */
	public function testAWaitLongerThanTheLease(): void
	{
		[$one, $two] = [$this->key(), $this->key()];
		(new LockStore($this->client, 1.5))->save($one);
		$store = new LockStore($this->client, 1.2);
		$store->waitAndSave($two);
		$this->assertTrue($store->exists($two));
		$this->assertFalse($two->isExpired());
	}

	public function testMaxWait(): void
	{
		[$one, $two] = [$this->key(), $this->key()];
		$this->store->save($one);
		$began = hrtime(true);
		try {
			(new LockStore($this->client, maxWait: 0.3))->waitAndSave($two);
			$this->fail('it was held');
		} catch (LockConflictedException) {
		}
		$this->assertGreaterThan(0.29, (hrtime(true) - $began) / 1e9);
		$this->assertTrue($this->store->exists($one));
	}

	public function testFencesGrow(): void
	{
		$fences = [];
		for ($round = 0; $round < 3; $round++) {
			$key = $this->key();
			$this->assertNull($this->store->fence($key));
			$this->store->save($key);
			$fences[] = $this->store->fence($key);
			$this->assertSame($this->inRedis($key)['fence'], $this->store->fence($key));
			$this->store->delete($key);
		}
		$sorted = $fences;
		sort($sorted);
		$this->assertSame($sorted, $fences);
		$this->assertCount(3, array_unique($fences));
	}

	public function testAnOperatorTakesItAway(): void
	{
		$log = new Log();
		$this->store->setLogger($log);
		$key = $this->key();
		$this->store->save($key);
		$this->client->forceRelease((string) $key);
		$this->assertFalse($this->store->exists($key));
		$this->store->delete($key);
		$this->assertSame('warning', $log->first('was lost')['level'] ?? null);
		$this->store->save($key);
		$this->assertTrue($this->store->exists($key));
	}

	public function testAnOutageIsNotContention(): void
	{
		$redis = new Redis();
		$store = new LockStore($redis->client(timeout: 0.5, retryFor: 0.3));
		$key = $this->key();
		$store->save($key);
		$redis->kill();
		$other = $this->key();
		foreach ([
			'save' => fn () => $store->save($other),
			'save of a held key' => fn () => $store->save($key),
			'waitAndSave' => fn () => $store->waitAndSave($other),
			'putOffExpiration' => fn () => $store->putOffExpiration($key, 10.0),
			'exists' => fn () => $store->exists($key),
			'delete' => fn () => $store->delete($key),
		] as $what => $call) {
			try {
				$call();
				$this->fail("$what did not notice");
			} catch (LockStorageException $exception) {
				$this->assertInstanceOf(ConnectionException::class, $exception->getPrevious(), $what);
			}
		}
	}

	public function testAnErrorOfTheServer(): void
	{
		$key = $this->key();
		Redis::shared()->command('LPUSH', 'test:' . $key, 'x');
		try {
			$this->store->save($key);
			$this->fail('that is no lock');
		} catch (LockStorageException $exception) {
			$this->assertInstanceOf(ServerException::class, $exception->getPrevious());
		}
	}

	public function testWaitAndHoldAreLogged(): void
	{
		$log = new Log();
		$this->store->setLogger($log);
		[$one, $two] = [$this->key(), $this->key()];
		(new LockStore($this->client, 1.0))->save($one);
		$this->store->waitAndSave($two);
		usleep(50_000);
		$fence = $this->store->fence($two);
		$this->store->delete($two);
		$acquired = $log->first('acquired');
		$this->assertSame('info', $acquired['level'] ?? null);
		$this->assertSame([(string) $two, $fence], [$acquired['context']['resource'], $acquired['context']['fence']]);
		$this->assertGreaterThan(100.0, $acquired['context']['wait_ms']);
		$released = $log->first('released');
		$this->assertSame('info', $released['level'] ?? null);
		$this->assertGreaterThanOrEqual(50.0, $released['context']['hold_ms']);
		foreach ($log->lines as $line) {
			$this->assertDoesNotMatchRegularExpression('/[0-9a-f]{32}/', json_encode($line), 'the token is a secret');
		}
	}

	public function testKeysCanBeToldToStay(): void
	{
		$store = new LockStore($this->client, handOver: false);
		$key = $this->key();
		$store->save($key);
		$this->expectException(UnserializableKeyException::class);
		serialize($key);
	}
}
