--TEST--
Code that asks for the interfaces can be given a test double
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

use RedisLock\Mutex;
use RedisLock\MutexFactory;

final class Transfer
{
	public function __construct(private MutexFactory $locks)
	{
	}

	public function run(string $account): string
	{
		return $this->locks->lock("account:$account", 5.0)->synchronized(fn (int $fence, Mutex $lock) => "fence $fence", 1.0);
	}
}
final class NoMutex implements Mutex
{
	public function acquire(float $wait = 0.0, ?string $token = null): ?int { return 7; }
	public function attach(string $token): ?int { return 7; }
	public function renew(?float $ttl = null): bool { return true; }
	public function release(): bool { return true; }
	public function isHeld(): bool { return true; }
	public function remaining(): float { return 1.0; }
	public function fence(): ?int { return 7; }
	public function token(): ?string { return 'x'; }
	public function synchronized(callable $callback, float $wait = 0.0): mixed { return $callback(7, $this); }
	public function detach(): string { return 'x'; }
}
final class NoFactory implements MutexFactory
{
	public array $asked = [];

	public function lock(string $name, float $ttl = 30.0, bool $autoRelease = true): Mutex
	{
		$this->asked[] = [$name, $ttl];
		return new NoMutex();
	}
	public function release(string $name, string $token): bool { return true; }
	public function renew(string $name, string $token, float $ttl): bool { return true; }
	public function forceRelease(string $name): bool { return true; }
	public function inspect(string $name): array { return []; }
}
$factory = new NoFactory();
same('fence 7', (new Transfer($factory))->run('a'), 'with the test double');
same([['account:a', 5.0]], $factory->asked, 'which sees what it was asked');
check(preg_match('/^fence \d+$/', (new Transfer(client()))->run('a')) === 1, 'with the real one');
check((fn (Mutex $lock) => $lock->acquire())(client()->lock('b')) > 0, 'a lock is a Mutex');
done();
?>
--EXPECT--
4 checks passed
