<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Support\Facades\Cache;
use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock\Client;
use RedisLock\FailureException;
use RedisLock\Laravel\ConnectionSettings;
use RedisLock\Laravel\Tests\Support\ApplicationTestCase;

/** config/database.php, as it is found in applications. */
final class ConnectionSettingsTest extends ApplicationTestCase
{
	/** @return array<string, array{mixed, string}> a connection, and its DSN */
	public static function connections(): array
	{
		$stream = ['cafile' => '/ca.pem', 'local_cert' => '/c.pem', 'local_pk' => '/k.pem', 'peer_name' => 'r.example', 'verify_peer' => true, 'verify_peer_name' => true];
		$tls = 'rediss://h:6379/0?cafile=%2Fca.pem&cert=%2Fc.pem&key=%2Fk.pem&peer_name=r.example&verify_peer=1';
		return [
			'as installed' => [['url' => null, 'host' => '127.0.0.1', 'username' => null, 'password' => null, 'port' => '6379', 'database' => '0', 'max_retries' => 3, 'backoff_algorithm' => 'decorrelated_jitter'], 'redis://127.0.0.1:6379/0'],
			'database and port' => [['host' => 'h', 'port' => 7000, 'database' => '7'], 'redis://h:7000/7'],
			'password' => [['host' => 'h', 'password' => 'p@ss/w:rd%'], 'redis://:p%40ss%2Fw%3Ard%25@h:6379/0'],
			'user and password' => [['host' => 'h', 'username' => 'ü', 'password' => 's'], 'redis://%C3%BC:s@h:6379/0'],
			'user and password of phpredis' => [['host' => 'h', 'password' => ['u', 's']], 'redis://u:s@h:6379/0'],
			'user without a password' => [['host' => 'h', 'username' => 'u', 'password' => ''], 'redis://h:6379/0'],
			'IPv6' => [['host' => '::1'], 'redis://[::1]:6379/0'],
			'IPv6 in brackets' => [['host' => '[::1]'], 'redis://[::1]:6379/0'],
			'URL' => [['url' => 'redis://u:p%40@h:7000/2', 'host' => 'x', 'database' => 5], 'redis://u:p%40@h:7000/2'],
			'URL alone' => ['tcp://h:7000', 'redis://h:7000/0'],
			'URL with TLS' => [['url' => 'rediss://:s@h'], 'rediss://:s@h:6379/0'],
			'TLS by scheme' => [['scheme' => 'tls', 'host' => 'h'], 'rediss://h:6379/0'],
			'TLS by host' => [['host' => 'tls://h', 'port' => 6380], 'rediss://h:6380/0'],
			'TLS of phpredis' => [['scheme' => 'tls', 'host' => 'h', 'context' => ['stream' => $stream]], $tls],
			'TLS of predis' => [['scheme' => 'tls', 'host' => 'h', 'ssl' => $stream], $tls],
			'TLS without a check' => [['scheme' => 'tls', 'host' => 'h', 'ssl' => ['verify_peer' => false, 'verify_peer_name' => false]], 'rediss://h:6379/0?verify_peer=0'],
			'socket of phpredis' => [['host' => '/run/my redis.sock', 'port' => 0, 'database' => 2], 'unix:///run/my%20redis.sock?db=2'],
			'socket of phpredis with a scheme' => [['host' => 'unix:///run/r.sock', 'port' => -1, 'password' => 's'], 'unix://:s@/run/r.sock?db=0'],
			'socket of predis' => [['scheme' => 'unix', 'path' => '/run/r.sock'], 'unix:///run/r.sock?db=0'],
		];
	}

	#[DataProvider('connections')]
	public function testDsn(mixed $connection, string $dsn): void
	{
		$settings = ConnectionSettings::of(['default' => $connection], 'default');
		$this->assertSame($dsn, $settings->dsn());
		// The extension takes it, as far as this build can do TLS.
		try {
			$this->assertInstanceOf(Client::class, new Client($dsn));
		} catch (\ValueError $problem) {
			$this->assertStringStartsWith('rediss://', $dsn);
			$this->assertStringContainsString('TLS', $problem->getMessage());
		}
	}

