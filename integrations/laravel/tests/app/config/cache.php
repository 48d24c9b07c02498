<?php

return [
	'default' => env('CACHE_STORE', 'redislock'),
	'prefix' => env('CACHE_PREFIX', ''),
	'stores' => [
		'redislock' => ['driver' => 'redislock', 'connection' => 'cache', 'lock_connection' => 'default'],
		// Laravel's own driver with the same keys: what a worker has that is not migrated yet.
		'stock' => ['driver' => 'redis', 'connection' => 'cache', 'lock_connection' => 'default'],
		// Nobody listens there.
		'dead' => ['driver' => 'redislock', 'connection' => 'cache', 'lock_connection' => 'dead'],
		'array' => ['driver' => 'array'],
		// What the documentation says, if it is being tested.
		...(is_file(__DIR__ . '/stores/docs.php') ? require __DIR__ . '/stores/docs.php' : []),
	],
];
