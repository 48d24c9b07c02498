<?php
declare(strict_types=1);

namespace RedisLock\Tool\Top;

use RedisLock\Tool\Terminal;
use RedisLock\Tool\Text;

/** The screen of `top` as lines of text. */
final class View
{
	public function __construct(
		private readonly Terminal $terminal,
		private readonly string $prefix,
		private readonly bool $quorum,
	)
	{
	}

	/**
	 * @param int|null $height lines of the screen; null: as many as there is to say
	 * @return list<string>
	 */
	public function lines(Sampler $sampler, string $by, float $interval, int $width, ?int $height): array
	{
		$rows = $sampler->rows($by);
		$lines = [...$this->head($sampler, $rows, $interval, $width), ''];
		$room = $height === null ? PHP_INT_MAX : max(1, $height - count($lines) - 3);
		$table = $this->table(array_slice($rows, 0, $room), $width);
		array_push($lines, ...$table);
		if ($rows === []) {
			$lines[] = $this->terminal->paint('no locks with the prefix ' . Text::printable($this->prefix), 'dim');
		} elseif (count($rows) > $room || $sampler->full) {
			$lines[] = $this->terminal->paint(
				($sampler->full ? 'more than ' : '') . count($rows) . " locks, $room shown",
				'dim',
			);
		}
		$lines = array_map(fn (string $line): string => Text::cut($line, $width), $lines);
		return $height === null ? $lines : array_slice($lines, 0, $height - 1);
	}

	/** @param list<Row> $rows @return list<string> */
	private function head(Sampler $sampler, array $rows, float $interval, int $width): array
	{
		$paint = $this->terminal->paint(...);
		$servers = $sampler->servers();
		$sum = function (string $what) use ($servers): ?float {
			$values = array_filter(
				array_map(fn (Server $server) => $server->$what, $servers),
				fn ($value) => $value !== null,
			);
			return $values === [] ? null : (float) array_sum($values);
		};
		$number = fn (?float $value, string $unit = ''): string => $value === null ? '-' : number_format($value) . $unit;
		$held = count(array_filter($rows, fn (Row $row) => $row->state->held()));
		$waited = count(array_filter($rows, fn (Row $row) => $row->state->waiters));
		$lines = [
			$paint('redislock top', 'bold') . '  ' . date('H:i:s') . '  prefix ' . Text::printable($this->prefix) . "  every {$interval} s",
			'locks    ' . $paint("$held held", 'green') . ', ' . $paint(
				"$waited waited for",
				$waited > 0 ? 'yellow' : 'dim',
			)
				. '    waiters ' . $paint($number($sum('blocked')), ($sum('blocked') ?? 0) > 0 ? 'yellow' : 'dim')
				. '    hand-overs ' . $paint($number($sum('handOvers'), '/s'), 'cyan') . '    scripts ' . $number($sum('scripts'), '/s') . '    commands ' . $number($sum('commands'), '/s'),
		];
		foreach ($servers as $server) {
			$lines[] = $this->server($server, $width);
		}
		if ($sampler->problem !== null) {
			$lines[] = $paint(Text::cut(Text::printable($sampler->problem), $width), 'red');
		}
		return $lines;
	}

	private function server(Server $server, int $width): string
	{
		$paint = $this->terminal->paint(...);
		if ($server->problem !== null) {
			return 'server   ' . $paint(
				Text::cut(Text::printable($server->address() . ': ' . $server->problem), max(10, $width - 9)),
				'red',
			);
		}
		$safe = $server->policy === 'noeviction';
		return 'server   ' . Text::cut(Text::printable($server->address()), 40) . "  $server->version " . $paint(
			$server->role,
			$server->role === 'master' ? 'dim' : 'red',
		)
			. '    memory ' . Text::bytes($server->memory ?? 0) . ($server->maxMemory > 0 ? ' of ' . Text::bytes($server->maxMemory) : '') . ', ' . $paint($server->policy, $safe ? 'dim' : 'red')
			. ($server->evicted > 0 ? ', ' . $paint("$server->evicted keys evicted", 'red') : '') . '    clients ' . ($server->clients ?? '-');
	}

	/** @param list<Row> $rows @return list<string> */
	private function table(array $rows, int $width): array
	{
		$titles = [
			'STATE',
			...($this->quorum ? ['NODES>'] : []),
			'OWNER',
			'LEFT>',
			'FENCE>',
			'HANDS/S>',
			'BUSY>',
			'WAITING',
		];
		$cells = array_map(fn (Row $row) => [
			$row->state->word(), ...($this->quorum ? [(string) $row->state->nodes] : []), $row->state->owner() ?? '-', Text::duration($row->state->remaining),
			(string) ($row->state->fence ?? '-'), ...$row->rates(), ...[$row->state->waiters ? 'yes' : 'no'],
		], $rows);
		$widths = [];
		foreach ($titles as $i => $title) {
			$widths[$i] = max(
				Text::width(rtrim($title, '>')),
				...array_map(fn (array $row) => Text::width($row[$i]), $cells) ?: [0],
			);
		}
		$names = max(12, $width - array_sum($widths) - 2 * count($widths) - 1);
		$join = function (array $row) use ($titles, $widths): string {
			$text = '';
			foreach ($row as $i => $cell) {
				$text .= '  ' . Text::pad($cell, $widths[$i], str_ends_with($titles[$i], '>'));
			}
			return $text;
		};
		$longest = max([12, ...array_map(fn (Row $row) => Text::width(Text::printable($row->state->name)), $rows)]);
		$names = min($names, $longest);
		$lines = [$this->terminal->paint(Text::pad('NAME', $names) . $join(array_map(fn (string $title) => rtrim($title, '>'), $titles)), 'inverse')];
		foreach ($rows as $i => $row) {
			$style = $row->state->waiters ? 'yellow' : ($row->state->held() ? 'green' : 'dim');
			$lines[] = $this->terminal->paint(
				Text::pad(Text::cut(Text::printable($row->state->name), $names), $names) . $join($cells[$i]),
				$style,
			);
		}
		return $lines;
	}
}
