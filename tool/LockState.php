<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** What was seen of one lock at one moment. */
final class LockState
{
	/**
	 * @param string|null $token of the holder; on a quorum of a majority
	 * @param float|null $remaining seconds of lease, INF without end; null: not held
	 * @param int|null $fence the last one handed out
	 * @param bool $waiters somebody waits
	 * @param bool $reserved nobody holds it, but the first waiter is about to
	 * @param int|null $nodes on a quorum: how many nodes hold it for this holder
	 */
	public function __construct(
		public readonly string $name,
		#[\SensitiveParameter] public readonly ?string $token,
		public readonly ?float $remaining,
		public readonly ?int $fence,
		public readonly bool $waiters,
		public readonly bool $reserved,
		public readonly ?int $nodes = null,
	) {
	}

	public function held(): bool
	{
		return $this->token !== null;
	}

	public function owner(): ?string
	{
		return $this->token === null ? null : Text::owner($this->token);
	}

	public function word(): string
	{
		return $this->held() ? 'held' : ($this->reserved ? 'reserved' : 'free');
	}

	/** For programs; without the token, which is a secret. @return array<string, mixed> */
	public function forJson(): array
	{
		return Text::nameInJson($this->name) + [
			'held' => $this->held(),
			'reserved' => $this->reserved,
			'owner' => $this->owner(),
			'remaining' => $this->remaining === null || is_infinite($this->remaining) ? null : $this->remaining,
			'endless' => $this->remaining !== null && is_infinite($this->remaining),
			'fence' => $this->fence,
			'waiters' => $this->waiters,
		] + ($this->nodes === null ? [] : ['nodes' => $this->nodes]);
	}
}
