<?php
/* A worker process: php worker.php SETUP, with the setup as JSON. See Chaos\Worker. */
declare(strict_types=1);

require __DIR__ . '/autoload.php';

(new Chaos\Worker(json_decode($argv[1], true, 16, JSON_THROW_ON_ERROR)))->run();
