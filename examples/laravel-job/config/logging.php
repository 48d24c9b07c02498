<?php

return [
	'default' => 'single',
	'channels' => ['single' => ['driver' => 'single', 'path' => env('EXAMPLE_FOLDER') . '/laravel.log']],
];
