<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** What comes from Redis or from a user, as a terminal and JSON can show it. */
final class Text
{
	/**
	 * A name may hold any bytes, and some of them command a terminal. Whatever is not plain text shows as \xNN, and so
	 * does the backslash: what is shown can be read back.
	 */
	public static function printable(string $text): string
	{
		$hex = fn (array $found): string => preg_replace('/../', '\x$0', bin2hex($found[0]));
		return preg_match('//u', $text)
			? preg_replace_callback('/[\p{C}\p{Zl}\p{Zp}\\\\]/u', $hex, $text)
			: preg_replace_callback('/[^\x20-\x5b\x5d-\x7e]/', $hex, $text);
	}

	/** How many columns it takes, colours not counted. */
	public static function width(string $text): int
	{
		return (int) preg_match_all('/\X/u', preg_replace('/\e\[[0-9;]*m/', '', $text));
	}

	/** Cut to so many columns, with an ellipsis if something is missing. Colours take none. */
	public static function cut(string $text, int $columns): string
	{
		if (self::width($text) <= $columns) {
			return $text;
		}
		preg_match_all('/\e\[[0-9;]*m|\X/u', $text, $found);
		$cut = '';
		$left = $columns - 1;
		foreach ($found[0] as $part) {
			if ($part[0] === "\e") {
				$cut .= $part;
			} elseif ($left-- > 0) {
				$cut .= $part;
			} else {
				break;
			}
		}
		return $cut . '…' . (str_contains($cut, "\e") ? "\e[0m" : '');
	}

	public static function pad(string $text, int $columns, bool $right = false): string
	{
		$space = str_repeat(' ', max(0, $columns - self::width($text)));
		return $right ? $space . $text : $text . $space;
	}

	/** @param float|null $seconds INF: without end; null: unknown */
	public static function duration(?float $seconds): string
	{
		if ($seconds === null) {
			return '-';
		}
		return match (true) {
			is_infinite($seconds) => 'no end',
			$seconds < 0.0995 => sprintf('%d ms', (int) round($seconds * 1000)),
			$seconds < 9.95 => sprintf('%.1f s', $seconds),
			$seconds < 120 => sprintf('%d s', (int) round($seconds)),
			$seconds < 7200 => sprintf('%d min', (int) round($seconds / 60)),
			$seconds < 172800 => sprintf('%d h', (int) round($seconds / 3600)),
			default => sprintf('%d days', (int) round($seconds / 86400)),
		};
	}

	public static function bytes(int $bytes): string
	{
		$unit = 0;
		for ($size = (float) $bytes; $size >= 1024 && $unit < 4; $unit++) {
			$size /= 1024;
		}
		return sprintf($unit === 0 ? '%d %s' : '%.1f %s', $size, ['B', 'KiB', 'MiB', 'GiB', 'TiB'][$unit]);
	}

	/**
	 * An owner as it may be shown: enough to see that two are the same, and useless for giving a lock back.
	 */
	public static function owner(#[\SensitiveParameter] string $token): string
	{
		return substr(hash('sha256', $token), 0, 8);
	}

	/** A name in JSON: as it is if JSON can hold it, else printable, with the bytes beside it. @return array<string, string> */
	public static function nameInJson(string $name): array
	{
		return preg_match('//u', $name)
			? ['name' => $name]
			: ['name' => self::printable($name), 'name_base64' => base64_encode($name)];
	}
}
