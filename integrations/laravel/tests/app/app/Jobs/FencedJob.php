<?php
declare(strict_types=1);

namespace App\Jobs;

use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;
use RedisLock\Laravel\Fenced;
use RedisLock\Laravel\HasFence;
use Throwable;

final class FencedJob implements ShouldQueue
{
	use HasFence;
	use Plays;
	use Queueable;

	/** @var list<string> */
	public array $names = ['account:7'];

	public float $expireAfter = 60;

	public bool $dontRelease = false;

	public ?string $store = null;

	public float $waitFor = 0;

	/** @return list<Fenced> */
	public function middleware(): array
	{
		return array_map(function (string $name): Fenced {
			$fenced = (new Fenced($name))->expireAfter($this->expireAfter)->releaseAfter(1, 2)->waitFor($this->waitFor);
			$this->dontRelease && $fenced->dontRelease();
			$this->store === null || $fenced->onStore($this->store);
			return $fenced;
		}, $this->names);
	}

	public function failed(?Throwable $problem): void
	{
		$this->say('failed', ['problem' => $problem === null ? null : $problem::class]);
	}

	private function sayFence(string $name): void
	{
		$this->say('fence', ['fence' => $this->fence($name === '' ? null : $name), 'remaining' => $this->fenceRemaining($name === '' ? null : $name)]);
	}

	private function renew(string $seconds): void
	{
		$this->say('renewed', ['renewed' => $this->renewFence((float) $seconds), 'remaining' => $this->fenceRemaining()]);
	}

	/** Sends a copy of itself, as a job does that works in portions. */
	private function sendCopy(): void
	{
		$copy = clone $this;
		$copy->job = null;
		$copy->id = 'copy';
		$copy->attempts = [['sayFence']];
		dispatch($copy);
	}
}
