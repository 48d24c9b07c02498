<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use Psr\Log\LoggerInterface;
use RedisLock;
use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\Messenger\Event\WorkerMessageFailedEvent;
use Symfony\Component\Messenger\Event\WorkerMessageRetriedEvent;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Throwable;

/**
 * With keepForRetry, decides about the lock of a message whose handler has failed: it goes with the message into its
 * retry, and its lease is renewed for the time until then; or, if there is no retry, it is given back.
 *
 * @internal
 */
final class KeptLockListener implements EventSubscriberInterface
{
	public function __construct(private readonly KeptLocks $keptLocks, private readonly ?LoggerInterface $logger = null)
	{
	}

	public static function getSubscribedEvents(): array
	{
		return [
			// Messenger decides about the retry at 100, and sends it. The failure transport gets the message at -100.
			WorkerMessageFailedEvent::class => [['beforeRetry', 150], ['afterRetry', 50]],
			WorkerMessageRetriedEvent::class => 'onRetry',
		];
	}

	public function beforeRetry(WorkerMessageFailedEvent $event): void
	{
		$envelope = $event->getEnvelope();
		[$held, $name] = $this->keptLocks->of($envelope->getMessage()) ?? [null, ''];
		$token = $held?->mutex->token();
		if ($token !== null) {
			$event->addStamps(new KeptLockStamp($name, $token, $held->lock->fence));
		}
	}

	public function onRetry(WorkerMessageRetriedEvent $event): void
	{
		$envelope = $event->getEnvelope();
		$message = $envelope->getMessage();
		[$held, $name] = $this->keptLocks->of($message) ?? [null, ''];
		if ($held === null) {
			return;
		}
		$this->keptLocks->forget($message);
		$until = ($envelope->last(DelayStamp::class)?->getDelay() ?? 0) / 1000;
		$context = ['class' => $message::class, 'lock' => $name, 'delay_s' => $until];
		try {
			$kept = $held->mutex->renew(min(RedisLock::MAX_TTL, $until + $held->ttl));
			// No longer this process's: its end must not give it back.
			$held->mutex->isHeld() && $held->mutex->detach();
		} catch (Throwable $failure) {
			$held->mutex->isHeld() && $held->mutex->detach();
			$this->logger?->warning(
				'Message {class}: the lease of lock "{lock}" could not be renewed for the retry in {delay_s} s: {problem}',
				$context + ['problem' => $failure->getMessage(), 'exception' => $failure],
			);
			return;
		}
		$this->logger?->info($kept
			? 'Message {class}: lock "{lock}" is kept for the retry in {delay_s} s.'
			: 'Message {class}: lock "{lock}" was lost before the retry.', $context);
	}

	public function afterRetry(WorkerMessageFailedEvent $event): void
	{
		$message = $event->getEnvelope()->getMessage();
		[$held, $name] = $this->keptLocks->of($message) ?? [null, ''];
		if ($held === null) {
			return;
		}
		$this->keptLocks->forget($message);
		$context = ['class' => $message::class, 'lock' => $name];
		try {
			$held->mutex->release();
			$this->logger?->info('Message {class}: lock "{lock}" is released, the message is not retried.', $context);
		} catch (Throwable $failure) {
			$this->logger?->warning(
				'Message {class}: lock "{lock}" could not be released: {problem}',
				$context + ['problem' => $failure->getMessage(), 'exception' => $failure],
			);
		}
	}
}
