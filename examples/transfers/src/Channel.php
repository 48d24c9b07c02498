<?php
declare(strict_types=1);

namespace Transfers;

use RuntimeException;

/** One end of the pipe between the conductor and a worker: messages, each a line of JSON. */
final class Channel
{
	/** A worker may wait for its next transfer for as long as it takes; PHP's own limit would be a minute. */
	private const PATIENCE = 86_400;

	/** @param resource $stream */
	private function __construct(private $stream)
	{
		stream_set_timeout($stream, self::PATIENCE);
	}

	/** @return array{self, self} */
	public static function pair(): array
	{
		$streams = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
		if ($streams === false) {
			throw new RuntimeException('no socket pair to be had');
		}
		return array_map(fn ($stream) => new self($stream), $streams);
	}

	public function send(array $message): void
	{
		$line = json_encode($message, JSON_THROW_ON_ERROR) . "\n";
		// If the other end is gone, its owner finds out by receive(), or by waiting for the process.
		@fwrite($this->stream, $line);
	}

	/** Null: the other end is closed. */
	public function receive(): ?array
	{
		$line = fgets($this->stream);
		// Half a line: the sender died while it wrote.
		if ($line === false || !str_ends_with($line, "\n")) {
			return null;
		}
		return json_decode($line, true, flags: JSON_THROW_ON_ERROR);
	}

	public function close(): void
	{
		fclose($this->stream);
	}

	/**
	 * Waits until one of the channels has something to receive.
	 *
	 * @template K of array-key
	 * @param array<K, self> $channels
	 * @return list<K> empty: a signal came, or the time is over
	 */
	public static function waitForAny(array $channels, float $seconds): array
	{
		$streams = array_map(fn (self $channel) => $channel->stream, $channels);
		$none = null;
		$micros = (int) max(0.0, $seconds * 1_000_000);
		$count = @stream_select($streams, $none, $none, intdiv($micros, 1_000_000), $micros % 1_000_000);
		return $count > 0 ? array_keys($streams) : [];
	}
}
