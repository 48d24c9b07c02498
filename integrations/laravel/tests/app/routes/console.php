<?php
declare(strict_types=1);

use App\Channel;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Redis;
use Illuminate\Support\Facades\Schedule;

// The task that the test is about.
$task = getenv('TEST_TASK');
if ($task === 'onOneServer' || $task === 'withoutOverlapping') {
	Schedule::call(static function (): void {
		Channel::say('begun');
		Channel::await('go');
	})->name('task')->everyMinute()->$task();
}

Artisan::command('test:block {name} {number} {--alarm}', function (): int {
	if ($this->option('alarm')) {
		pcntl_async_signals(true);
		pcntl_signal(SIGALRM, static function (): never {
			Channel::say('alarm');
			exit(7);
		});
	}
	$lock = Cache::lock($this->argument('name'), 100);
	$lock->block(100);
	Channel::say('got it', ['number' => $this->argument('number'), 'fence' => $lock->fence()]);
	$lock->release();
	return 0;
});

// Takes the lock again and again. Whoever has it puts its number down, and nobody else may come in between.
Artisan::command('test:fleet {store} {rounds}', function (): int {
	$redis = Redis::connection('test');
	$inside = getenv('TEST_CHANNEL') . ':inside';
	for ($round = 0; $round < $this->argument('rounds'); $round++) {
		$lock = Cache::store($this->argument('store'))->lock('fleet', 100)->betweenBlockedAttemptsSleepFor(5);
		$lock->block(100);
		$alone = $redis->incr($inside) === 1;
		// Lets the others in, if they can be let in.
		usleep(500);
		$alone = $redis->decr($inside) === 0 && $alone;
		$released = $lock->release();
		if (!$alone || !$released) {
			Channel::say('trouble', ['alone' => $alone, 'released' => $released]);
			return 1;
		}
	}
	Channel::say('done');
	return 0;
});
