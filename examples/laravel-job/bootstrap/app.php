<?php
declare(strict_types=1);

use Illuminate\Foundation\Application;
use Illuminate\Foundation\Configuration\Exceptions;
use Illuminate\Foundation\Configuration\Middleware;

return Application::configure(basePath: dirname(__DIR__))
	->withRouting(commands: __DIR__ . '/../routes/console.php')
	->withMiddleware(static function (Middleware $middleware): void {
	})
	->withExceptions(static function (Exceptions $exceptions): void {
	})
	->create();
