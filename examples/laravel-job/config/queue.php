<?php

return [
	'default' => 'redis',
	'connections' => [
		// Short, because one of the workers is killed, and everybody waits until its job is tried again.
		'redis' => ['driver' => 'redis', 'connection' => 'queue', 'queue' => 'default', 'retry_after' => 8, 'block_for' => null],
	],
	'failed' => ['driver' => 'null'],
];
