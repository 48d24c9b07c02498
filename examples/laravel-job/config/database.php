<?php

// examples/laravel-job/run starts a Redis for the example alone.
$server = ['host' => env('EXAMPLE_REDIS_SOCKET'), 'port' => 0];

return [
	'default' => 'sqlite',
	'connections' => [
		'sqlite' => [
			'driver' => 'sqlite',
			'database' => env('EXAMPLE_FOLDER') . '/example.sqlite',
			'busy_timeout' => 60000,
			'journal_mode' => 'WAL',
		],
	],
	'migrations' => 'migrations',
	'redis' => [
		'client' => 'phpredis',
		'options' => ['prefix' => 'laravel:'],
		'default' => ['database' => 0] + $server,
		'cache' => ['database' => 1] + $server,
		'queue' => ['database' => 2] + $server,
	],
];
