<?php
declare(strict_types=1);

namespace App\Listeners;

use App\Channel;
use App\Events\OrderPlaced;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Queue\InteractsWithQueue;
use RedisLock\Laravel\Fenced;
use RedisLock\Laravel\HasFence;

final class ShipOrder implements ShouldQueue
{
	use HasFence;
	use InteractsWithQueue;

	/** @return list<Fenced> */
	public function middleware(OrderPlaced $event): array
	{
		return [new Fenced($event->name)];
	}

	public function handle(OrderPlaced $event): void
	{
		Channel::say('shipped', ['fence' => $this->fence()]);
	}
}
