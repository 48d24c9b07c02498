<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Keys;
use RedisLock\Tool\Node;
use RedisLock\Tool\NoAnswer;
use RedisLock\Tool\RespError;

/** Tries what one log-in may do on one server. */
final class Rights
{
	/** What the client sends itself. */
	public const DIRECT = ['blpop', 'eval', 'evalsha'];
	/** What the scripts call. */
	public const IN_SCRIPTS = ['del', 'exists', 'get', 'llen', 'ltrim', 'pexpire', 'pttl', 'rpush', 'set', 'time'];

	/** @var array<string, string> command => why not */
	public array $missing = [];
	/** @var array<string, string> pattern of keys => why not */
	public array $patterns = [];
	/** Why names with a hash tag cannot be used. */
	public ?string $tagged = null;
	public ?string $scriptsForbidden = null;

	public function __construct(
		private readonly Node $node,
		private readonly Keys $keys,
		private readonly string $name,
		private readonly bool $quorum,
	)
	{
	}

	/** @throws NoAnswer|RespError */
	public function try(): void
	{
		$lock = $this->keys->lock($this->name);
		$wake = $this->keys->beside($this->name, 'wake');
		// With a key, because a proxy knows by it where to send a script.
		$answer = $this->attempt(0.0, 'EVAL', 'return 1', '1', $lock);
		if ($this->refused($answer)) {
			$this->scriptsForbidden = $this->words($answer);
		}
		$answer = $this->attempt(0.0, 'EVALSHA', str_repeat('0', 40), '1', $lock);
		// A script that is not known is what we hope for.
		if ($this->refused($answer)) {
			$this->missing['evalsha'] = $this->words($answer);
		}
		$this->keys($lock, $wake);
		$this->inScripts($lock, $wake);
		if (!$this->quorum) {
			$answer = $this->attempt(1.0, 'BLPOP', $wake, '0.01');
			if ($this->refused($answer)) {
				$this->missing['blpop'] = $this->words($answer);
			}
		} else {
			$answer = $this->attempt(0.0, 'INFO', 'server');
			if ($this->refused($answer)) {
				$this->missing['info'] = $this->words($answer);
			}
		}
	}

	private function keys(string $lock, string $wake): void
	{
		$wanted = [
			Keys::literal($this->keys->prefix) . '*' => $lock,
			$this->patternOfSides() => $wake,
		] + ($this->quorum ? ['{' . Keys::literal($this->keys->prefix) . '}:redislock:node' => $this->keys->node()] : []);
		foreach ($wanted as $pattern => $key) {
			$answer = $this->useKey($key);
			if ($answer !== null) {
				$this->patterns[$pattern] = $answer;
			}
		}
		$this->tagged = $this->useKey($this->keys->beside('{' . $this->name . '}', 'fence'));
	}

	/** Why a key cannot be written; null: it can. */
	private function useKey(string $key): ?string
	{
		// GT on a key without a time to live does nothing, but it asks for the right to write.
		$answer = $this->scriptsForbidden === null
			? $this->attempt(0.0, 'EVAL', 'return 1', '1', $key)
			: $this->attempt(0.0, 'PEXPIRE', $key, '0', 'GT');
		return $this->isAboutKeys($answer) ? $answer->getMessage() : null;
	}

	private function inScripts(string $lock, string $wake): void
	{
		if ($this->patterns !== []) {
			// What is refused for its key would say nothing of the command.
			return;
		}
		$calls = [
			'set' => [$lock, 'redislock doctor', 'NX', 'PX', '1000'], 'get' => [$lock], 'exists' => [$lock], 'pttl' => [$lock], 'pexpire' => [$lock, '1000', 'GT'],
			'del' => [$lock], 'rpush' => [$wake, '1'], 'llen' => [$wake], 'ltrim' => [$wake, '1', '0'], 'time' => [],
		];
		foreach ($calls as $command => $words) {
			if ($this->scriptsForbidden === null) {
				$call = $words === [] ? 'redis.pcall(ARGV[1])' : 'redis.pcall(ARGV[1], KEYS[1], unpack(ARGV, 2))';
				$answer = $this->attempt(
					0.0,
					'EVAL',
					"local a = $call; if type(a) == 'table' and a.err then return a end; return 1",
					'1',
					$words[0] ?? $lock,
					$command,
					...array_slice($words, 1),
				);
			} else {
				$answer = $this->attempt(0.0, $command, ...$words);
			}
			if ($this->refused($answer)) {
				$this->missing[$command] = $this->words($answer);
			}
		}
		// Where DEL or LTRIM is what is missing, it goes away by itself or not at all: at least the list has a time to live.
		$this->attempt(0.0, 'EVAL', "redis.pcall('DEL', KEYS[1]); redis.pcall('PEXPIRE', KEYS[1], 1000)", '1', $wake);
	}

	private function patternOfSides(): string
	{
		return '{' . Keys::literal($this->keys->prefix) . '*}:redislock:*';
	}

	/** The answer; a connection that was closed instead of an answer is an answer, too. @throws NoAnswer|RespError */
	private function attempt(float $extra, string ...$words): mixed
	{
		try {
			return $extra > 0 ? $this->node->askBlocking($extra, ...$words) : $this->node->ask(...$words);
		} catch (NoAnswer $problem) {
			return $problem->closed ? $problem : throw $problem;
		}
	}

	/** Is the command itself refused, and not only a key? */
	private function refused(mixed $answer): bool
	{
		return $answer instanceof NoAnswer
			|| ($answer instanceof RespError && !$this->isAboutKeys($answer) && ($answer->isAboutRights() || $answer->isUnknownCommand()));
	}

	private function isAboutKeys(mixed $answer): bool
	{
		return $answer instanceof RespError && $answer->isAboutRights()
			&& preg_match('/\bkeys?\b/i', $answer->getMessage()) && !preg_match('/\bcommand\b/i', $answer->getMessage());
	}

	private function words(mixed $answer): string
	{
		return $answer instanceof NoAnswer ? 'the connection is closed at it' : $answer->getMessage();
	}
}
