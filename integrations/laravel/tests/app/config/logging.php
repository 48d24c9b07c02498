<?php

// What is reported goes where the test reads it.
return [
	'default' => 'stderr',
	'channels' => [
		'stderr' => ['driver' => 'single', 'path' => env('TEST_LOG', 'php://stderr')],
		'deprecations' => ['driver' => 'single', 'path' => env('TEST_LOG', 'php://stderr')],
	],
];
