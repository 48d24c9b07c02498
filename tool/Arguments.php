<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** A command line, parsed by the options that a command has. */
final class Arguments
{
	/** @var array<string, list<string>> by option; "" is the value of one that has none */
	private array $options = [];
	/** @var list<string> */
	private array $words = [];

	/**
	 * @param list<string> $line what follows the name of the command
	 * @param list<Option> $known
	 * @param bool $stop options end after the first word: what follows belongs to somebody else
	 */
	public function __construct(array $line, private readonly array $known, bool $stop = false)
	{
		while ($line !== []) {
			$word = array_shift($line);
			if ($word === '--') {
				array_push($this->words, ...$line);
				break;
			}
			if (str_starts_with($word, '--')) {
				[$name, $value] = explode('=', substr($word, 2), 2) + [1 => null];
				$this->add(
					$this->find($name, false) ?? throw new UsageError("there is no option --$name"),
					"--$name",
					$value,
					$line,
				);
			} elseif (strlen($word) > 1 && $word[0] === '-' && !is_numeric($word)) {
				$option = $this->find($word[1], true) ?? throw new UsageError("there is no option -$word[1]");
				$this->add($option, "-$word[1]", strlen($word) > 2 ? substr($word, 2) : null, $line);
			} else {
				$this->words[] = $word;
				if ($stop && count($this->words) > 1) {
					array_push($this->words, ...$line);
					break;
				}
			}
		}
	}

	public function has(string $name): bool
	{
		return isset($this->options[$name]);
	}

	public function value(string $name): ?string
	{
		return $this->options[$name][0] ?? null;
	}

	/** @return list<string> */
	public function all(string $name): array
	{
		return $this->options[$name] ?? [];
	}

	/** @return list<string> */
	public function words(): array
	{
		return $this->words;
	}

	/** The words, which must be so many. @return list<string> */
	public function take(int $least, int $most, string $usage): array
	{
		$count = count($this->words);
		if ($count < $least) {
			throw new UsageError("something is missing: redislock $usage");
		}
		if ($count > $most) {
			throw new UsageError(
				'"' . Text::printable($this->words[$most]) . "\" is one word too many: redislock $usage",
			);
		}
		return $this->words;
	}

	public function seconds(string $name, float $default, float $least, float $most): float
	{
		$text = $this->value($name);
		if ($text === null) {
			return $default;
		}
		// Not is_numeric(): nobody means 1e3, " 5" or INF by it.
		if (!preg_match('/^\d+(\.\d+)?$/', $text) || (float) $text < $least || (float) $text > $most) {
			throw new UsageError(
				"--$name must be a number of seconds from $least to $most, not \"" . Text::printable($text) . '"',
			);
		}
		return (float) $text;
	}

	public function whole(string $name, int $default, int $least, int $most): int
	{
		$text = $this->value($name);
		if ($text === null) {
			return $default;
		}
		if (!preg_match('/^\d{1,10}$/', $text) || (int) $text < $least || (int) $text > $most) {
			throw new UsageError(
				"--$name must be a whole number from $least to $most, not \"" . Text::printable($text) . '"',
			);
		}
		return (int) $text;
	}

	private function find(string $name, bool $short): ?Option
	{
		foreach ($this->known as $option) {
			if ($name === ($short ? $option->short : $option->name)) {
				return $option;
			}
		}
		return null;
	}

	/** @param list<string> $line what follows, from which the value may come */
	private function add(Option $option, string $given, ?string $value, array &$line): void
	{
		if ($option->value === null) {
			$value === null || throw new UsageError("$given takes no value");
		} elseif ($value === null) {
			$value = array_shift($line) ?? throw new UsageError("$given needs a value: $option->value");
		}
		if (isset($this->options[$option->name]) && !$option->repeat && $option->value !== null) {
			throw new UsageError("$given is given twice");
		}
		$this->options[$option->name][] = $value ?? '';
	}
}
