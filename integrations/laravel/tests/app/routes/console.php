<?php
declare(strict_types=1);

use App\Channel;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\Cache;
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
