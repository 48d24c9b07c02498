<?php
declare(strict_types=1);

namespace App\Jobs;

use Closure;
use Illuminate\Contracts\Queue\ShouldBeUniqueUntilProcessing;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;

class UniqueUntilProcessingJob implements ShouldQueue, ShouldBeUniqueUntilProcessing
{
	use Plays;
	use Queueable;

	/** How often a middleware sends it back before it is processed. */
	public int $sendBack = 0;

	public function uniqueId(): string
	{
		return $this->id;
	}

	/** @return list<Closure> */
	public function middleware(): array
	{
		return [function (self $job, Closure $next): void {
			if ($job->attempts() <= $job->sendBack) {
				$job->say('sent back');
				$job->release(0);
			} else {
				$next($job);
			}
		}];
	}
}
