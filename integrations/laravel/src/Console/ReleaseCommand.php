<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Console;

use Illuminate\Console\Command;
use RedisLock\FailureException;
use RedisLock\Laravel\LockStores;
use ValueError;

/** Exit status: 0 it was given back, 1 that token does not hold it, 2 there was no answer. */
final class ReleaseCommand extends Command
{
	protected $signature = 'redislock:release
		{name : The name of the lock, as given to Cache::lock() or Fenced}
		{token : Its owner, as shown by redislock:inspect}
		{--store= : The cache store that has the lock; by default the one of the setting redislock.store}';

	protected $description = 'Give back a lock whose holder is gone, if it still is the holder';

	public function handle(LockStores $stores): int
	{
		try {
			$released = $stores->get($this->option('store'))->client()->release((string) $this->argument('name'), (string) $this->argument('token'));
		} catch (FailureException | ValueError $problem) {
			$this->error($problem->getMessage());
			return self::INVALID;
		}
		if (!$released) {
			$this->error('that token does not hold the lock');
			return self::FAILURE;
		}
		$this->info('given back');
		return self::SUCCESS;
	}
}
