<?php

return [
	'default' => env('QUEUE_CONNECTION', 'redis'),
	'connections' => [
		'sync' => ['driver' => 'sync'],
		'redis' => ['driver' => 'redis', 'connection' => 'queue', 'queue' => env('TEST_QUEUE', 'default'), 'retry_after' => (int) env('TEST_RETRY_AFTER', 90), 'block_for' => null],
		'database' => ['driver' => 'database', 'table' => 'jobs', 'queue' => env('TEST_QUEUE', 'default'), 'retry_after' => (int) env('TEST_RETRY_AFTER', 90)],
	],
	'failed' => ['driver' => 'database-uuids', 'database' => 'pgsql', 'table' => 'failed_jobs'],
];
