<?php
/*
 * What the benchmarks of the quorum share: the libraries in the same shape, and processes that use them and measure.
 * The servers are those of the tests.
 */
declare(strict_types=1);

namespace Bench;

require_once __DIR__ . '/bench.php';
require_once __DIR__ . '/delay_proxy.php';
require_once __DIR__ . '/../../tests/quorum/quorum.inc';

/** A library with the lock "job" on several servers. */
interface QuorumContender
{
	/** The fence, or 0 if this library has none. Null: not acquired. */
	public function acquire(): ?int;

	public function renew(): bool;

	public function release(): bool;
}

final class RedisLockQuorum implements QuorumContender
{
	private \RedisLock $lock;

	/** @param list<string> $dsns one: no quorum */
	public function __construct(array $dsns)
	{
		$this->lock = (new \RedisLock\Client($dsns, prefix()))->lock('job', 60.0);
	}

	public function acquire(): ?int
	{
		return $this->lock->acquire();
	}

	public function renew(): bool
	{
		return $this->lock->renew();
	}

	public function release(): bool
	{
		return $this->lock->release();
	}
}

/** ronnylt/redlock-php: one server after the other. */
final class RedLockPhp implements QuorumContender
{
	private \RedLock $redLock;
	/** @var array<string, mixed>|false */
	private array|false $lock = false;

	/** @param list<string> $dsns */
	public function __construct(array $dsns)
	{
		// Its servers have no timeout for an answer but this one.
		ini_set('default_socket_timeout', '1');
		$this->redLock = new \RedLock(array_map(fn (string $dsn) => [...address_of($dsn), 1.0], $dsns), 200, 1);
	}

	public function acquire(): ?int
	{
		$this->lock = $this->redLock->lock('redlock-php-job', 60_000);
		return $this->lock === false ? null : 0;
	}

	public function renew(): bool
	{
		throw new \LogicException('it has none');
	}

	public function release(): bool
	{
		$this->redLock->unlock($this->lock);
		return true;
	}
}

final class SymfonyCombined implements QuorumContender
{
	private \Symfony\Component\Lock\LockFactory $factory;
	private ?\Symfony\Component\Lock\SharedLockInterface $lock = null;

	/** @param list<string> $dsns */
	public function __construct(array $dsns)
	{
		$stores = array_map(function (string $dsn): \Symfony\Component\Lock\Store\RedisStore {
			$redis = new \Redis();
			$redis->connect(...[...address_of($dsn), 1.0]);
			$redis->setOption(\Redis::OPT_READ_TIMEOUT, 1.0);
			return new \Symfony\Component\Lock\Store\RedisStore($redis, 60.0);
		}, $dsns);
		$this->factory = new \Symfony\Component\Lock\LockFactory(new \Symfony\Component\Lock\Store\CombinedStore($stores, new \Symfony\Component\Lock\Strategy\ConsensusStrategy()));
	}

	public function acquire(): ?int
	{
		$this->lock = $this->factory->createLock('symfony-job', 60.0);
		return $this->lock->acquire() ? 0 : null;
	}

	public function renew(): bool
	{
		$this->lock->refresh();
		return true;
	}

	public function release(): bool
	{
		$this->lock->release();
		return true;
	}
}

/** Host and port as phpredis wants them. @return array{string, int} */
function address_of(string $dsn): array
{
	if (str_starts_with($dsn, 'unix://')) {
		return [substr($dsn, strlen('unix://')), 0];
	}
	$parts = parse_url($dsn);
	return [$parts['host'], $parts['port']];
}

/** @return array<string, class-string<QuorumContender>|null> name => class; null: not here */
function quorum_contenders(): array
{
	$vendor = __DIR__ . '/../.peers/vendor';
	$redis = class_exists(\Redis::class);
	if (is_file("$vendor/autoload.php")) {
		require_once "$vendor/autoload.php";
	}
	if (is_file("$vendor/ronnylt/redlock-php/src/RedLock.php")) {
		require_once "$vendor/ronnylt/redlock-php/src/RedLock.php";
	}
	return [
		'redislock' => RedisLockQuorum::class,
		'redlock-php' => $redis && class_exists(\RedLock::class) ? RedLockPhp::class : null,
		'Symfony CombinedStore' => $redis && class_exists(\Symfony\Component\Lock\Store\CombinedStore::class) ? SymfonyCombined::class : null,
	];
}

/** A process that uses one contender, and says how long it took. */
final class Measurer
{
	private ?Crew $crew;

	/** @param class-string<QuorumContender> $class @param list<string> $dsns */
	public function __construct(string $class, array $dsns, Arena $arena)
	{
		$this->crew = new Crew(1, function (Line $boss) use ($class, $dsns, $arena): void {
			$contender = new $class($dsns);
			$boss->tell('ready');
			while (true) {
				[$what, $cycles, $renews] = $boss->hear() + [1 => 0, 2 => true];
				switch ($what) {
					case 'initialize':
						(new \RedisLock\Client($dsns, prefix()))->initializeQuorum();
						$boss->tell('done');
						break;
					case 'hold':
						$boss->tell($contender->acquire() !== null);
						break;
					case 'let':
						$boss->tell($contender->release());
						break;
					case 'measure':
						$boss->tell(self::measure($contender, $cycles, $renews, $arena));
				}
			}
		});
		$this->crew->hear();
	}

	public function initialize(): self
	{
		$this->crew->ask(['initialize']);
		return $this;
	}

	/**
	 * @param bool $renews between acquire and release; not all libraries can
	 * @return array{acquire: float, renew: float, release: float, worst: float, failed: int} medians in seconds
	 */
	public function run(int $cycles, bool $renews = true): array
	{
		return $this->crew->ask(['measure', $cycles, $renews])[0];
	}

	/** Until all of the nodes take part. */
	public function recover(\Quorum $quorum): void
	{
		wait_until(function () use ($quorum): bool {
			$this->crew->ask(['hold']);
			for ($end = hrtime(true) + 1e8; $quorum->held('job') < count($quorum->nodes) && hrtime(true) < $end;) {
				usleep(1000);
			}
			$held = $quorum->held('job');
			$this->crew->ask(['let']);
			return $held === count($quorum->nodes);
		}, 'all nodes take part again', 60.0);
		$quorum->waitHeld(0, 'job');
	}

	/** Its servers can only end when it has. */
	public function end(): void
	{
		$this->crew = null;
	}

	private static function measure(QuorumContender $contender, int $cycles, bool $renews, Arena $arena): array
	{
		$times = ['acquire' => [], 'renew' => [], 'release' => []];
		$failed = 0;
		for ($i = 0; $i < $cycles; $i++) {
			$begin = hrtime(true);
			$fence = $contender->acquire();
			$acquired = hrtime(true);
			if ($fence === null) {
				$failed++;
				continue;
			}
			$arena->enter($fence);
			$renew = hrtime(true);
			$renewed = !$renews || $contender->renew();
			$times['renew'][] = hrtime(true) - $renew;
			$arena->leave();
			$release = hrtime(true);
			$released = $contender->release();
			$times['release'][] = hrtime(true) - $release;
			$times['acquire'][] = $acquired - $begin;
			$failed += $renewed && $released ? 0 : 1;
		}
		$result = array_map(fn (array $all): float => $all ? median($all) / 1e9 : INF, $times);
		return $result + ['worst' => $times['acquire'] ? max($times['acquire']) / 1e9 : INF, 'failed' => $failed];
	}
}

/** How long a cycle took, without what lies between. */
function cycle_of(array $measured): float
{
	return $measured['acquire'] + $measured['release'];
}
