<?php
/*
 * Processes of a benchmark: forks of the main one, which itself never uses what it measures. What they and the main
 * process say to each other goes over a socket, one line of JSON each.
 *
 * A server ends when the last copy of its pipe is closed, and every fork has one: a scene must let go of its crew
 * before its server, and of its server before the next crew is made. Local variables of one function do that.
 */
declare(strict_types=1);

namespace Bench;

/** One end of the line between the main process and a member of the crew. */
final class Line
{
	/** @param resource $stream */
	public function __construct(private $stream, public readonly int $pid)
	{
	}

	public function tell(mixed $value): void
	{
		fwrite($this->stream, json_encode($value, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION) . "\n");
	}

	/** Waits for what the other side says. */
	public function hear(float $seconds = 300.0): mixed
	{
		stream_set_timeout($this->stream, (int) $seconds);
		$line = fgets($this->stream);
		if ($line === false) {
			throw new \RuntimeException("process $this->pid said nothing within $seconds s, or is gone");
		}
		$value = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
		if (is_array($value) && isset($value['error'])) {
			throw new \RuntimeException("process $this->pid: $value[error]");
		}
		return $value;
	}

	public function ask(mixed $value): mixed
	{
		$this->tell($value);
		return $this->hear();
	}

	public function close(): void
	{
		fclose($this->stream);
	}
}

final class Crew
{
	/** @var array<int, Line> index => line, of all crews: a new member closes its copies */
	private static array $lines = [];
	/** @var list<Line> */
	public array $members = [];
	private int $owner;

	/** @param \Closure(Line, int): void $work what each does; its number, from 0 */
	public function __construct(int $count, private readonly \Closure $work)
	{
		$this->owner = posix_getpid();
		for ($i = 0; $i < $count; $i++) {
			$this->members[] = $this->start($i);
		}
	}

	private function start(int $index): Line
	{
		[$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
		$pid = pcntl_fork();
		if ($pid === 0) {
			foreach (self::$lines as $line) {
				$line->close();
			}
			fclose($ours);
			$line = new Line($theirs, posix_getppid());
			try {
				($this->work)($line, $index);
			} catch (\Throwable $thrown) {
				$line->tell(['error' => get_class($thrown) . ': ' . $thrown->getMessage() . ' at ' . basename($thrown->getFile()) . ':' . $thrown->getLine()]);
			}
			// The destructors belong to the main process.
			posix_kill(posix_getpid(), SIGKILL);
		}
		fclose($theirs);
		return self::$lines[$pid] = new Line($ours, $pid);
	}

	/** Puts another one in the place of one that was killed. */
	public function replace(int $index): void
	{
		$this->reap($this->members[$index]);
		$this->members[$index] = $this->start($index);
	}

	private function reap(Line $member): void
	{
		posix_kill($member->pid, SIGKILL);
		pcntl_waitpid($member->pid, $status);
		$member->close();
		unset(self::$lines[$member->pid]);
	}

	/** Says the same to all. */
	public function tell(mixed $value): void
	{
		foreach ($this->members as $member) {
			$member->tell($value);
		}
	}

	/** Waits for what each of them says. @return list<mixed> */
	public function hear(): array
	{
		return array_map(fn (Line $member) => $member->hear(), $this->members);
	}

	/** @return list<mixed> */
	public function ask(mixed $value): array
	{
		$this->tell($value);
		return $this->hear();
	}

	public function __destruct()
	{
		if (posix_getpid() === $this->owner) {
			foreach ($this->members as $member) {
				$this->reap($member);
			}
		}
	}
}
