<?php
declare(strict_types=1);

namespace RedisLock\Symfony\DependencyInjection;

use RedisLock\Symfony\StoreFactory;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\StoreFactory as SymfonyStoreFactory;

/**
 * Teaches framework.lock our DSN. Which store a DSN is for is known only when the service is made, because it may come
 * from the environment; so all of them go through our factory, which leaves to Symfony's what is not ours.
 *
 * @internal
 */
final class LockStorePass implements CompilerPassInterface
{
	public function process(ContainerBuilder $container): void
	{
		foreach (array_keys($container->findTaggedServiceIds('lock.store')) as $id) {
			$definition = $container->getDefinition($id);
			if ($definition->getFactory() === [SymfonyStoreFactory::class, 'createStore']) {
				$definition->setFactory([new Reference(StoreFactory::class), 'createStore']);
				// The name of a service; Symfony 6.4 does not look for one.
				$name = $definition->getArguments()[0] ?? null;
				if (is_string($name) && !str_contains($name, ':') && $container->has($name)) {
					$definition->replaceArgument(0, new Reference($name));
				}
			}
		}
		if ($container->hasDefinition('lock.factory.abstract')) {
			$definition = $container->getDefinition('lock.factory.abstract');
			if ($definition->getClass() === LockFactory::class && $definition->getFactory() === null) {
				$definition->setFactory([StoreFactory::class, 'createLockFactory']);
			}
		}
	}
}
