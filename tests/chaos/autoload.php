<?php
/* Finds the classes of this test, and those of the guard, without Composer. */
declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
	foreach (['Chaos\\' => __DIR__ . '/src/', 'RedisLock\\Pdo\\' => __DIR__ . '/../../integrations/pdo/src/'] as $prefix => $folder) {
		if (str_starts_with($class, $prefix)) {
			require $folder . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
			return;
		}
	}
});
