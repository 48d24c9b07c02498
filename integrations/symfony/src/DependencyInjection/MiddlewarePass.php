<?php
declare(strict_types=1);

namespace RedisLock\Symfony\DependencyInjection;

use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;

/**
 * Puts the middleware on every bus where the application has not put it itself: after Messenger's own that prepare a
 * message, and before those of the application and the one that deduplicates. So a transaction of a middleware is over
 * before the lock is given back, and a message that is sent back stays what it was.
 *
 * @internal
 */
final class MiddlewarePass implements CompilerPassInterface
{
	public const MIDDLEWARE = 'redislock.messenger_middleware';

	private const BEFORE = [
		'traceable',
		'add_default_stamps_middleware',
		'add_bus_name_stamp_middleware',
		'reject_redelivered_message_middleware',
		'dispatch_after_current_bus',
		'failed_message_processing_middleware',
	];

	public function process(ContainerBuilder $container): void
	{
		if (!$container->hasDefinition(self::MIDDLEWARE)) {
			return;
		}
		if (!$container->hasDefinition('messenger.senders_locator')) {
			// Messenger is installed and not switched on.
			$container->removeDefinition(self::MIDDLEWARE);
			return;
		}
		$senders = $container->getDefinition('messenger.senders_locator')->getArgument(1);
		assert($senders instanceof Reference);
		$container->getDefinition(self::MIDDLEWARE)->replaceArgument(4, $senders);
		foreach (array_keys($container->findTaggedServiceIds('messenger.bus')) as $bus) {
			if (!$container->hasParameter("$bus.middleware")) {
				continue;
			}
			/** @var list<array{id: string}> $middlewares */
			$middlewares = $container->getParameter("$bus.middleware");
			$ids = array_column($middlewares, 'id');
			if (in_array(self::MIDDLEWARE, $ids, true)) {
				continue;
			}
			$place = 0;
			foreach ($ids as $index => $id) {
				if (in_array($id, self::BEFORE, true)) {
					$place = $index + 1;
				}
			}
			array_splice($middlewares, $place, 0, [['id' => self::MIDDLEWARE]]);
			$container->setParameter("$bus.middleware", $middlewares);
		}
	}
}
