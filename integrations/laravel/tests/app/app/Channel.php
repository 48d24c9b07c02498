<?php
declare(strict_types=1);

namespace App;

use Illuminate\Support\Facades\Redis;
use RuntimeException;

/** How what the test has started tells it what happens, and waits for its word. */
final class Channel
{
	/** @param array<string, mixed> $data */
	public static function say(string $what, array $data = []): void
	{
		Redis::connection('test')->rpush(getenv('TEST_CHANNEL') . ':said', json_encode(['what' => $what] + $data, JSON_THROW_ON_ERROR));
	}

	public static function await(string $word): void
	{
		Redis::connection('test')->blpop([getenv('TEST_CHANNEL') . ":$word"], 50) ?: throw new RuntimeException("nobody said $word");
	}
}
