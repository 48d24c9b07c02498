<?php
declare(strict_types=1);

namespace RedisLock\Tool\Top;

use RedisLock\Tool\LockState;
use RedisLock\Tool\Text;

/** One lock as `top` follows it: the looks of the last seconds. */
final class Row
{
	private const WINDOW = 5.0;

	/** @var list<array{float, bool, bool}> when, held, did its fence change since the look before */
	private array $looks = [];
	public float $lastHeld;

	public function __construct(public LockState $state, float $now)
	{
		$this->lastHeld = $now;
		$this->looks[] = [$now, $state->held(), false];
	}

	public function add(LockState $state, float $now): void
	{
		$changed = $state->fence !== null && $state->fence !== $this->state->fence;
		if ($state->held() || $changed || $state->reserved) {
			$this->lastHeld = $now;
		}
		$this->state = $state;
		$this->looks[] = [$now, $state->held(), $changed];
		while ($this->looks[0][0] < $now - self::WINDOW) {
			array_shift($this->looks);
		}
	}

	/** Changes of hands a second that were seen: at least so many there were. */
	public function handOvers(): float
	{
		$time = end($this->looks)[0] - $this->looks[0][0];
		return $time > 0 ? count(array_filter(array_slice($this->looks, 1), fn (array $look) => $look[2])) / $time : 0.0;
	}

	/** At nearly every look another holder: there are more changes than looks. */
	public function isFasterThanLooks(): bool
	{
		$count = count($this->looks) - 1;
		return $count > 2 && count(array_filter($this->looks, fn (array $look) => $look[2])) > 0.8 * $count;
	}

	/** The share of looks at which somebody held it. */
	public function busy(): float
	{
		return count(array_filter($this->looks, fn (array $look) => $look[1])) / count($this->looks);
	}

	/** @return array<string, mixed> */
	public function forJson(): array
	{
		return $this->state->forJson() + [
			'hand_overs_per_second' => round($this->handOvers(), 2),
			'more' => $this->isFasterThanLooks(),
			'busy' => round($this->busy(), 3),
		];
	}

	/** @return list<string> as cells: hand-overs, busy */
	public function rates(): array
	{
		$rate = $this->handOvers();
		return [
			($this->isFasterThanLooks() ? '>' : '') . sprintf($rate >= 9.95 ? '%.0f' : '%.1f', $rate),
			sprintf('%d %%', (int) round($this->busy() * 100)),
		];
	}
}
