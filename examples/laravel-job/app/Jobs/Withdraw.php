<?php
declare(strict_types=1);

namespace App\Jobs;

use App\Fault;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Queue\Queueable;
use Illuminate\Support\Facades\DB;
use RedisLock\Laravel\Fenced;
use RedisLock\Laravel\HasFence;
use RedisLock\Pdo\FenceGuard;

/** Takes money from an account: reads the balance, computes for a while, writes the new one. */
final class Withdraw implements ShouldQueue
{
	use HasFence;
	use Queueable;

	/** Contention counts as a try. */
	public int $tries = 1000;

	public function __construct(
		private readonly int $id,
		private readonly int $account,
		private readonly int $cents,
	) {
	}

	/** @return list<Fenced> */
	public function middleware(): array
	{
		// A lease this short is for the example only, which does not want to wait for the end of a longer one.
		return [(new Fenced("account:$this->account"))->expireAfter(2)->waitFor(1)->releaseAfter(1, 2)];
	}

	public function handle(): void
	{
		$guard = new FenceGuard(static fn () => DB::connection()->getPdo());
		$resource = "account:$this->account";

		// From here on nobody who had the lock before us can write any more. So what we read now stays as it is, unless
		// somebody comes after us.
		$guard->claim($resource, $this->fence());
		$cents = (int) DB::table('accounts')->where('id', $this->account)->value('cents') - $this->cents;

		// The work. It may take longer than the lease.
		Fault::perhaps($resource, $this->fence());

		DB::transaction(function () use ($guard, $resource, $cents): void {
			// And nobody has come after us either.
			$guard->check($resource, $this->fence());
			if (DB::table('withdrawals')->insertOrIgnore(['id' => $this->id, 'account' => $this->account, 'cents' => $this->cents]) === 1) {
				DB::table('accounts')->where('id', $this->account)->update(['cents' => $cents]);
			}
		});
	}
}
