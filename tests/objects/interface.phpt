--TEST--
Classes, constants, methods and parameters are those of the documented interface
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../include/check.inc';

$shape = function (string $class): array {
	$lines = [];
	foreach ((new ReflectionClass($class))->getMethods() as $method) {
		$parameters = array_map(function (ReflectionParameter $parameter): string {
			$sensitive = $parameter->getAttributes('SensitiveParameter') ? '#[SensitiveParameter] ' : '';
			$default = $parameter->isDefaultValueAvailable() ? ' = ' . var_export($parameter->getDefaultValue(), true) : '';
			return $sensitive . $parameter->getType() . ' $' . $parameter->getName() . $default;
		}, $method->getParameters());
		$lines[] = $method->getName() . '(' . implode(', ', $parameters) . ')' . ($method->hasReturnType() ? ': ' . $method->getReturnType() : '');
	}
	sort($lines);
	return $lines;
};
$mutex = [
	'acquire(float $wait = 0.0, #[SensitiveParameter] ?string $token = NULL): ?int',
	'attach(#[SensitiveParameter] string $token): ?int',
	'detach(): string',
	'fence(): ?int',
	'isHeld(): bool',
	'release(): bool',
	'remaining(): float',
	'renew(?float $ttl = NULL): bool',
	'synchronized(callable $callback, float $wait = 0.0): mixed',
	'token(): ?string',
];
same($mutex, $shape('RedisLock\Mutex'), 'RedisLock\Mutex');
$lock = ['__construct(string $name, float $ttl = 30.0, ?RedisLock\Client $client = NULL, bool $autoRelease = true)', ...$mutex, 'metrics(): string', 'stats(): array'];
sort($lock);
same($lock, $shape('RedisLock'), 'RedisLock');
$factory = [
	'forceRelease(string $name): bool',
	'inspect(string $name): array',
	'lock(string $name, float $ttl = 30.0, bool $autoRelease = true): RedisLock\Mutex',
	'release(string $name, #[SensitiveParameter] string $token): bool',
	'renew(string $name, #[SensitiveParameter] string $token, float $ttl): bool',
];
same($factory, $shape('RedisLock\MutexFactory'), 'RedisLock\MutexFactory');
$client = [
	'__construct(#[SensitiveParameter] array|string|null $servers = NULL, ?string $prefix = NULL, ?float $connectTimeout = NULL, ?float $timeout = NULL, ?float $retryFor = NULL, ?bool $persistent = NULL)',
	'forceRelease(string $name): bool',
	'initializeQuorum(): void',
	'inspect(string $name): array',
	'lock(string $name, float $ttl = 30.0, bool $autoRelease = true): RedisLock',
	'release(string $name, #[SensitiveParameter] string $token): bool',
	'renew(string $name, #[SensitiveParameter] string $token, float $ttl): bool',
];
same($client, $shape('RedisLock\Client'), 'RedisLock\Client');
same(['MIN_TTL' => 0.01, 'MAX_TTL' => 2678400.0, 'MAX_WAIT' => 86400.0, 'MAX_NAME_LENGTH' => 1024], (new ReflectionClass('RedisLock'))->getConstants(), 'constants');
same(true, (new ReflectionClass('RedisLock'))->implementsInterface('RedisLock\Mutex'), 'RedisLock is a Mutex');
same(true, (new ReflectionClass('RedisLock\Client'))->implementsInterface('RedisLock\MutexFactory'), 'Client is a MutexFactory');
$classes = (new ReflectionExtension('redislock'))->getClassNames();
sort($classes);
same([
	'RedisLock', 'RedisLock\Client', 'RedisLock\ConnectionException', 'RedisLock\FailureException', 'RedisLock\LostException', 'RedisLock\Mutex',
	'RedisLock\MutexFactory', 'RedisLock\NotAcquiredException', 'RedisLock\QuorumException', 'RedisLock\RedisLockError', 'RedisLock\RedisLockException',
	'RedisLock\ServerException', 'RedisLock\UncertainException',
], $classes, 'these and no other classes');
same([], (new ReflectionExtension('redislock'))->getFunctions(), 'and no functions');
same([], (new ReflectionExtension('redislock'))->getConstants(), 'and no constants');
done();
?>
--EXPECT--
10 checks passed
