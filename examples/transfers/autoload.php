<?php
declare(strict_types=1);

namespace Transfers;

use RuntimeException;

spl_autoload_register(static function (string $class): void {
	$file = __DIR__ . '/src/' . substr($class, strlen(__NAMESPACE__) + 1) . '.php';
	if (str_starts_with($class, __NAMESPACE__ . '\\') && is_file($file)) {
		require $file;
	}
});

/** Better one clear sentence than an undefined class later. */
function requireExtensions(Engine $engine): void
{
	foreach (['redislock', 'pcntl', 'posix', 'pdo', "pdo_$engine->value"] as $extension) {
		extension_loaded($extension) || throw new RuntimeException("this PHP has not loaded the extension $extension");
	}
}
