<?php
declare(strict_types=1);

namespace Chaos;

use Closure;
use Random\Randomizer;

/** Does harm, in an order that the seed decides. Every kind comes once before any comes twice. */
final class Nemesis
{
	private const KINDS = [
		'worker stopped', 'worker killed', 'Redis restarted, empty', 'Redis restarted, from its file', 'Redis flushed',
		'replica promoted that lags', 'connections cut', 'connections slow', 'connections dead', "Redis' clock moved",
		"workers' clock moved", 'database connection cut',
	];

	/** @var list<string> */
	private array $deck = [];

	/** @var array<string, int> */
	private array $done;

	/** @var list<array{int, Closure(): void}> when (hrtime), and what */
	private array $later = [];

	public function __construct(
		private readonly Randomizer $dice,
		private readonly Pool $pool,
		private RedisNode $primary,
		private RedisNode $replica,
		private readonly Proxy $proxy,
		private readonly Proxy $link,
		private readonly Clock $serverClock,
		private readonly Clock $workerClock,
		private readonly Store $store,
		private readonly float $ttl,
	) {
		$kinds = array_diff(self::KINDS, $store->database === 'sqlite' ? ['database connection cut'] : []);
		$this->done = array_fill_keys($kinds, 0);
	}

	/** @return array<string, int> */
	public function done(): array
	{
		return $this->done;
	}

	/** One fault. */
	public function strike(): void
	{
		if ($this->deck === []) {
			$this->deck = $this->dice->shuffleArray(array_keys($this->done));
		}
		$kind = array_shift($this->deck);
		$happened = match ($kind) {
			'worker stopped' => $this->stopWorker(),
			'worker killed' => $this->killWorker(),
			'Redis restarted, empty' => $this->restart(false),
			'Redis restarted, from its file' => $this->restart(true),
			'Redis flushed' => $this->flush(),
			'replica promoted that lags' => $this->promote(),
			'connections cut' => $this->always($this->proxy->cut(...)),
			'connections slow' => $this->slow(),
			'connections dead' => $this->dead(),
			"Redis' clock moved" => $this->moveServerClock(),
			"workers' clock moved" => $this->always(fn () => $this->workerClock->move($this->dice->getInt(-3_600_000_000, 3_600_000_000))),
			'database connection cut' => $this->store->cutOneConnection($this->dice),
		};
		$this->done[$kind] += (int) $happened;
	}

	/** Does what is due: the second half of faults that last. */
	public function work(): void
	{
		$now = hrtime(true);
		foreach ($this->later as $i => [$when, $what]) {
			if ($when <= $now) {
				unset($this->later[$i]);
				$what();
			}
		}
	}

	/** Undoes everything that lasts. */
	public function rest(): void
	{
		foreach ($this->later as [, $what]) {
			$what();
		}
		$this->later = [];
	}

	private function in(float $seconds, Closure $what): void
	{
		$this->later[] = [hrtime(true) + (int) ($seconds * 1e9), $what];
	}

	/** Between $from and $to. */
	public function seconds(float $from, float $to): float
	{
		return $from + ($to - $from) * $this->dice->getInt(0, 1_000_000) / 1e6;
	}

	private function always(Closure $what): bool
	{
		$what();
		return true;
	}

	private function victim(): ?int
	{
		$running = $this->pool->running();
		// Somebody has to be left to take the place of those who are stopped.
		return count($running) < 3 ? null : $running[$this->dice->getInt(0, count($running) - 1)];
	}

	private function stopWorker(): bool
	{
		$slot = $this->victim();
		if ($slot === null) {
			return false;
		}
		$this->pool->stop($slot);
		$this->in($this->ttl * $this->seconds(1.2, 4.0), fn () => $this->pool->continue($slot));
		return true;
	}

	private function killWorker(): bool
	{
		$slot = $this->victim();
		if ($slot === null) {
			return false;
		}
		$this->pool->replace($slot);
		return true;
	}

	private function restart(bool $fromFile): bool
	{
		$this->serverClock->beyond();
		if ($fromFile) {
			// What comes between this and the end is lost.
			$this->primary->command('SAVE');
		}
		$this->primary->kill($fromFile);
		$this->serverClock->beyond();
		$this->primary->start();
		return true;
	}

	private function flush(): bool
	{
		$this->serverClock->beyond();
		$flushed = str_starts_with($this->primary->command('FLUSHALL'), '+OK');
		$this->serverClock->beyond();
		return $flushed;
	}

	/** The replica gets nothing for a while; then the primary dies, and the replica takes its place as it is. */
	private function promote(): bool
	{
		if ($this->replica->info('replication', 'master_link_status') !== 'up') {
			return false;
		}
		$this->link->hold();
		$this->in($this->seconds(0.1, 0.6), function (): void {
			$this->serverClock->beyond();
			$this->primary->kill();
			$this->serverClock->beyond();
			$this->link->cut();
			$this->replica->command('REPLICAOF', 'NO', 'ONE');
			$this->proxy->leadTo($this->replica->socket);
			$this->proxy->cut();
			[$this->primary, $this->replica] = [$this->replica, $this->primary];
			$this->link->leadTo($this->primary->socket);
			$this->link->resume();
			$this->replica->start();
			$this->replica->command('REPLICAOF', '127.0.0.1', (string) $this->link->port);
		});
		return true;
	}

	private function slow(): bool
	{
		$this->proxy->delay($this->dice->getInt(5, 250));
		$this->in($this->seconds(0.3, 1.0), fn () => $this->proxy->delay(0));
		return true;
	}

	private function dead(): bool
	{
		$this->proxy->hold();
		$this->in($this->seconds(0.2, 1.0), function (): void {
			$this->proxy->cut();
			$this->proxy->resume();
		});
		return true;
	}

	private function moveServerClock(): bool
	{
		$by = $this->dice->getInt(0, 2) === 0 ? $this->dice->getInt(100_000, 3_000_000) : -$this->dice->getInt(100_000, 3_000_000);
		return $this->serverClock->move($by) !== 0;
	}
}
