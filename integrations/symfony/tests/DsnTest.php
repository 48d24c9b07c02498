<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock\Symfony\ClientFactory;
use RedisLock\Symfony\Dsn;

final class DsnTest extends TestCase
{
	/** @return list<array{string, list<string>, array{?string, ?float, ?float}}> */
	public static function good(): array
	{
		return [
			['redislock://localhost', ['redis://localhost'], [null, null, null]],
			['redislock://u:p%2Cw@host:6380/3?timeout=2', ['redis://u:p%2Cw@host:6380/3?timeout=2'], [null, null, null]],
			['redislock+tls://host?cafile=/ca.pem&prefix=my%3A', ['rediss://host?cafile=/ca.pem'], ['my:', null, null]],
			['redislock+unix:///run/redis.sock?db=2&initial_ttl=60&max_wait=5.5', ['unix:///run/redis.sock?db=2'], [null, 60.0, 5.5]],
			['redislock://[::1]:6379', ['redis://[::1]:6379'], [null, null, null]],
			['redis://plain', ['redis://plain'], [null, null, null]],
			['redislock://a,redislock://b, redislock://c?max_wait=1', ['redis://a', 'redis://b', 'redis://c'], [null, null, 1.0]],
		];
	}

	/**
	 * @param list<string> $servers
	 * @param array{?string, ?float, ?float} $options
	 */
	#[DataProvider('good')]
	public function testGood(string $text, array $servers, array $options): void
	{
		$dsn = Dsn::parse($text);
		$this->assertSame($servers, $dsn->servers);
		$this->assertSame($options, [$dsn->prefix(), $dsn->initialTtl(), $dsn->maxWait()]);
	}

	public function testWhatIsOurs(): void
	{
		foreach (['redislock://a', 'redislock+tls://a', 'redislock+unix:///a', 'redislock+nothing://a'] as $dsn) {
			$this->assertTrue(Dsn::isOurs($dsn), $dsn);
		}
		foreach (['redis://a', 'rediss://a', 'flock', 'redislock', 'redislocks://a', 'mysql://redislock:x@a', ''] as $dsn) {
			$this->assertFalse(Dsn::isOurs($dsn), $dsn);
		}
	}

	public function testAnUnknownScheme(): void
	{
		$this->expectException(InvalidArgumentException::class);
		$this->expectExceptionMessage('redislock+unix://');
		Dsn::parse('redislock+http://a:secret@b');
	}

	public function testAnOptionThatIsNoNumber(): void
	{
		$this->expectExceptionMessage('max_wait');
		Dsn::parse('redislock://a?max_wait=long')->maxWait();
	}

	public function testAnUnknownOptionIsTheExtensionsToRefuse(): void
	{
		$this->expectException(\ValueError::class);
		ClientFactory::create('redislock://a?nothing=1');
	}

	/** Nothing is sent yet, and the password does not show. */
	public function testClients(): void
	{
		foreach ([null, '', 'redislock://u:hidden@localhost', ['redislock://a', 'redislock://b', 'redislock://c']] as $dsn) {
			ob_start();
			var_dump(ClientFactory::create($dsn, 'p:', 1.0, 1.0, 1.0, false));
			$this->assertStringNotContainsString('hidden', (string) ob_get_clean());
		}
	}
}
