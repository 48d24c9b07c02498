<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Console;

use Illuminate\Console\Command;
use RedisLock\FailureException;
use RedisLock\Laravel\LockStores;
use ValueError;

/** Exit status: 0 there was an answer, 2 there was none. */
final class InspectCommand extends Command
{
	protected $signature = 'redislock:inspect
		{name : The name of the lock, as given to Cache::lock() or Fenced}
		{--store= : The cache store that has the lock; by default the one of the setting redislock.store}
		{--json : Print it for a program}';

	protected $description = 'Show who holds a lock, for how long, and the last fence';

	public function handle(LockStores $stores): int
	{
		try {
			$lock = $stores->get($this->option('store'))->client()->inspect((string) $this->argument('name'));
		} catch (FailureException | ValueError $problem) {
			$this->error($problem->getMessage());
			return self::INVALID;
		}
		if ($this->option('json')) {
			// JSON has no infinity. A lock without an end is held, and has no remaining time.
			$lock['remaining'] = $lock['remaining'] === INF ? null : $lock['remaining'];
			$this->line(json_encode($lock, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION));
			return self::SUCCESS;
		}
		$this->line(match (true) {
			!$lock['held'] => 'free',
			$lock['remaining'] === INF => "held by {$lock['token']}, without an end",
			default => sprintf('held by %s for %.1f more seconds', $lock['token'], $lock['remaining']),
		});
		$this->line('last fence: ' . ($lock['fence'] ?? 'none'));
		$this->line('waiting for it: ' . ($lock['waiters'] ? 'somebody' : 'nobody'));
		return self::SUCCESS;
	}
}
