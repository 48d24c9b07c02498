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
use Symfony\Component\Config\Definition\Builder\NodeBuilder;
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
		$children = $definition->rootNode()->children();
		$children->variableNode('dsn')
			->info('redislock://host:port/db, redislock+tls://…, redislock+unix:///path; a list for a quorum; null: php.ini')
			->defaultNull()
			->validate()
				->ifTrue(static fn ($dsn) => $dsn !== null && !is_string($dsn)
					&& (!is_array($dsn) || $dsn !== array_values(array_filter($dsn, is_string(...)))))
				->thenInvalid('A DSN, a list of DSNs or null is expected. Got %s.')
			->end();
		$children->scalarNode('prefix')->info('Put before every name; null: redislock.prefix of php.ini')->defaultNull();
		self::seconds($children, 'connect_timeout', 'Seconds; null: php.ini', null);
		self::seconds($children, 'timeout', 'Seconds for one command; null: php.ini', null);
		self::seconds($children, 'retry_for', 'Seconds that failures are retried within a wait; null: php.ini', null);
		$children->enumNode('persistent')->info('null: php.ini')->values([true, false, null])->defaultNull();
		self::seconds($children, 'initial_ttl', 'The lease of a Symfony lock that comes without a TTL', 300.0);
		self::seconds($children, 'max_wait', 'Seconds that acquire(true) waits at most; null: for ever', null);
		$children->booleanNode('hand_over')
			->info('Whether the Key of a held lock can be serialized for another process')
			->defaultTrue();

		$messenger = $children->arrayNode('messenger')->canBeDisabled()->addDefaultsIfNotSet()->children();
		self::seconds($messenger, 'ttl', 'The lease of a message that does not say another', 60.0);
		self::seconds($messenger, 'wait', 'Seconds that a worker waits for a lock before it sends the message back', 0.0);
		self::seconds($messenger, 'min_delay', 'Seconds that a message which met a held lock stays away, at least', 1.0);
		self::seconds($messenger, 'max_delay', '… and at most', 30.0);
		$messenger->scalarNode('limit')
			->info('How often a message is sent back before it fails for good; null: without a limit')
			->defaultNull()
			->validate()
				->ifTrue(static fn ($limit) => $limit !== null && (!is_int($limit) || $limit < 0))
				->thenInvalid('A number, 0 or larger, or null is expected. Got %s.')
			->end();
	}

	/** @param array<string, mixed> $config */
	public function loadExtension(array $config, ContainerConfigurator $container, ContainerBuilder $builder): void
	{
		$services = $container->services();
		$services->set(Client::class)
			->factory([ClientFactory::class, 'create'])
			->args(array_map(
				static fn (string $name) => $config[$name],
				['dsn', 'prefix', 'connect_timeout', 'timeout', 'retry_for', 'persistent'],
			));
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

	/** A floatNode would refuse a null that somebody writes down. */
	private static function seconds(NodeBuilder $children, string $name, string $info, ?float $default): void
	{
		$children->scalarNode($name)
			->info($info)
			->defaultValue($default)
			->validate()
				->ifTrue(static fn ($value) => !is_int($value) && !is_float($value) && ($value !== null || $default !== null))
				->thenInvalid('A number of seconds' . ($default === null ? ' or null' : '') . ' is expected. Got %s.')
			->end();
	}
}
