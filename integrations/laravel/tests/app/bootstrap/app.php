<?php
declare(strict_types=1);

use Illuminate\Foundation\Application;
use Illuminate\Foundation\Configuration\Exceptions;
use Illuminate\Foundation\Configuration\Middleware;
use Illuminate\Support\Carbon;

// Two schedulers that a test starts shall be in the same minute.
if (($now = getenv('TEST_NOW')) !== false) {
	Carbon::setTestNow($now);
}

return Application::configure(basePath: dirname(__DIR__))
	->withRouting(commands: __DIR__ . '/../routes/console.php')
	->withMiddleware(static function (Middleware $middleware): void {
	})
	->withExceptions(static function (Exceptions $exceptions): void {
	})
	->create();
