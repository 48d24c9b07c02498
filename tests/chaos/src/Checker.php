<?php
declare(strict_types=1);

namespace Chaos;

/**
 * Compares what the workers were told with what the database holds, and both with what redislock and the guard promise.
 * It knows nothing of how they work. Each violation is a sentence; the word before the colon is its kind.
 */
final class Checker
{
	/** @var list<string> */
	private array $violations = [];

	/** @var array<string, array<string, mixed>> op => entry */
	private array $entryOf = [];

	/** @var array<string, list<array<string, mixed>>> resource => entries in the order of their values */
	private array $chains = [];

	/**
	 * @param list<array{op: string, resource: string, value: int, digest: string, fence: int}> $entries
	 * @param array<string, array{int, string}> $counters resource => value and digest at the end
	 */
	private function __construct(private readonly History $history, array $entries, private readonly array $counters)
	{
		usort($entries, static fn (array $a, array $b) => $a['value'] <=> $b['value']);
		foreach ($entries as $entry) {
			$this->entryOf[$entry['op']] = $entry;
			$this->chains[$entry['resource']][] = $entry;
		}
	}

	/** @return list<string> */
	public static function check(History $history, array $entries, array $counters): array
	{
		$checker = new self($history, $entries, $counters);
		$checker->nothingLost();
		$checker->outcomesAreTrue();
		$checker->fencesInCommitOrder();
		$checker->nothingBehindAClaim();
		$checker->realTimeOrder();
		$checker->refusedForAReason();
		$checker->fencesOfAcquisitions();
		return $checker->violations;
	}

	private function found(string $kind, string $what): void
	{
		$this->violations[] = "$kind: $what";
	}

	/** The values of a counter are 1, 2, 3 … without a hole, and every write has continued from the one before it. */
	private function nothingLost(): void
	{
		foreach ($this->counters as $resource => [$value, $digest]) {
			$chain = $this->chains[$resource] ?? [];
			[$last, $lastDigest] = [['op' => 'nobody', 'value' => 0], md5('')];
			foreach ($chain as $entry) {
				if ($entry['value'] === $last['value']) {
					$this->found('lost update', "$resource: $entry[op] and $last[op] have both written the value $entry[value]");
					continue;
				}
				if ($entry['value'] !== $last['value'] + 1) {
					$this->found('hole', "$resource: after the value $last[value] comes $entry[value] of $entry[op]");
				} elseif ($entry['digest'] !== md5($lastDigest . $entry['op'])) {
					$this->found('lost append', "$resource: $entry[op], value $entry[value], has not continued from $last[op]");
				}
				[$last, $lastDigest] = [$entry, $entry['digest']];
			}
			if ($value !== count($chain)) {
				$this->found('lost update', "$resource: its value is $value after " . count($chain) . ' increments');
			} elseif ($digest !== $lastDigest) {
				$this->found('lost append', "$resource: its digest is not that of the last write");
			}
		}
		foreach (array_diff_key($this->chains, $this->counters) as $resource => $_) {
			$this->found('hole', "there are entries of $resource, but no counter");
		}
	}

	/** What was acknowledged is there, what was refused is not, and what is there was tried by somebody. */
	private function outcomesAreTrue(): void
	{
		foreach ($this->history->operations as $op => $operation) {
			$entry = $this->entryOf[$op] ?? null;
			switch ($operation['outcome']) {
				case 'acknowledged':
					if ($entry === null) {
						$this->found('lost write', "$op was acknowledged and is not there");
					} elseif ($entry['value'] !== $operation['detail']['value']
						|| $entry['fence'] !== $operation['detail']['fence']
						|| $entry['resource'] !== $operation['resource']) {
						$this->found('lost write', "$op is not what was acknowledged");
					}
					break;
				case 'killed':
				case 'unknown':
					break;
				default:
					if ($entry !== null) {
						$this->found('ghost', "$op is there, but its outcome was: $operation[outcome]");
					}
			}
		}
		foreach (array_diff_key($this->entryOf, $this->history->operations) as $op => $_) {
			$this->found('ghost', "$op is there, but nobody has done it");
		}
	}

