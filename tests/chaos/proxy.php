<?php
/* The process behind Chaos\Proxy: php proxy.php UPSTREAM-SOCKET PORT-FILE. Takes orders on its standard input. */
declare(strict_types=1);

/** One direction of a connection. */
final class Half
{
	public ?Half $other = null;

	/** @var list<array{float, string}> when it may go on, and what */
	public array $parcels = [];

	public bool $ended = false;

	/** @param resource $stream */
	public function __construct(public $stream)
	{
		stream_set_blocking($stream, false);
		stream_set_write_buffer($stream, 0);
		stream_set_read_buffer($stream, 0);
	}
}

[, $upstream, $portFile] = $argv;
$listener = stream_socket_server('tcp://127.0.0.1:0') ?: exit(1);
$name = stream_socket_get_name($listener, false);
file_put_contents("$portFile.new", substr($name, strrpos($name, ':') + 1));
rename("$portFile.new", $portFile);
stream_set_blocking(STDIN, false);

/** @var array<int, Half> $halves by the number of the stream */
$halves = [];
$delay = 0.0;
$holding = false;
$orders = '';

$close = function (Half $half) use (&$halves): void {
	foreach ([$half, $half->other] as $each) {
		unset($halves[(int) $each->stream]);
		if (is_resource($each->stream)) {
			fclose($each->stream);
		}
	}
};

while (true) {
	$now = hrtime(true) / 1e9;
	$wait = 60.0;
	if (!$holding) {
		foreach ($halves as $half) {
			while ($half->parcels !== [] && isset($halves[(int) $half->stream])) {
				if ($half->parcels[0][0] > $now) {
					$wait = min($wait, $half->parcels[0][0] - $now);
					break;
				}
				$written = @fwrite($half->stream, $half->parcels[0][1]);
				if ($written === false) {
					$close($half);
					break;
				}
				$rest = substr($half->parcels[0][1], $written);
				if ($rest === '') {
					array_shift($half->parcels);
				} else {
					$half->parcels[0][1] = $rest;
					$wait = min($wait, 0.005);
					break;
				}
			}
			if ($half->parcels === [] && $half->other->ended && isset($halves[(int) $half->stream])) {
				$close($half);
			}
		}
	}
	$read = [STDIN, $listener];
	foreach ($halves as $half) {
		if (!$half->ended) {
			$read[] = $half->stream;
		}
	}
	$write = $except = null;
	if (@stream_select($read, $write, $except, (int) $wait, (int) (fmod($wait, 1.0) * 1e6) + 200) === false) {
		continue;
	}
	foreach ($read as $stream) {
		if ($stream === STDIN) {
			$bytes = fread(STDIN, 65536);
			if (($bytes === '' || $bytes === false) && feof(STDIN)) {
				exit(0);
			}
			$orders .= $bytes;
			while (($end = strpos($orders, "\n")) !== false) {
				$words = explode(' ', substr($orders, 0, $end), 2);
				$orders = substr($orders, $end + 1);
				switch ($words[0]) {
					case 'cut':
						foreach ($halves as $half) {
							$close($half);
						}
						break;
					case 'delay':
						$delay = $words[1] / 1000;
						break;
					case 'hold':
						$holding = true;
						break;
					case 'resume':
						$holding = false;
						break;
					case 'upstream':
						$upstream = $words[1];
						break;
				}
			}
		} elseif ($stream === $listener) {
			$client = @stream_socket_accept($listener, 0.0);
			if ($client === false) {
				continue;
			}
			$server = @stream_socket_client("unix://$upstream", $number, $text, 0.5);
			if ($server === false) {
				// The client sees a connection that ends at once, as with a server that is dying.
				fclose($client);
				continue;
			}
			[$a, $b] = [new Half($client), new Half($server)];
			$a->other = $b;
			$b->other = $a;
			$halves[(int) $client] = $a;
			$halves[(int) $server] = $b;
		} elseif (isset($halves[(int) $stream])) {
			$half = $halves[(int) $stream];
			$bytes = @fread($stream, 65536);
			if ($bytes === false || ($bytes === '' && feof($stream))) {
				$half->ended = true;
			} elseif ($bytes !== '') {
				$half->other->parcels[] = [hrtime(true) / 1e9 + $delay, $bytes];
			}
		}
	}
}
