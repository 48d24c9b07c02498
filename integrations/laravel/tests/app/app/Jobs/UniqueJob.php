<?php
declare(strict_types=1);

namespace App\Jobs;

use Illuminate\Contracts\Queue\ShouldBeUnique;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;

class UniqueJob implements ShouldQueue, ShouldBeUnique
{
	use Plays;
	use Queueable;

	public int $uniqueFor = 0;

	public function uniqueId(): string
	{
		return $this->id;
	}

}
