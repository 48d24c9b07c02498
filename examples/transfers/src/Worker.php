<?php
declare(strict_types=1);

namespace Transfers;

/** The loop of a worker process: takes a transfer from the queue, handles it, says what became of it. */
final class Worker
{
	public function __construct(private readonly Channel $queue, private readonly TransferHandler $handler)
	{
	}

	/** Returns when the queue is closed. */
	public function run(): void
	{
		// What the handler throws (Redis cannot be reached, the disk is full) ends the worker, as it would end a queue
		// worker in real life; whoever supervises the workers decides what then.
		while (($message = $this->queue->receive()) !== null) {
			$result = $this->handler->handle(
				new Transfer(...$message['transfer']),
				$message['pause'] ? $this->waitBeforeWriting(...) : null,
			);
			$this->queue->send(['result' => $result->toArray()]);
		}
	}

	/** @param array<string, int> $fences */
	private function waitBeforeWriting(array $fences): void
	{
		$this->queue->send(['readyToWrite' => $fences]);
		$this->queue->receive();
	}
}