	/** The values give the order in which the writes of a resource were committed. */
	private function fencesInCommitOrder(): void
	{
		foreach ($this->chains as $resource => $chain) {
			$largest = ['fence' => 0, 'op' => 'nobody'];
			foreach ($chain as $entry) {
				if ($entry['fence'] < $largest['fence']) {
					$this->found('stale write', "$resource: $entry[op] with fence $entry[fence] after $largest[op] with $largest[fence]");
				} else {
					$largest = $entry;
				}
			}
		}
	}

	/** Once a claim was acknowledged, no write with a smaller fence begins and is accepted. */
	private function nothingBehindAClaim(): void
	{
		foreach ($this->history->claims as $resource => $claims) {
			$writes = [];
			foreach ($this->chains[$resource] ?? [] as $entry) {
				$writing = $this->history->operations[$entry['op']]['writing'] ?? null;
				if ($writing !== null) {
					$writes[] = ['at' => $writing] + $entry;
				}
			}
			usort($claims, static fn (array $a, array $b) => $a['to'] <=> $b['to']);
			usort($writes, static fn (array $a, array $b) => $a['at'] <=> $b['at']);
			$largest = ['fence' => 0, 'op' => 'nobody'];
			$next = 0;
			foreach ($writes as $write) {
				while ($next < count($claims) && $claims[$next]['to'] < $write['at']) {
					$claim = $claims[$next++];
					$largest = $claim['fence'] > $largest['fence'] ? $claim : $largest;
				}
				if ($write['fence'] < $largest['fence']) {
					$this->found('stale write', "$resource: $write[op] with fence $write[fence] began after the claim of "
						. "$largest[op] with $largest[fence]");
				}
			}
		}
	}

	/** What was acknowledged before something else began comes before it. */
	private function realTimeOrder(): void
	{
		foreach ($this->chains as $resource => $chain) {
			$latest = ['begin' => 0, 'op' => 'nobody'];
			foreach ($chain as $entry) {
				$operation = $this->history->operations[$entry['op']] ?? null;
				if ($operation === null) {
					continue;
				}
				if ($operation['outcome'] === 'acknowledged' && $operation['end'] < $latest['begin']) {
					$this->found('order', "$resource: $entry[op] was acknowledged before $latest[op] began, and comes after it");
				}
				if ($operation['begin'] > $latest['begin']) {
					$latest = ['begin' => $operation['begin'], 'op' => $entry['op']];
				}
			}
		}
	}

	/** Who was refused was told a larger fence, one that somebody had really been given for the same resource by then. */
	private function refusedForAReason(): void
	{
		$given = [];
		foreach ($this->history->acquisitions as $resource => $acquisitions) {
			foreach ($acquisitions as $acquisition) {
				$given[$resource][$acquisition['fence']] = $acquisition['from'];
			}
		}
		foreach ($this->history->operations as $op => $operation) {
			if ($operation['outcome'] !== 'stale') {
				continue;
			}
			['fence' => $fence, 'largest' => $largest] = $operation['detail'];
			$from = $given[$operation['resource']][$largest] ?? null;
			if ($largest <= $fence) {
				$this->found('no reason', "$op was refused with fence $fence, because of $largest");
			} elseif ($from === null) {
				$this->found('no reason', "$op was refused because of $largest, which nobody was given");
			} elseif ($from > $operation['end']) {
				$this->found('no reason', "$op was refused because of $largest, which was given only later");
			}
		}
	}

	/** No fence is given twice, and a later acquisition has a larger one. */
	private function fencesOfAcquisitions(): void
	{
		foreach ($this->history->acquisitions as $resource => $acquisitions) {
			foreach (array_count_values(array_column($acquisitions, 'fence')) as $fence => $times) {
				if ($times > 1) {
					$this->found('fence', "$resource: $fence was given $times times");
				}
			}
			usort($acquisitions, static fn (array $a, array $b) => $a['from'] <=> $b['from']);
			$done = $acquisitions;
			usort($done, static fn (array $a, array $b) => $a['to'] <=> $b['to']);
			$largest = ['fence' => 0, 'op' => 'nobody'];
			$next = 0;
			foreach ($acquisitions as $acquisition) {
				while ($next < count($done) && $done[$next]['to'] < $acquisition['from']) {
					$before = $done[$next++];
					$largest = $before['fence'] > $largest['fence'] ? $before : $largest;
				}
				if ($acquisition['fence'] < $largest['fence']) {
					$this->found('fence', "$resource: $acquisition[op] was given $acquisition[fence] after $largest[op] had $largest[fence]");
				}
			}
		}
	}
}
