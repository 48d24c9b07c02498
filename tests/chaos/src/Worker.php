<?php
declare(strict_types=1);

namespace Chaos;

use PDOException;
use Random\Engine\Mt19937;
use Random\Randomizer;
use RedisLock;
use RedisLock\Client;
use RedisLock\Pdo\StaleFenceException;
use RedisLock\RedisLockException;

/**
 * Increments counters under lock and fence until it is told to stop, and records every step. It is written the way the
 * documentation says, except that it thinks for too long now and then.
 */
final class Worker
{
	private readonly Randomizer $dice;

	private readonly Store $store;

	private readonly Recorder $recorder;

	private readonly Client $client;

	private int $count = 0;

	/** @param array<string, mixed> $setup as Pool makes it */
	public function __construct(private readonly array $setup)
	{
		$this->dice = new Randomizer(new Mt19937($setup['seed']));
		$this->store = new Store($setup['database'], $setup['dsn']);
		$this->recorder = new Recorder($setup['record']);
		$this->client = new Client("redis://127.0.0.1:$setup[port]", 'chaos:', connectTimeout: 0.3, timeout: 0.3, retryFor: 0.5);
	}

	public function run(): void
	{
		// Not by a signal: PHP forgets one that arrives in an internal function that then throws, such as a query of PDO.
		stream_set_blocking(STDIN, false);
		while (fread(STDIN, 1) === '' && !feof(STDIN)) {
			$this->operation();
		}
	}

	private function operation(): void
	{
		$op = $this->setup['name'] . ':' . ++$this->count;
		$resource = $this->setup['resources'][$this->dice->getInt(0, count($this->setup['resources']) - 1)];
		$this->recorder->record('begin', ['op' => $op, 'resource' => $resource, 'at' => Recorder::now()]);
		$end = ['outcome' => 'crashed'];
		$lock = $this->client->lock($resource, $this->setup['ttl']);
		try {
			$from = Recorder::now();
			$fence = $lock->acquire($this->dice->getInt(0, 3) ? 0.5 : 0.0);
			if ($fence === null) {
				$end = ['outcome' => 'contended'];
				return;
			}
			$this->recordInterval('acquired', $op, $resource, $fence, $from);
			$end = $this->increment($op, $resource, $fence);
			$end['lost'] = !$lock->release();
		} catch (RedisLockException $exception) {
			// Before the work: nothing was done. After it: the lock may still be there, until its lease ends.
			$end = $end['outcome'] === 'crashed'
				? ['outcome' => 'no lock', 'why' => $exception::class]
				: $end + ['release' => $exception::class];
		} finally {
			$this->recorder->record('end', ['op' => $op, 'at' => Recorder::now()] + $end);
		}
	}

	/** @return array<string, mixed> how it ended */
	private function increment(string $op, string $resource, int $fence): array
	{
		$step = 'claim';
		$committing = false;
		$this->think();
		try {
			// Two ways that are right. In the first, nothing is locked in the database while the worker thinks.
			if ($this->dice->getInt(0, 2) > 0) {
				if ($this->setup['guard']) {
					$from = Recorder::now();
					$this->store->guard->claim($resource, $fence);
					$this->recordInterval('claimed', $op, $resource, $fence, $from);
				}
				[$value, $digest] = $this->store->read($resource);
				$this->think();
				$step = 'write';
				$this->recorder->record('writing', ['op' => $op, 'at' => Recorder::now()]);
				$this->store->begin($this->dice);
				$this->check($resource, $fence);
			} else {
				$step = 'write';
				$this->recorder->record('writing', ['op' => $op, 'at' => Recorder::now()]);
				$this->store->begin($this->dice);
				$this->check($resource, $fence);
				[$value, $digest] = $this->store->read($resource);
				$this->think();
			}
			$this->store->write($resource, $value + 1, Store::digest($digest, $op), $op, $fence);
			$committing = true;
			$this->store->commit();
			return ['outcome' => 'acknowledged', 'resource' => $resource, 'value' => $value + 1, 'fence' => $fence];
		} catch (StaleFenceException $exception) {
			if ($step === 'write') {
				$this->store->rollBack();
			}
			return ['outcome' => 'stale', 'step' => $step, 'resource' => $resource, 'fence' => $fence, 'largest' => $exception->largest];
		} catch (PDOException $exception) {
			$this->store->forgetConnection();
			// A server that refuses a COMMIT says so with a code. A connection that breaks says nothing.
			$refused = in_array($exception->errorInfo[0] ?? null, ['40001', '40P01'], true);
			return [
				'outcome' => $committing && !$refused ? 'unknown' : 'failed',
				'why' => ($exception->errorInfo[0] ?? '') . ' ' . ($exception->errorInfo[1] ?? ''),
			];
		}
	}

	private function recordInterval(string $event, string $op, string $resource, int $fence, int $from): void
	{
		$interval = ['fence' => $fence, 'from' => $from, 'to' => Recorder::now()];
		$this->recorder->record($event, ['op' => $op, 'resource' => $resource] + $interval);
	}

	private function check(string $resource, int $fence): void
	{
		if ($this->setup['guard']) {
			$this->store->guard->check($resource, $fence);
		}
	}

	/** Computes. Sometimes for so long that the lease ends meanwhile. */
	private function think(): void
	{
		$ttl = (int) ($this->setup['ttl'] * 1e6);
		if ($this->dice->getInt(1, 100) <= 2) {
			$this->recorder->record('dawdle', []);
			usleep($this->dice->getInt($ttl, 2 * $ttl));
		} else {
			usleep($this->dice->getInt(0, 3_000));
		}
	}
}
