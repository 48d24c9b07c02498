<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use BackedEnum;
use LogicException;
use ReflectionClass;
use Stringable;
use Symfony\Component\Messenger\Envelope;

/**
 * Finds out which lock a message needs: by its LockStamp, its interface LockedMessage or its attribute Locked.
 *
 * @internal
 */
final class Requirements
{
	/** @var array<class-string, Locked|null> */
	private array $attributes = [];

	public function __construct(private readonly float $ttl, private readonly float $wait)
	{
	}

	/** @throws LogicException if it cannot be said: a mistake in the program */
	public function of(Envelope $envelope): ?Requirement
	{
		$message = $envelope->getMessage();
		$stamp = $envelope->last(LockStamp::class);
		if ($stamp !== null) {
			return $this->requirement($stamp->name, $stamp);
		}
		$attribute = $this->attribute($message::class);
		if ($message instanceof LockedMessage) {
			return $this->requirement($message->lockName(), $attribute);
		}
		if ($attribute === null) {
			return null;
		}
		return $this->requirement(self::name($attribute->name ?? throw new LogicException(sprintf(
			'%s is Locked without a name: name the lock in the attribute, or implement %s.',
			$message::class,
			LockedMessage::class,
		)), $message), $attribute);
	}

	private function requirement(string $name, Locked|LockStamp|null $options): Requirement
	{
		return new Requirement($name, $options->ttl ?? $this->ttl, $options->wait ?? $this->wait, $options->keepForRetry ?? false);
	}

	/** @param class-string $class */
	private function attribute(string $class): ?Locked
	{
		if (!array_key_exists($class, $this->attributes)) {
			$found = null;
			for ($reflection = new ReflectionClass($class); $reflection && $found === null; $reflection = $reflection->getParentClass()) {
				$found = ($reflection->getAttributes(Locked::class)[0] ?? null)?->newInstance();
			}
			$this->attributes[$class] = $found;
		}
		return $this->attributes[$class];
	}

	private static function name(string $pattern, object $message): string
	{
		return (string) preg_replace_callback('~\{([^{}]*)\}~', static fn (array $match) => self::value($match[1], $message), $pattern);
	}

	private static function value(string $name, object $message): string
	{
		$value = match (true) {
			$name === '' => null,
			isset($message->{$name}) => $message->{$name},
			is_callable([$message, $name]) => $message->{$name}(),
			default => null,
		};
		$value = $value instanceof BackedEnum ? $value->value : $value;
		if (is_int($value) || $value instanceof Stringable || (is_string($value) && $value !== '')) {
			return (string) $value;
		}
		throw new LogicException(sprintf(
			'The lock of %s is named by {%s}: that must be a public property or method with an integer, a text that is not '
				. 'empty or an enum. It is %s.',
			$message::class,
			$name,
			$value === null ? 'null or not there' : get_debug_type($value),
		));
	}
}
