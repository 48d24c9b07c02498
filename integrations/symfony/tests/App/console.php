<?php
/* bin/console of the tests' application. AUTOLOAD is the vendor/autoload.php of the Symfony that is tested. */
declare(strict_types=1);

require getenv('AUTOLOAD');

(new Symfony\Bundle\FrameworkBundle\Console\Application(new RedisLock\Symfony\Tests\App\Kernel()))->run();
