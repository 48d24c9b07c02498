<?php

$server = [
	'host' => '127.0.0.1',
	'port' => env('TEST_REDIS_PORT'),
	'timeout' => 5,
];

return [
	'default' => 'pgsql',
	'connections' => [
		'pgsql' => [
			'driver' => 'pgsql',
			'host' => env('TEST_PGSQL_HOST'),
			'database' => 'postgres',
			'username' => 'redislock',
			'search_path' => env('TEST_SCHEMA', 'public'),
		],
		'sqlite' => ['driver' => 'sqlite', 'database' => env('TEST_SQLITE', ':memory:')],
	],
	'migrations' => 'migrations',
	'redis' => [
		'client' => env('REDIS_CLIENT', 'phpredis'),
		'options' => ['prefix' => 'app:'],
		'default' => ['database' => 0] + $server,
		'cache' => ['database' => 1] + $server,
		'queue' => ['database' => 2] + $server,
		'dead' => ['host' => '127.0.0.1', 'port' => 1] + $server,
		// How the test and its jobs talk to each other.
		'test' => ['database' => 3, 'prefix' => '', 'read_timeout' => 60, 'read_write_timeout' => 60] + $server,
	],
];
