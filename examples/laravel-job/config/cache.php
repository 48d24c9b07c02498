<?php

return [
	'default' => 'redis',
	'prefix' => 'example:',
	'stores' => [
		'redis' => [
			'driver' => 'redislock',
			'connection' => 'cache',
			'lock_connection' => 'default',
		],
	],
];
