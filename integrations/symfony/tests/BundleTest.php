<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock\Symfony\FencingLock;
use RedisLock\Symfony\LockFactory;
use RedisLock\Symfony\Tests\App\Kernel;
use RedisLock\Symfony\Tests\App\Message\DirectJob;
use RedisLock\Symfony\Tests\Support\App;
use RedisLock\Symfony\Tests\Support\Redis;
use Symfony\Component\Config\Definition\Exception\InvalidConfigurationException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\LockFactory as SymfonyLockFactory;

/** What a kernel makes of the configuration. */
final class BundleTest extends TestCase
{
	private ?App $app = null;

	protected function setUp(): void
	{
		Redis::shared()->command('FLUSHALL');
	}

	protected function tearDown(): void
	{
		$this->app?->stop();
	}

	/** @param array<string, mixed> $settings */
	private function app(array $settings): App
	{
		return $this->app = new App(Redis::shared(), $settings);
	}

	public function testAutowiring(): void
	{
		$wired = $this->app([])->wired;
		$this->assertSame($wired->client, $wired->mutexFactory);
		$lock = $wired->fencing->createLock('a');
		$this->assertTrue($lock->acquire());
		$this->assertTrue($wired->client->inspect('a')['held']);
		$this->assertSame($lock->fence(), $wired->client->inspect('a')['fence']);
		// The one of framework.lock meets it.
		$this->assertFalse($wired->locks->createLock('a')->acquire());
	}

	/** @return array<string, array{mixed, bool}> what stands in framework.lock, and whether it is on the bundle's client */
	public static function locks(): array
	{
		return [
			'a word' => ['redislock', true],
			'a service' => ['RedisLock\Symfony\LockStore', true],
			'the client' => ['RedisLock\Client', true],
			'a word from the environment' => ['%env(APP_LOCK)%', true],
			'the environment' => ['%env(REDISLOCK_DSN)%', true],
			'another prefix' => ['%env(REDISLOCK_DSN)%?prefix=other:', false],
		];
	}

	#[DataProvider('locks')]
	public function testFrameworkLock(mixed $setting, bool $same): void
	{
		$_ENV['APP_LOCK'] = 'redislock';
		$wired = $this->app(['lock' => $setting])->wired;
		$this->assertInstanceOf(LockFactory::class, $wired->locks);
		$lock = $wired->locks->createLock('a', 5.0);
		$this->assertInstanceOf(FencingLock::class, $lock);
		$this->assertTrue($lock->acquire());
		$this->assertGreaterThan(0, $lock->fence());
		$this->assertSame($same, $wired->client->inspect('a')['held']);
		if (!$same) {
			$this->assertSame('1', Redis::shared()->command('EXISTS', 'other:a'));
		}
	}

	public function testOptionsOfADsn(): void
	{
		$wired = $this->app(['lock' => '%env(REDISLOCK_DSN)%?initial_ttl=20&max_wait=0.1&timeout=2'])->wired;
		$lock = $wired->locks->createLock('a', null);
		$this->assertTrue($lock->acquire());
		$this->assertEqualsWithDelta(20.0, $wired->client->inspect('a')['remaining'], 2.0);
		$this->expectException(LockConflictedException::class);
		$wired->locks->createLock('a')->acquire(true);
	}

	/** What is not ours stays Symfony's. */
	public function testOtherStores(): void
	{
		$wired = $this->app(['lock' => 'flock'])->wired;
		$this->assertSame(SymfonyLockFactory::class, get_class($wired->locks));
		$this->assertTrue($wired->locks->createLock('a')->acquire());
		$this->assertFalse($wired->client->inspect('a')['held']);
		// And the bundle's own is there all the same.
		$this->assertTrue($wired->fencing->createLock('a')->acquire());
	}

	public function testNamedLocks(): void
	{
		$wired = $this->app(['lock' => ['invoice' => 'redislock', 'default' => 'flock']])->wired;
		$this->assertSame(SymfonyLockFactory::class, get_class($wired->locks));
	}

	public function testSettings(): void
	{
		$wired = $this->app(['redislock' => ['dsn' => '%env(REDISLOCK_DSN)%', 'prefix' => 'app:', 'initial_ttl' => 40, 'max_wait' => 0.1, 'hand_over' => false]])->wired;
		$lock = $wired->fencing->createLock('a', null);
		$this->assertTrue($lock->acquire());
		$this->assertSame('1', Redis::shared()->command('EXISTS', 'app:a'));
		$this->assertEqualsWithDelta(40.0, $wired->client->inspect('a')['remaining'], 3.0);
		try {
			serialize($lock->key());
			$this->fail('it may not be handed over');
		} catch (\Symfony\Component\Lock\Exception\UnserializableKeyException) {
		}
		$this->expectException(LockConflictedException::class);
		$wired->fencing->createLock('a')->acquire(true);
	}

	/** A kernel that has no use for messages, and one with the profiler's middleware. */
	public function testOtherKernels(): void
	{
		$this->app([])->stop();
		putenv('APP_SETTINGS={"messenger": false}');
		$kernel = new Kernel();
		$kernel->boot();
		$lock = $kernel->getContainer()->get('public_lock_factory')->createLock('b');
		$this->assertTrue($lock->acquire());
		$kernel->shutdown();
		putenv('APP_DEBUG=1');
		try {
			$app = $this->app(['serializer' => 'messenger.transport.native_php_serializer']);
			$app->dispatch(new DirectJob('a', 'A'));
			$rows = $app->rows("WHERE what = 'end'");
			$this->assertGreaterThan(0, $rows[0]['fence']);
		} finally {
			putenv('APP_DEBUG');
		}
	}

	public function testMessengerCanBeLeftOut(): void
	{
		$app = $this->app(['redislock' => ['messenger' => false]]);
		$held = $app->wired->client->lock('job:a');
		$held->acquire();
		$app->dispatch(new DirectJob('a', 'A'));
		$this->assertSame(['begin', 'end'], $app->record('A'));
	}

	/** @return array<string, array{array<string, mixed>, string}> */
	public static function mistakes(): array
	{
		return [
			'no DSN' => [['dsn' => 7], 'redislock.dsn'],
			'no list' => [['dsn' => ['a' => 'redis://localhost']], 'A DSN, a list of DSNs or null is expected'],
			'unknown' => [['server' => 'x'], 'Unrecognized option "server"'],
			'no number' => [['timeout' => 'long'], 'A number of seconds or null is expected. Got "long"'],
			'no TTL' => [['messenger' => ['ttl' => null]], 'A number of seconds is expected. Got null'],
			'negative limit' => [['messenger' => ['limit' => -1]], 'redislock.messenger.limit'],
		];
	}

	/** @param array<string, mixed> $settings */
	#[DataProvider('mistakes')]
	public function testMistakes(array $settings, string $message): void
	{
		$this->expectException(InvalidConfigurationException::class);
		$this->expectExceptionMessage($message);
		$this->app(['redislock' => $settings]);
	}
}
