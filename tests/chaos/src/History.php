<?php
declare(strict_types=1);

namespace Chaos;

use RuntimeException;

/** What the workers have recorded. All times are in nanoseconds of one clock. */
final class History
{
	private const INTERVAL = ['op' => true, 'fence' => true, 'from' => true, 'to' => true];

	/**
	 * op => what became of it. detail: its `end` event.
	 *
	 * @var array<string, array{resource: string, begin: int, writing: ?int, end: ?int, outcome: string, detail: array}>
	 */
	public array $operations = [];

	/** @var array<string, list<array{op: string, fence: int, from: int, to: int}>> resource => */
	public array $acquisitions = [];

	/**
	 * resource => claims that the database has acknowledged
	 *
	 * @var array<string, list<array{op: string, fence: int, from: int, to: int}>>
	 */
	public array $claims = [];

	public int $dawdles = 0;

	/** @param list<string> $files */
	public static function read(array $files): self
	{
		$history = new self();
		foreach ($files as $file) {
			$lines = explode("\n", (string) file_get_contents($file));
			// After the last newline there is nothing, or what a worker was writing when it was killed.
			array_pop($lines);
			foreach ($lines as $line) {
				$history->add(json_decode($line, true, 8, JSON_THROW_ON_ERROR));
			}
		}
		return $history;
	}

	/** @param array<string, mixed> $event as a worker records it */
	public function add(array $event): void
	{
		switch ($event['event']) {
			case 'begin':
				// Until we hear more: killed.
				$this->operations[$event['op']] = [
					'resource' => $event['resource'],
					'begin' => $event['at'],
					'writing' => null,
					'end' => null,
					'outcome' => 'killed',
					'detail' => [],
				];
				break;
			case 'acquired':
				$this->acquisitions[$event['resource']][] = array_intersect_key($event, self::INTERVAL);
				break;
			case 'claimed':
				$this->claims[$event['resource']][] = array_intersect_key($event, self::INTERVAL);
				break;
			case 'writing':
				$this->operations[$event['op']]['writing'] = $event['at'];
				break;
			case 'dawdle':
				$this->dawdles++;
				break;
			case 'end':
				$this->operations[$event['op']]['end'] = $event['at'];
				$this->operations[$event['op']]['outcome'] = $event['outcome'];
				$this->operations[$event['op']]['detail'] = $event;
				break;
			default:
				throw new RuntimeException("unknown event $event[event]");
		}
	}

	/** @return array<string, int> outcome => number of operations */
	public function outcomes(): array
	{
		return array_count_values(array_column($this->operations, 'outcome'));
	}

	/**
	 * How often something was said in an `end` event.
	 *
	 * @return array<string, int>
	 */
	public function count(string $outcome, string $field): array
	{
		$values = [];
		foreach ($this->operations as $operation) {
			if ($operation['outcome'] === $outcome) {
				$values[] = (string) ($operation['detail'][$field] ?? '-');
			}
		}
		$counts = array_count_values($values);
		arsort($counts);
		return $counts;
	}
}
