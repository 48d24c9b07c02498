<?php
declare(strict_types=1);

namespace Transfers;

/** Something bad that is done to one worker in the middle of the run. The conductor calls these methods. */
interface Scene
{
	/** Is the worker that gets this transfer now to wait, before it writes, for what we do to it? */
	public function wants(Transfer $transfer, WorkerProcess $worker, Conductor $conductor): bool;

	/** May this transfer be handed out now? */
	public function allows(Transfer $transfer): bool;

	/**
	 * The worker we wanted holds both locks, has read both balances, and waits.
	 *
	 * @param array<string, int> $fences account => fence
	 */
	public function readyToWrite(WorkerProcess $worker, array $fences): void;

	/** A worker, any, has handled a transfer. */
	public function handled(WorkerProcess $worker, Transfer $transfer, Result $result): void;

	/** Has all happened that was to happen? */
	public function isOver(): bool;
}
