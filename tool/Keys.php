<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** The names of the keys of a lock, as docs/operations.md describes them. */
final class Keys
{
	private const MARK = '}:redislock:';

	public function __construct(public readonly string $prefix)
	{
	}

	public function lock(string $name): string
	{
		return $this->prefix . $name;
	}

	/** @param string $kind fence, wait, wake or attach */
	public function beside(string $name, string $kind): string
	{
		$lock = $this->lock($name);
		$open = strpos($lock, '{');
		$close = $open === false ? false : strpos($lock, '}', $open + 1);
		return $close !== false && $close > $open + 1
			? '{' . substr($lock, $open + 1, $close - $open - 1) . self::MARK . "$kind:$lock"
			: '{' . $lock . self::MARK . $kind;
	}

	/** Where a node of a quorum remembers whether it is in service. */
	public function node(): string
	{
		return '{' . $this->prefix . self::MARK . 'node';
	}

	/** The name of the lock that has this key; null: it is the key of no lock. */
	public function name(string $key): ?string
	{
		$name = substr($key, strlen($this->prefix));
		return str_starts_with($key, $this->prefix) && $name !== '' && strlen($name) <= \RedisLock::MAX_NAME_LENGTH && !str_contains($key, self::MARK)
			? $name
			: null;
	}

	/** A pattern of SCAN for lock keys. @param string $pattern as SCAN has it, for the name */
	public function match(string $pattern): string
	{
		return self::literal($this->prefix) . $pattern;
	}

	/** A pattern of SCAN for the fence keys of names without a hash tag of their own. */
	public function matchFences(): string
	{
		return '{*' . self::MARK . 'fence*';
	}

	/** The name of the lock whose fence this key is, null if it is none of this prefix. */
	public function nameOfFence(string $key): ?string
	{
		$at = strpos($key, self::MARK . 'fence');
		if ($at === false) {
			return null;
		}
		$rest = substr($key, $at + strlen(self::MARK . 'fence'));
		$lock = $rest === '' ? substr($key, 1, $at - 1) : substr($rest, 1);
		$name = $this->name($lock);
		return $name !== null && $this->beside($name, 'fence') === $key ? $name : null;
	}

	/** Text as it is written in a pattern, for SCAN and for ACL. */
	public static function literal(string $text): string
	{
		return preg_replace('/[*?[\]\\\\^]/', '\\\\$0', $text);
	}
}
