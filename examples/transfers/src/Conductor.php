<?php
declare(strict_types=1);

namespace Transfers;

use Closure;
use RuntimeException;

/**
 * The queue, and the supervisor of the workers. It delivers each transfer at least once: what a worker could not
 * decide, or was handling when it died, is delivered again. It knows nothing of locks.
 */
final class Conductor
{
	/** Nothing here takes nearly as long. If it does, something hangs, and people want to know. In seconds. */
	private const DEADLINE = 45.0;

	/** @var list<Transfer> deliveries nobody is busy with */
	private array $queue = [];

	/** @var array<int, WorkerProcess> number => worker */
	private array $workers = [];

	/** @var array<int, Scene> number of a worker => the scene it plays in with its present transfer */
	private array $inScene = [];

	private Tally $tally;

	/**
	 * @param Closure(Channel): void $workerMain what a worker process does
	 * @param list<Scene> $scenes
	 */
	public function __construct(
		private readonly Closure $workerMain,
		private readonly array $scenes,
		private readonly Progress $progress,
	) {
		$this->tally = new Tally();
	}

	/** @param list<Transfer> $deliveries */
	public function run(int $workers, array $deliveries): Tally
	{
		$this->queue = $deliveries;
		$begin = hrtime(true);
		try {
			for ($number = 1; $number <= $workers; $number++) {
				$this->workers[$number] = WorkerProcess::start($number, $this->workerMain, $this->workers);
			}
			while ($this->queue !== [] || $this->busyWorkers() !== []) {
				$this->handOut();
				$this->listen(self::DEADLINE - (hrtime(true) - $begin) / 1e9);
				$this->progress->show($this->tally->final(), count($deliveries), count($this->workers));
			}
			$this->dismissWorkers();
		} finally {
			// Whatever happened: nobody stays behind, and a stopped process would stay for ever.
			array_map(fn (WorkerProcess $worker) => $worker->kill(), $this->workers);
		}
		$this->tally->seconds = (hrtime(true) - $begin) / 1e9;
		return $this->tally;
	}

	/** Deliveries that are over. */
	public function final(): int
	{
		return $this->tally->final();
	}

	/** @return list<Transfer> deliveries that nobody is busy with */
	public function waiting(): array
	{
		return $this->queue;
	}

	/** @return array<int, WorkerProcess> */
	private function busyWorkers(): array
	{
		return array_filter($this->workers, fn (WorkerProcess $worker) => $worker->transfer !== null);
	}

	/** Gives every idle worker something to do. */
	private function handOut(): void
	{
		foreach ($this->workers as $worker) {
			if ($worker->transfer !== null) {
				continue;
			}
			$transfer = $this->next();
			if ($transfer === null) {
				return;
			}
			$worker->transfer = $transfer;
			$scene = $this->sceneThatWants($transfer, $worker);
			if ($scene !== null) {
				$this->inScene[$worker->number] = $scene;
			}
			$worker->channel->send(['transfer' => get_object_vars($transfer), 'pause' => $scene !== null]);
		}
	}

	private function next(): ?Transfer
	{
		foreach ($this->queue as $i => $transfer) {
			foreach ($this->scenes as $scene) {
				if (!$scene->allows($transfer)) {
					continue 2;
				}
			}
			array_splice($this->queue, $i, 1);
			return $transfer;
		}
		return null;
	}

	private function sceneThatWants(Transfer $transfer, WorkerProcess $worker): ?Scene
	{
		foreach ($this->scenes as $scene) {
			if ($scene->wants($transfer, $worker, $this)) {
				return $scene;
			}
		}
		return null;
	}

	private function listen(float $seconds): void
	{
		if ($seconds <= 0.0) {
			throw new RuntimeException(sprintf(
				'not finished after %d seconds: %d deliveries are over, %d wait, %d workers are busy',
				self::DEADLINE,
				$this->tally->final(),
				count($this->queue),
				count($this->busyWorkers()),
			));
		}
		$channels = array_map(fn (WorkerProcess $worker) => $worker->channel, $this->workers);
		foreach (Channel::waitForAny($channels, $seconds) as $number) {
			$this->hear($this->workers[$number]);
		}
	}

	private function hear(WorkerProcess $worker): void
	{
		$message = $worker->channel->receive();
		if ($message === null) {
			unset($this->workers[$worker->number]);
			throw new RuntimeException($worker->end() ?? "worker $worker->number ended before its time");
		}
		match (array_key_first($message)) {
			'result' => $this->handled($worker, Result::fromArray($message['result'])),
			'readyToWrite' => $this->readyToWrite($worker, $message['readyToWrite']),
			'error' => throw new RuntimeException("worker $worker->number: {$message['error']}"),
		};
	}

	private function handled(WorkerProcess $worker, Result $result): void
	{
		$transfer = $worker->transfer;
		$worker->transfer = null;
		unset($this->inScene[$worker->number]);
		$this->tally->add($result);
		if (!$result->outcome->isFinal()) {
			$this->queue[] = $transfer;
		}
		foreach ($this->scenes as $scene) {
			$scene->handled($worker, $transfer, $result);
		}
	}

	/** @param array<string, int> $fences */
	private function readyToWrite(WorkerProcess $worker, array $fences): void
	{
		$this->inScene[$worker->number]->readyToWrite($worker, $fences);
		if (!$worker->isAlive()) {
			// What every queue does with a delivery that was never acknowledged.
			$this->queue[] = $worker->transfer;
			$this->tally->addKilled($fences);
			unset($this->workers[$worker->number], $this->inScene[$worker->number]);
		}
	}

	private function dismissWorkers(): void
	{
		foreach ($this->workers as $number => $worker) {
			unset($this->workers[$number]);
			$problem = $worker->end();
			if ($problem !== null) {
				throw new RuntimeException($problem);
			}
		}
	}
}
