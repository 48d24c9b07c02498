<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use Psr\Container\ContainerInterface;
use Psr\Log\LoggerInterface;
use RedisLock\MutexFactory;
use RedisLock\Symfony\LockName;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Exception\UnrecoverableMessageHandlingException;
use Symfony\Component\Messenger\Middleware\MiddlewareInterface;
use Symfony\Component\Messenger\Middleware\StackInterface;
use Symfony\Component\Messenger\Stamp\AckStamp;
use Symfony\Component\Messenger\Stamp\ConsumedByWorkerStamp;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Symfony\Component\Messenger\Stamp\FlushBatchHandlersStamp;
use Symfony\Component\Messenger\Stamp\HandlerArgumentsStamp;
use Symfony\Component\Messenger\Stamp\NoAutoAckStamp;
use Symfony\Component\Messenger\Stamp\NonSendableStampInterface;
use Symfony\Component\Messenger\Stamp\ReceivedStamp;
use Symfony\Component\Messenger\Stamp\SentToFailureTransportStamp;
use Symfony\Component\Messenger\Transport\Sender\SendersLocatorInterface;
use Throwable;

/**
 * Handles a message that names a lock while that lock is held, and gives the handler the fence.
 *
 * - Somebody else holds it: the message goes back to its transport with a delay, as if it had just come. That counts
 *   neither as handled nor as a failure, and uses up none of its retries.
 * - Redis fails: the exception of the extension goes to Messenger, as that of a handler would. Nothing is handled.
 * - The handler is done: the lock is given back. It fails: the lock is given back, or, with keepForRetry, stays with the
 *   message until the retry or until it is rejected (KeptLockListener).
 * - The worker is killed: the lease ends.
 *
 * It stands before the middlewares of the application, so that a transaction is committed before the lock is free.
 */
final class LockMiddleware implements MiddlewareInterface
{
	/**
	 * @param MutexFactory $client where the locks live
	 * @param ContainerInterface $senders the transports, by name
	 * @param SendersLocatorInterface $sendersOfMessage says whether a message is sent instead of handled
	 * @param int|null $limit how often a message is sent back at most; then it fails for good. null: without a limit
	 */
	public function __construct(
		private readonly MutexFactory $client,
		private readonly Requirements $requirements,
		private readonly KeptLocks $keptLocks,
		private readonly Backoff $backoff,
		private readonly ContainerInterface $senders,
		private readonly SendersLocatorInterface $sendersOfMessage,
		private readonly ?int $limit = null,
		private readonly ?LoggerInterface $logger = null,
	) {
	}

	public function handle(Envelope $envelope, StackInterface $stack): Envelope
	{
		// Also before it is sent: a mistake is seen where it is made.
		$required = $this->requirements->of($envelope);
		if ($required === null || !$this->isHandledNow($envelope)) {
			return $stack->next()->handle($envelope, $stack);
		}
		$began = hrtime(true);
		$held = $this->acquire($required, $envelope);
		// Of no use any more: it would only grow with each retry.
		$envelope = $envelope->withoutAll(KeptLockStamp::class);
		if ($held === null) {
			return $this->sendBack($required, $envelope);
		}
		$waited = hrtime(true) - $began;
		$this->logger?->debug(
			'Message {class}: lock "{lock}" acquired, waited {wait_ms} ms, fence {fence}.',
			$this->context($required, $envelope) + ['wait_ms' => self::milliseconds($waited), 'fence' => $held->lock->fence],
		);
		$finish = function (?Throwable $problem) use ($held, $required, $envelope, $waited): void {
			if ($held->finish()) {
				$this->finish($held, $required, $envelope, $waited, $problem);
			}
		};
		try {
			$envelope = $stack->next()->handle($this->withLock($envelope, $held->lock, $finish), $stack);
		} catch (Throwable $problem) {
			$finish($problem);
			throw $problem;
		}
		// A batch handler has only put it aside. The lock is held until it acknowledges the message.
		if ($envelope->last(NoAutoAckStamp::class) === null) {
			$finish(null);
		}
		return $envelope;
	}

	private function isHandledNow(Envelope $envelope): bool
	{
		if ($envelope->last(FlushBatchHandlersStamp::class) !== null) {
			return false;
		}
		if ($envelope->last(ReceivedStamp::class) !== null) {
			return true;
		}
		foreach ($this->sendersOfMessage->getSenders($envelope) as $sender) {
			return false;
		}
		return true;
	}

