<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use InvalidArgumentException;
use LogicException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock\Symfony\Messenger\Backoff;
use RedisLock\Symfony\Messenger\Locked;
use RedisLock\Symfony\Messenger\LockedMessage;
use RedisLock\Symfony\Messenger\LockStamp;
use RedisLock\Symfony\Messenger\Requirements;
use Symfony\Component\Messenger\Envelope;

/** Which lock a message needs, and how long it stays away. */
final class RequirementsTest extends TestCase
{
	private function lockOf(object $message): ?string
	{
		return (new Requirements(60.0, 0.0))->of(new Envelope($message))?->name;
	}

	public function testNames(): void
	{
		$this->assertNull($this->lockOf(new \stdClass()));
		$this->assertSame('fixed', $this->lockOf(new Fixed()));
		$this->assertSame('7:x:red:from a method:1', $this->lockOf(new Named(7, 'x')));
		$this->assertSame('fixed', $this->lockOf(new Inherits()));
		$this->assertSame('by the interface', $this->lockOf(new ByInterface()));
	}

	public function testOptions(): void
	{
		$requirements = new Requirements(60.0, 1.0);
		$of = static fn (object $message, object ...$stamps) => array_values((array) $requirements->of(new Envelope($message, $stamps)));
		$this->assertSame(['fixed', 60.0, 1.0, false], $of(new Fixed()));
		$this->assertSame(['by the interface', 5.0, 2.0, true], $of(new ByInterface()));
		$this->assertSame(['{stamp}', 60.0, 1.0, false], $of(new ByInterface(), new LockStamp('{stamp}')));
		$this->assertSame(['b', 3.0, 0.0, true], $of(new Fixed(), new LockStamp('a'), new LockStamp('b', 3.0, 0.0, true)));
	}

	/** @return array<string, array{object, string}> */
	public static function mistakes(): array
	{
		return [
			'nothing there' => [new #[Locked('a:{nothing}')] class {}, '{nothing}'],
			'private' => [new #[Locked('a:{secret}')] class { private string $secret = 'x'; }, '{secret}'],
			'null' => [new #[Locked('a:{id}')] class { public ?int $id = null; }, 'null or not there'],
			'empty' => [new #[Locked('a:{id}')] class { public string $id = ''; }, 'a text that is not empty'],
			'float' => [new #[Locked('a:{id}')] class { public float $id = 1.5; }, 'float'],
			'array' => [new #[Locked('a:{id}')] class { public array $id = []; }, 'array'],
			'no name' => [new #[Locked] class {}, 'without a name'],
			'empty braces' => [new #[Locked('a:{}')] class {}, '{}'],
			'empty name' => [new #[Locked('')] class {}, 'not empty'],
			'TTL' => [new #[Locked('a', ttl: 0.0)] class {}, 'TTL'],
			'wait' => [new #[Locked('a', wait: -1.0)] class {}, 'wait'],
		];
	}

	#[DataProvider('mistakes')]
	public function testMistakes(object $message, string $part): void
	{
		$this->expectException(LogicException::class);
		$this->expectExceptionMessage($part);
		$this->lockOf($message);
	}

	public function testBackoff(): void
	{
		$backoff = new Backoff(0.1, 1.0);
		$most = 0;
		for ($count = 0; $count < 200; $count++) {
			$delay = $backoff->delay($count);
			$this->assertGreaterThanOrEqual(100, $delay);
			$this->assertLessThanOrEqual(min(1000, 100 * 2 ** min($count + 1, 10)), $delay);
			$most = max($most, $delay);
		}
		$this->assertGreaterThan(500, $most);
		$this->assertSame(0, (new Backoff(0.0, 0.0))->delay(5));
		$this->assertSame(2000, (new Backoff(2.0, 2.0))->delay(PHP_INT_MAX));
	}

	public function testImpossibleBackoffs(): void
	{
		foreach ([[-1.0, 1.0], [2.0, 1.0], [0.0, 1e9], [NAN, 1.0]] as [$min, $max]) {
			try {
				new Backoff($min, $max);
				$this->fail("$min to $max");
			} catch (InvalidArgumentException $exception) {
				$this->assertStringContainsString('0 to 86400', $exception->getMessage());
			}
		}
	}
}

#[Locked('fixed')]
class Fixed
{
}

final class Inherits extends Fixed
{
}

enum Colour: string
{
	case Red = 'red';
}

#[Locked('{number}:{text}:{colour}:{method}:{zero}')]
final class Named
{
	public Colour $colour = Colour::Red;
	public int $zero = 1;

	public function __construct(public readonly int $number, public readonly string $text)
	{
	}

	public function method(): string
	{
		return 'from a method';
	}
}

#[Locked(ttl: 5.0, wait: 2.0, keepForRetry: true)]
final class ByInterface implements LockedMessage
{
	public function lockName(): string
	{
		return 'by the interface';
	}
}
