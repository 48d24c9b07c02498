<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Node;
use RedisLock\Tool\Text;

/** Stored fences that are no number, or ahead of the clock because a clock was set back. */
final class FenceCheck extends NodeCheck
{
	private const MOST_KEYS = 100000;
	private const AHEAD_SECONDS = 60;

	public function title(): string
	{
		return 'fences are numbers, and not ahead of the clock';
	}

	protected function subject(): string
	{
		return 'the stored fences';
	}

	protected function rights(): string
	{
		return '+scan, +mget and +time';
	}

	protected function node(Node $node, Patient $patient): iterable
	{
		$now = $node->time();
		$cursor = '0';
		$seen = 0;
		$invalid = $ahead = [];
		do {
			[$cursor, $found] = $node->scan($cursor, $patient->keys->matchFences());
			$names = array_filter(
				array_combine($found, array_map($patient->keys->nameOfFence(...), $found)) ?: [],
				is_string(...),
			);
			$seen += count($found);
			$values = $names === [] ? [] : $node->must('MGET', ...array_map(strval(...), array_keys($names)));
			foreach (array_values($names) as $i => $name) {
				$value = $values[$i];
				if ($value === null) {
					continue;
				}
				if (!preg_match('/^[1-9]\d{0,15}$/', $value) || (int) $value > 9007199254740990) {
					$invalid[] = $name;
				} elseif (((int) $value - $now) / 1e6 > self::AHEAD_SECONDS) {
					$ahead[$name] = (int) $value;
				}
			}
		} while ($cursor !== '0' && $seen < self::MOST_KEYS);
		if ($invalid !== []) {
			yield Finding::problem(
				'fence-invalid',
				$node->address(),
				'the fence of ' . $this->some($invalid) . ' is no number from 1 to 9007199254740990: nobody gets that lock',
				'somebody else writes to these keys. Find out who; then SET the key to the largest fence that your database has seen, plus one',
			);
		}
		if ($ahead !== []) {
			$most = (max($ahead) - $now) / 1e6;
			yield Finding::problem(
				'fence-ahead',
				$node->address(),
				'the fence of ' . $this->some(array_keys($ahead)) . sprintf(
					' is up to %s ahead of the clock of the server',
					Text::duration($most),
				),
				'a clock was set back. Fences still grow by one. But if the server forgets them now (restart without persistence, fail-over), smaller ones follow, and your database refuses valid writes: keep the fence keys, and mend the clock',
			);
		}
		if ($cursor !== '0') {
			yield Finding::hint(
				'fence-search-ended',
				$node->address(),
				'there are more than ' . self::MOST_KEYS . ' fences; the rest was not looked at',
				'nothing need be done',
			);
		}
	}

	/** @param list<string|int> $names */
	private function some(array $names): string
	{
		$shown = array_map(
			fn (string|int $name) => '"' . Text::cut(Text::printable((string) $name), 60) . '"',
			array_slice($names, 0, 3),
		);
		return implode(', ', $shown) . (count($names) > 3 ? ' and ' . (count($names) - 3) . ' more' : '');
	}
}
