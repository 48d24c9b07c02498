<?php
declare(strict_types=1);

use App\Conductor;
use Illuminate\Support\Facades\Artisan;

Artisan::command('example', function (Conductor $conductor): int {
	return $conductor->run($this->line(...)) ? 0 : 1;
})->purpose('Withdraw money in parallel, with a worker that is stopped and one that is killed');
