<?php
/* Many wait for the lock of one library; its holder gives it back, and each that gets it gives it back at once. */
declare(strict_types=1);

namespace Bench;

final class Crowd
{
	/**
	 * Hand-overs a second, in one round after another.
	 *
	 * @param class-string<Contender> $class
	 * @param int $settle microseconds after which, at the soonest, the holder gives the lock back: all are waiting by then
	 * @return list<float>
	 */
	public static function rates(Bench $bench, string $class, string $socket, int $waiters, int $rounds, int $settle): array
	{
		$arena = new Arena();
		$crew = new Crew($waiters + 1, static function (Line $boss, int $index) use ($class, $socket, $arena, $waiters): void {
			$contender = new $class($socket);
			$boss->tell('ready');
			for (;;) {
				$boss->hear();
				$contender->run(static function (int $fence) use ($boss, $arena, $index, $waiters): void {
					$arena->set(Arena::ACQUIRED_AT, hrtime(true));
					$arena->enter($fence);
					if ($index === $waiters) {
						$boss->ask('taken');
						$arena->set(Arena::RELEASED_AT, hrtime(true));
					}
					$arena->leave();
				});
			}
		});
		$crew->hear();
		$holder = array_pop($crew->members);
		$rates = [];
		for ($round = 0; $round < $rounds; $round++) {
			$holder->ask('take');
			$served = $arena->count() + $waiters;
			$crew->tell('wait');
			usleep($settle + mt_rand(0, 300_000));   // those that poll are at any point between two tries
			$holder->tell('release');
			wait_until(fn () => $arena->count() === $served, 'all were served', 240.0);
			$rates[] = $waiters / (($arena->get(Arena::ACQUIRED_AT) - $arena->get(Arena::RELEASED_AT)) / 1e9);
		}
		$crew->members[] = $holder;
		$bench->count($arena);
		return $rates;
	}
}
