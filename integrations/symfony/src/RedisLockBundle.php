<?php
declare(strict_types=1);

namespace RedisLock\Symfony;

use RedisLock\Client;
use RedisLock\MutexFactory;
use RedisLock\Symfony\DependencyInjection\LockStorePass;
use RedisLock\Symfony\DependencyInjection\MiddlewarePass;
use RedisLock\Symfony\Messenger\Backoff;
use RedisLock\Symfony\Messenger\KeptLockListener;
use RedisLock\Symfony\Messenger\KeptLocks;
use RedisLock\Symfony\Messenger\LockMiddleware;
use RedisLock\Symfony\Messenger\Requirements;
use Symfony\Component\Config\Definition\Builder\ArrayNodeDefinition;
use Symfony\Component\Config\Definition\Configurator\DefinitionConfigurator;
use Symfony\Component\DependencyInjection\Compiler\PassConfig;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpKernel\Bundle\AbstractBundle;
use Symfony\Component\Messenger\MessageBusInterface;

use function Symfony\Component\DependencyInjection\Loader\Configurator\abstract_arg;
use function Symfony\Component\DependencyInjection\Loader\Configurator\service;

/**
 * Autowires RedisLock\Client, LockStore and LockFactory, teaches framework.lock the words "redislock" and "redislock://…",
 * and puts LockMiddleware on the message buses.
 */
final class RedisLockBundle extends AbstractBundle
{
	protected string $extensionAlias = 'redislock';

	public function configure(DefinitionConfigurator $definition): void
	{
		$root = $definition->rootNode();
		assert($root instanceof ArrayNodeDefinition);
		$root->children()
			->variableNode('dsn')
				->info('redislock://host:port/db, redislock+tls://…, redislock+unix:///path; a list for a quorum; null: redislock.servers of php.ini')
				->defaultNull()
				->validate()
					->ifTrue(static fn ($dsn) => $dsn !== null && !is_string($dsn) && (!is_array($dsn) || $dsn !== array_values(array_filter($dsn, is_string(...)))))
					->thenInvalid('A DSN, a list of DSNs or null is expected. Got %s.')
				->end()
			->end()
			->scalarNode('prefix')->info('Put before every name; null: redislock.prefix of php.ini')->defaultNull()->end()
			->floatNode('connect_timeout')->info('Seconds; null: php.ini')->defaultNull()->end()
			->floatNode('timeout')->info('Seconds for one command; null: php.ini')->defaultNull()->end()
			->floatNode('retry_for')->info('Seconds that failures are retried within a wait; null: php.ini')->defaultNull()->end()
			->booleanNode('persistent')->info('null: php.ini')->defaultNull()->end()
			->floatNode('initial_ttl')->info('The lease of a Symfony lock that comes without a TTL')->defaultValue(300.0)->end()
			->floatNode('max_wait')->info('Seconds that acquire(true) waits at most; null: for ever')->defaultNull()->end()
			->booleanNode('hand_over')->info('Whether the Key of a held lock can be serialized for another process')->defaultTrue()->end()
			->arrayNode('messenger')
				->canBeDisabled()
				->addDefaultsIfNotSet()
				->children()
					->floatNode('ttl')->info('The lease of a message that does not say another')->defaultValue(60.0)->end()
					->floatNode('wait')->info('Seconds that a worker waits for a lock before it sends the message back')->defaultValue(0.0)->end()
					->floatNode('min_delay')->info('Seconds that a message which met a held lock stays away, at least')->defaultValue(1.0)->end()
					->floatNode('max_delay')->info('… and at most')->defaultValue(30.0)->end()
					->integerNode('limit')->info('How often a message is sent back before it fails for good; null: without a limit')->defaultNull()->min(0)->end()
				->end()
			->end()
		->end();
	}

	/** @param array<string, mixed> $config */
	public function loadExtension(array $config, ContainerConfigurator $container, ContainerBuilder $builder): void
	{
		$services = $container->services();
		$services->set(Client::class)
			->factory([ClientFactory::class, 'create'])
			->args([$config['dsn'], $config['prefix'], $config['connect_timeout'], $config['timeout'], $config['retry_for'], $config['persistent']]);
		$services->alias(MutexFactory::class, Client::class);
		$services->set(LockStore::class)
			->args([service(Client::class), $config['initial_ttl'], $config['max_wait'], $config['hand_over']])
			->call('setLogger', [service('logger')->ignoreOnInvalid()])
			->tag('monolog.logger', ['channel' => 'redislock']);
		// What framework.lock can name.
		$services->alias('redislock', LockStore::class);
		$services->set(LockFactory::class)
			->args([service(LockStore::class)])
			->call('setLogger', [service('logger')->ignoreOnInvalid()])
			->tag('monolog.logger', ['channel' => 'lock']);
		$services->set(StoreFactory::class)
			->args([service(LockStore::class), service('logger')->nullOnInvalid()])
			->tag('monolog.logger', ['channel' => 'redislock']);

		if ($config['messenger']['enabled'] && interface_exists(MessageBusInterface::class)) {
			$this->loadMessenger($config['messenger'], $container);
		}
	}

	public function build(ContainerBuilder $container): void
	{
		$container->addCompilerPass(new LockStorePass(), PassConfig::TYPE_BEFORE_OPTIMIZATION, 10);
		// Before Messenger turns the list of middlewares into a bus.
		$container->addCompilerPass(new MiddlewarePass(), PassConfig::TYPE_BEFORE_OPTIMIZATION, 10);
	}

	/** @param array<string, mixed> $config */
	private function loadMessenger(array $config, ContainerConfigurator $container): void
	{
		$services = $container->services();
		$services->set(Requirements::class)->args([$config['ttl'], $config['wait']]);
		$services->set(Backoff::class)->args([$config['min_delay'], $config['max_delay']]);
		$services->set(KeptLocks::class);
		$services->set(KeptLockListener::class)
			->args([service(KeptLocks::class), service('logger')->nullOnInvalid()])
			->tag('kernel.event_subscriber')
			->tag('monolog.logger', ['channel' => 'redislock']);
		$services->set(MiddlewarePass::MIDDLEWARE, LockMiddleware::class)
			->args([
				service(Client::class),
				service(Requirements::class),
				service(KeptLocks::class),
				service(Backoff::class),
				abstract_arg('the transports by name'),
				service('messenger.senders_locator'),
				$config['limit'],
				service('logger')->nullOnInvalid(),
			])
			->tag('monolog.logger', ['channel' => 'redislock']);
	}
}
