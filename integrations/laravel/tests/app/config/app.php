<?php

return [
	'name' => 'Tests',
	'env' => 'testing',
	'debug' => true,
	'key' => 'base64:' . base64_encode(str_repeat('k', 32)),
	'cipher' => 'AES-256-CBC',
];
