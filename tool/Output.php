<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** What is printed: results to stdout, as text or as JSON; what is said about them to stderr. */
final class Output
{
	public function __construct(public readonly bool $json, public readonly Terminal $terminal)
	{
	}

	/** A line of the result for people. */
	public function line(string $text = ''): void
	{
		$this->json || self::write("$text\n");
	}

	/** The result for programs: one line of JSON. */
	public function json(mixed $value): void
	{
		!$this->json || self::write(self::encode($value) . "\n");
	}

	public static function encode(mixed $value): string
	{
		return json_encode(
			$value,
			JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION | JSON_INVALID_UTF8_SUBSTITUTE,
		);
	}

	/** To stderr. */
	public function note(string $text): void
	{
		@fwrite(STDERR, "redislock: $text\n");
	}

	/**
	 * A table for people.
	 *
	 * @param list<string> $titles one that ends with ">" is set to the right
	 * @param list<list<string>> $rows
	 */
	public function table(array $titles, array $rows): void
	{
		$widths = array_map(
			fn (int $i) => max(
				Text::width(rtrim($titles[$i], '>')),
				...array_map(fn (array $row) => Text::width($row[$i]), $rows) ?: [0],
			),
			array_keys($titles),
		);
		$format = function (array $cells) use ($titles, $widths): string {
			foreach ($cells as $i => $cell) {
				$cells[$i] = Text::pad($cell, $widths[$i], str_ends_with($titles[$i], '>'));
			}
			return rtrim(implode('  ', $cells));
		};
		$this->line(
			$this->terminal->paint($format(array_map(fn (string $title) => rtrim($title, '>'), $titles)), 'bold'),
		);
		foreach ($rows as $row) {
			$this->line($format($row));
		}
	}

	/** Whoever reads us may have gone, as `head` does. PHP ignores SIGPIPE, so it is noticed here. */
	public static function write(string $text): void
	{
		for ($sent = 0; $sent < strlen($text); $sent += $count) {
			$count = @fwrite(STDOUT, $sent === 0 ? $text : substr($text, $sent));
			if ($count === false || $count === 0) {
				exit(ExitCode::OK);
			}
		}
	}
}
