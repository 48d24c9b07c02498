<?php

return [
	'name' => 'Withdrawals',
	'env' => 'local',
	'debug' => true,
	'key' => 'base64:' . base64_encode(str_repeat('k', 32)),
	'cipher' => 'AES-256-CBC',
];