	/** @return array<string, array{array<string, mixed>, string}> database.redis, and what is wrong */
	public static function connectionsThatCannotBeUsed(): array
	{
		$default = ['host' => 'h'];
		return [
			'none' => [['other' => $default], 'no Redis connection'],
			'cluster' => [['clusters' => ['default' => [$default, $default]]], 'is a cluster'],
			'Sentinel' => [['options' => ['replication' => 'sentinel'], 'default' => $default], 'Sentinel'],
			'Sentinel of one connection' => [['default' => ['tcp://a', 'tcp://b', 'options' => ['replication' => 'sentinel']]], 'Sentinel'],
			'several servers' => [['default' => ['tcp://a', 'tcp://b']], 'several servers'],
			'no host' => [['default' => ['port' => 6379]], 'no host'],
			'no path' => [['default' => ['scheme' => 'unix', 'host' => 'h']], 'no path'],
			'scheme' => [['default' => ['scheme' => 'quic', 'host' => 'h']], '"quic"'],
			'name is not checked' => [['default' => ['scheme' => 'tls', 'host' => 'h', 'ssl' => ['verify_peer_name' => false]]], '"verify_peer_name"'],
			'self-signed' => [['default' => ['scheme' => 'tls', 'host' => 'h', 'context' => ['allow_self_signed' => true]]], '"allow_self_signed"'],
			'ciphers' => [['default' => ['scheme' => 'tls', 'host' => 'h', 'ssl' => ['ciphers' => 'ALL']]], '"ciphers"'],
		];
	}

	#[DataProvider('connectionsThatCannotBeUsed')]
	public function testAConnectionThatCannotBeUsed(array $redis, string $problem): void
	{
		$this->expectException(InvalidArgumentException::class);
		$this->expectExceptionMessage($problem);
		ConnectionSettings::of($redis, 'default')->dsn();
	}

	public function testThePrefixIsTheOneOfTheConnectors(): void
	{
		$all = ['options' => ['prefix' => 'all:']];
		foreach ([
			'' => [],
			'all:' => $all + ['default' => []],
			'options:' => $all + ['default' => ['options' => ['prefix' => 'options:']]],
			'own:' => $all + ['default' => ['prefix' => 'own:', 'options' => ['prefix' => 'options:']]],
		] as $prefix => $redis) {
			$redis['default'] = ($redis['default'] ?? []) + ['host' => '127.0.0.1', 'port' => (int) $_SERVER['TEST_REDIS_PORT']];
			$this->assertSame($prefix, ConnectionSettings::of($redis, 'default')->prefix());
			foreach (['phpredis', 'predis'] as $client) {
				$connection = (new \Illuminate\Redis\RedisManager($this->app, $client, $redis))->connection();
				$this->assertSame($prefix, $client === 'phpredis' ? (string) $connection->_prefix('') : (string) $connection->getOptions()->prefix?->getPrefix());
			}
		}
	}

	public function testAUserADatabaseAndASocket(): void
	{
		$redis = $this->redis();
		$redis->rawCommand('ACL', 'SETUSER', $this->id, 'on', '>p@ss/w:rd', '~*', '&*', '+@all');
		$socket = $redis->config('GET', 'unixsocket')['unixsocket'];
		$login = ['username' => $this->id, 'password' => 'p@ss/w:rd', 'database' => 4];
		foreach (['tcp' => ['host' => '127.0.0.1', 'port' => $_SERVER['TEST_REDIS_PORT']], 'socket' => ['host' => $socket, 'port' => 0]] as $name => $address) {
			config(["database.redis.$name" => $login + $address, "cache.stores.$name" => ['driver' => 'redislock', 'connection' => $name]]);
			$this->assertTrue(Cache::store($name)->lock($name, 100)->get());
			$this->assertSame(1, $this->redis(4)->exists($this->key($name)));
		}
		$users = [];
		foreach ($redis->rawCommand('CLIENT', 'LIST') ? explode("\n", trim($redis->rawCommand('CLIENT', 'LIST'))) : [] as $line) {
			$users[] = preg_replace('/.* user=(\S+).*/', '$1', $line);
		}
		$this->assertContains($this->id, $users);
		$redis->rawCommand('ACL', 'DELUSER', $this->id);
	}

