<?php
/*
 * Symfony's own tests of lock stores are not in its packages. SYMFONY_SOURCE is a checkout of symfony/symfony that has
 * them; the code that is tested is what Composer installed. The autoloader of that is the one of the phpunit that runs.
 */
declare(strict_types=1);

$folder = getenv('SYMFONY_SOURCE') . '/src/Symfony/Component/Lock/Tests';
if (!is_dir($folder)) {
	throw new RuntimeException('SYMFONY_SOURCE is not a checkout of symfony/symfony');
}
$loader = require dirname((new ReflectionClass(Composer\Autoload\ClassLoader::class))->getFileName(), 2) . '/autoload.php';
$loader->addPsr4('Symfony\\Component\\Lock\\Tests\\', $folder);
