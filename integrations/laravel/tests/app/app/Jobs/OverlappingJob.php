<?php
declare(strict_types=1);

namespace App\Jobs;

use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;
use Illuminate\Queue\Middleware\WithoutOverlapping;

final class OverlappingJob implements ShouldQueue
{
	use Plays;
	use Queueable;

	public int $expireAfter = 0;

	/** @return list<WithoutOverlapping> */
	public function middleware(): array
	{
		return [(new WithoutOverlapping('key'))->expireAfter($this->expireAfter)];
	}
}
