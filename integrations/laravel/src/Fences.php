<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Events\CallQueuedListener;
use LogicException;
use RedisLock\LostException;
use RedisLock\Mutex;
use Throwable;
use WeakMap;

/**
 * The locks of the jobs that are running in this process. They are kept beside the job and not in it, so that they are
 * never serialized with it.
 *
 * @internal
 */
final class Fences
{
	/** @var WeakMap<object, array<string, Mutex|LocalFence>>|null job => name => lock, the innermost last */
	private static ?WeakMap $locks = null;

	/** Before the lock is taken, so that there is no moment in which it is held and nobody knows it. */
	public static function add(object $job, string $name, Mutex|LocalFence $lock): void
	{
		self::$locks ??= new WeakMap();
		self::$locks[$job] = (self::$locks[$job] ?? []) + [$name => $lock];
	}

	/** Ends what add() has begun. */
	public static function remove(object $job, string $name): void
	{
		$locks = self::$locks[$job] ?? [];
		unset($locks[$name]);
		if ($locks === []) {
			unset(self::$locks[$job]);
		} else {
			self::$locks[$job] = $locks;
		}
	}

	/** The job is done by then, so it has no say in this any more. */
	public static function giveBack(Mutex|LocalFence $lock, string $name): void
	{
		try {
			if (!$lock->release()) {
				report(new LostException("The lock \"$name\" was lost before the job was done: its lease was over, or it was taken away"));
			}
		} catch (Throwable $problem) {
			// Whether the job has failed is not a matter of its lock. The lease will end.
			report($problem);
		}
	}

	/** @throws LogicException if the job has no such lock now */
	public static function of(object $job, ?string $name): Mutex|LocalFence
	{
		$locks = self::locksOf($job);
		if ($name !== null) {
			return $locks[$name] ?? throw new LogicException(sprintf(
				'%s does not hold the lock "%s": it needs the middleware new Fenced(\'%2$s\'), and it holds it only while handle() runs',
				$job::class,
				$name,
			));
		}
		return match (count($locks)) {
			0 => throw new LogicException(sprintf(
				'%s has no fence: it needs the middleware Fenced, and it has a fence only while handle() runs',
				$job::class,
			)),
			1 => reset($locks),
			default => throw new LogicException(sprintf(
				'%s holds several locks, so say which one: %s',
				$job::class,
				implode(', ', array_keys($locks)),
			)),
		};
	}

	/** For a job that has run too long: its worker is about to end without any `finally`. */
	public static function releaseAll(): void
	{
		foreach (self::$locks ?? [] as $locks) {
			foreach ($locks as $name => $lock) {
				// Not one that the job is still waiting for.
				if ($lock->isHeld()) {
					self::giveBack($lock, (string) $name);
				}
			}
		}
	}

	/** @return array<string, Mutex|LocalFence> */
	private static function locksOf(object $job): array
	{
		if (isset(self::$locks[$job])) {
			return self::$locks[$job];
		}
		// An event listener in the queue: the middleware has seen the job that calls it.
		foreach (self::$locks ?? [] as $caller => $locks) {
			if ($caller instanceof CallQueuedListener && $job instanceof $caller->class) {
				return $locks;
			}
		}
		return [];
	}
}
