<?php
/*
 * Memory that the processes of a benchmark share: who is inside the lock, and numbers they leave for each other.
 *
 * What is written while inside needs no other lock: that is what is being checked. Slots from FREE on belong to the
 * scene.
 */
declare(strict_types=1);

namespace Bench;

final class Arena
{
	private const INSIDE = 0, COUNT = 1, OVERLAPS = 2, DISORDERS = 3, FENCE = 4, FIXED = 5;
	/** When the last holder began to give the lock back. */
	public const RELEASED_AT = 5;
	/** When the last one got it. */
	public const ACQUIRED_AT = 6;
	public const FREE = 8;

	private \Shmop $memory;

	public function __construct(int $slots = self::FREE)
	{
		$this->memory = shmop_open(0, 'c', 0600, 8 * $slots) ?: throw new \RuntimeException('no shared memory');
		shmop_delete($this->memory);   // as soon as nobody uses it any more
	}

	public function get(int $slot): int
	{
		return unpack('q', shmop_read($this->memory, 8 * $slot, 8))[1];
	}

	public function set(int $slot, int $value): void
	{
		shmop_write($this->memory, pack('q', $value), 8 * $slot);
	}

	/** The lock is ours from now on. $fence 0: this library has none. */
	public function enter(int $fence): void
	{
		[, $inside, $count, $overlaps, $disorders, $last] = unpack('q5', shmop_read($this->memory, 0, 8 * self::FIXED));
		if ($inside !== 0 && self::lives($inside)) {
			$overlaps++;
		}
		if ($fence !== 0 && $fence <= $last) {
			$disorders++;
		}
		shmop_write($this->memory, pack('q5', posix_getpid(), $count + 1, $overlaps, $disorders, max($fence, $last)), 0);
	}

	/** We are about to give it back. */
	public function leave(): void
	{
		if ($this->get(self::INSIDE) !== posix_getpid()) {
			$this->set(self::OVERLAPS, $this->get(self::OVERLAPS) + 1);
		}
		$this->set(self::INSIDE, 0);
	}

	private static function lives(int $pid): bool
	{
		return preg_match('/\) [ZX] /', (string) @file_get_contents("/proc/$pid/stat")) === 0 && posix_kill($pid, 0);
	}

	/** How often somebody was inside. */
	public function count(): int
	{
		return $this->get(self::COUNT);
	}

	/** How often somebody was inside beside another, or had a fence that was not larger than the one before. */
	public function violations(): int
	{
		return $this->get(self::OVERLAPS) + $this->get(self::DISORDERS);
	}
}