	private function acquire(Requirement $required, Envelope $envelope): ?HeldLock
	{
		$name = LockName::fit($required->name);
		$mutex = $this->client->lock($name, $required->ttl);
		$fence = null;
		$kept = $envelope->last(KeptLockStamp::class);
		if ($kept?->name === $required->name && $this->client->inspect($name)['fence'] === $kept->fence) {
			$fence = $mutex->attach($kept->token);
			if ($fence !== null && !$mutex->renew()) {
				$fence = null;
			}
		}
		$fence ??= $mutex->acquire($required->wait);
		return $fence === null ? null : new HeldLock(new MessageLock($required->name, $fence, $mutex), $mutex, $required->ttl);
	}

	private function withLock(Envelope $envelope, MessageLock $lock, callable $finish): Envelope
	{
		$others = $envelope->last(HandlerArgumentsStamp::class)?->getAdditionalArguments() ?? [];
		$acknowledge = $envelope->last(AckStamp::class);
		if ($acknowledge !== null) {
			$envelope = $envelope->withoutAll(AckStamp::class)->with(new AckStamp(
				static function (Envelope $envelope, ?Throwable $problem = null) use ($acknowledge, $finish): void {
					$finish($problem);
					$acknowledge->ack($envelope, $problem);
				},
			));
		}
		return $envelope->withoutAll(HandlerArgumentsStamp::class)->with(new HandlerArgumentsStamp([$lock, ...$others]));
	}

	private function finish(HeldLock $held, Requirement $required, Envelope $envelope, int $waited, ?Throwable $problem): void
	{
		$context = $this->context($required, $envelope) + [
			'wait_ms' => self::milliseconds($waited),
			'hold_ms' => self::milliseconds($held->age()),
			'fence' => $held->lock->fence,
		];
		if ($problem !== null && $required->keepForRetry && $envelope->last(ConsumedByWorkerStamp::class) !== null) {
			$this->keptLocks->keep($envelope->getMessage(), $held, $required->name);
			return;
		}
		try {
			$released = $held->mutex->release();
		} catch (Throwable $failure) {
			// The handler's fate is decided. The lease ends the lock.
			$this->logger?->warning(
				'Message {class}: lock "{lock}" could not be released: {problem}',
				$context + ['problem' => $failure->getMessage(), 'exception' => $failure],
			);
			return;
		}
		if ($released) {
			$this->logger?->info(
				'Message {class}: lock "{lock}" waited {wait_ms} ms, held {hold_ms} ms, fence {fence}.',
				$context,
			);
		} else {
			$this->logger?->warning(
				'Message {class}: lock "{lock}" was lost before the handler was done, after {hold_ms} ms: '
					. 'its TTL is too short, or it was taken away.',
				$context,
			);
		}
	}

	private function sendBack(Requirement $required, Envelope $envelope): Envelope
	{
		$transport = $envelope->last(ReceivedStamp::class)?->getTransportName();
		// A sync:// transport would handle it again at once, deeper and deeper.
		if ($transport === null || $envelope->last(ConsumedByWorkerStamp::class) === null) {
			throw new LockHeldElsewhereException($required->name, 'a message that is handled at once cannot come back later');
		}
		if (!$this->senders->has($transport)) {
			throw new LockHeldElsewhereException($required->name, "nothing can be sent to the transport \"$transport\"");
		}
		$count = $envelope->last(ContentionStamp::class)->count ?? 0;
		if ($this->limit !== null && $count >= $this->limit) {
			$exception = new LockHeldElsewhereException($required->name, "the message has been sent back $count times");
			throw new UnrecoverableMessageHandlingException($exception->getMessage(), 0, $exception);
		}
		$delay = $this->backoff->delay($count);
		$again = $envelope
			->withoutStampsOfType(NonSendableStampInterface::class)
			// Or the transport that it failed in would not take it a second time.
			->withoutAll(SentToFailureTransportStamp::class)
			->withoutAll(DelayStamp::class)
			->withoutAll(ContentionStamp::class)
			->with(new DelayStamp($delay), new ContentionStamp($count + 1));
		$this->senders->get($transport)->send($again);
		$this->logger?->info(
			'Message {class}: lock "{lock}" is held by somebody else, sent back for {delay_ms} ms (no. {count}).',
			$this->context($required, $envelope) + ['delay_ms' => $delay, 'count' => $count + 1],
		);
		return $envelope->with(new RequeuedStamp($required->name, $delay));
	}

	/** @return array{class: class-string, lock: string} */
	private function context(Requirement $required, Envelope $envelope): array
	{
		return ['class' => $envelope->getMessage()::class, 'lock' => $required->name];
	}

	private static function milliseconds(int $nanoseconds): float
	{
		return round($nanoseconds / 1e6, 1);
	}
}