	public function testServersReplaceTheAddressAndKeepThePrefix(): void
	{
		config(['cache.stores.other' => ['driver' => 'redislock', 'connection' => 'dead', 'prefix' => "$this->id:", 'servers' => "redis://127.0.0.1:{$_SERVER['TEST_REDIS_PORT']}/4"]]);
		$this->assertTrue(Cache::store('other')->lock('a', 100)->get());
		$this->assertSame(1, $this->redis(4)->exists($this->key('a')));
	}

	public function testTheClientForOthers(): void
	{
		$lock = $this->app->make(\RedisLock\MutexFactory::class)->lock('a');
		$this->assertIsInt($lock->acquire());
		$this->assertFalse(Cache::lock('a', 10)->get());
		$this->assertTrue($lock->release());
		config(['redislock.store' => 'array']);
		$this->expectException(\LogicException::class);
		$this->expectExceptionMessage('"array"');
		$this->app->make(Client::class);
	}

	/** Nobody may take an outage for a lock that is held, or that is free. */
	public function testAServerThatIsNotThere(): void
	{
		$lock = Cache::store('dead')->lock('a', 10);
		foreach ([fn () => $lock->get(), fn () => $lock->get(fn () => $this->fail('called')), fn () => $lock->forceRelease(), fn () => $lock->isOwnedBy('me'), fn () => Cache::store('dead')->restoreLock('a', 'me')->release(), fn () => Cache::store('dead')->restoreLock('a', 'me')->refresh()] as $use) {
			try {
				$use();
				$this->fail('it did not notice');
			} catch (FailureException) {
				$this->addToAssertionCount(1);
			}
		}
		config(['redislock.retry_for' => 0]);
		Cache::purge('dead');
		$this->expectException(FailureException::class);
		Cache::store('dead')->lock('a', 10)->block(60);
	}

	/** Redis fails while the callback runs: what the callback has done is worth more than the end of the lock. */
	public function testTheResultOfACallbackSurvivesAFailingRelease(): void
	{
		$redis = $this->redis();
		$redis->rawCommand('ACL', 'SETUSER', $this->id, 'on', '>s', '~*', '&*', '+@all');
		config(['database.redis.acl' => ['username' => $this->id, 'password' => 's', 'host' => '127.0.0.1', 'port' => $_SERVER['TEST_REDIS_PORT']], 'cache.stores.acl' => ['driver' => 'redislock', 'connection' => 'acl']]);
		$reports = $this->collectReports();
		$forbid = fn () => $redis->rawCommand('ACL', 'SETUSER', $this->id, '-evalsha', '-eval');
		$this->assertSame('result', Cache::store('acl')->lock('a', 100)->get(function () use ($forbid) {
			$forbid();
			return 'result';
		}));
		$this->assertCount(1, $reports);
		$this->assertInstanceOf(\RedisLock\ServerException::class, $reports[0]);
		$redis->rawCommand('ACL', 'SETUSER', $this->id, '+@all');
		try {
			Cache::store('acl')->lock('b', 100)->block(1, function () use ($forbid) {
				$forbid();
				throw new \DomainException('of the callback');
			});
			$this->fail('the exception is lost');
		} catch (\DomainException) {
			$this->assertCount(2, $reports);
		}
		$redis->rawCommand('ACL', 'DELUSER', $this->id);
	}
}
