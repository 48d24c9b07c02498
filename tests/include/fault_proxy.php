<?php
/*
 * A proxy in front of a redis-server that makes faults to order. The test's side is fault_proxy.inc.
 *
 *     php fault_proxy.php UNIX_SOCKET tcp|- UPSTREAM_SOCKET
 *
 * It cuts both streams into commands and replies, asks its rules about each of them as it arrives, and passes it on,
 * holds it back, breaks it or loses it. On one connection nothing overtakes anything, and the next command goes to the
 * server when the one before was answered. What a client wrote before it closed still arrives, all at once, as in a
 * network; a reply that finds its client gone resets the connection, and what the server has not got by then is lost.
 *
 * Orders come as lines of JSON on the standard input, and each is answered by one line. Its end ends the proxy.
 */
declare(strict_types=1);

/** When a fault happens, and which. */
final class Rule
{
	public int $matched = 0;

	/** @param array<string, mixed> $with what the fault needs: ms, keep, bytes */
	public function __construct(
		public readonly string $where,
		public readonly string $on,
		public readonly ?string $contains,
		public readonly int $skip,
		public readonly int $times,
		public readonly string $do,
		public readonly array $with,
	) {
	}

	public function takes(string $name, string $bytes): bool
	{
		if ($this->on !== '*' && $this->on !== $name) {
			return false;
		}
		if ($this->contains !== null && !str_contains($bytes, $this->contains)) {
			return false;
		}
		$this->matched++;
		return $this->matched > $this->skip;
	}

	public function isSpent(): bool
	{
		return $this->times > 0 && $this->matched >= $this->skip + $this->times;
	}
}

/** One command, or one reply, on its way. */
final class Parcel
{
	public string $do = 'pass';
	/** @var array<string, mixed> */
	public array $with = [];
	/** When it may go on, in seconds of the monotonic clock. */
	public float $due = 0.0;
	/** The order in which parcels were held back. */
	public int $heldAs = 0;

	/** @param list<string> $words of the command; of a reply, those of what it answers */
	public function __construct(
		public string $bytes,
		public readonly string $name,
		public readonly array $words,
		public readonly bool $isReply,
	) {
	}
}

/** One connection of a client, and the one to the server that belongs to it. */
final class Link
{
	/** @var resource|null */
	public $client;
	/** @var resource|null null: not yet, or closed */
	public $server = null;
	/** The server was told that nothing more comes. */
	public bool $ended = false;
	/** Closes as soon as the client has sent a byte. */
	public bool $hangsUp = false;
	/** Nothing gets through any more, and nobody is told. */
	public bool $black = false;
	public string $fromClient = '';
	public string $fromServer = '';
	/** @var list<Parcel> */
	public array $commands = [];
	/** @var list<Parcel> */
	public array $replies = [];
	/** @var list<Parcel> what the server has to answer; at most one command while the client is there */
	public array $unanswered = [];

	/** @param resource $client */
	public function __construct(public readonly int $id, $client)
	{
		$this->client = $client;
	}
}

/** Where the first complete command of the buffer ends. Null: it is not complete. @param list<string> $words */
function end_of_command(string $buffer, ?array &$words): ?int
{
	$words = [];
	$line = strpos($buffer, "\r\n");
	if ($line === false) {
		return null;
	}
	if ($buffer[0] !== '*') {
		$words = preg_split('/ +/', substr($buffer, 0, $line));
		return $line + 2;
	}
	$at = $line + 2;
	for ($left = (int) substr($buffer, 1, $line - 1); $left > 0; $left--) {
		$line = strpos($buffer, "\r\n", $at);
		if ($line === false) {
			return null;
		}
		$length = (int) substr($buffer, $at + 1, $line - $at - 1);
		$at = $line + 2 + $length + 2;
		if ($at > strlen($buffer)) {
			return null;
		}
		$words[] = substr($buffer, $line + 2, $length);
	}
	return $at;
}

/** Where the reply that begins at $at ends. Null: it is not complete. */
function end_of_reply(string $buffer, int $at = 0): ?int
{
	$line = strpos($buffer, "\r\n", $at);
	if ($line === false) {
		return null;
	}
	$number = (int) substr($buffer, $at + 1, $line - $at - 1);
	$next = $line + 2;
	switch ($buffer[$at]) {
		case '$':
			$next += $number < 0 ? 0 : $number + 2;
			return $next <= strlen($buffer) ? $next : null;
		case '*':
			for (; $number > 0 && $next !== null; $number--) {
				$next = $next < strlen($buffer) ? end_of_reply($buffer, $next) : null;
			}
			return $next;
	}
	return $next;
}

final class Proxy
{
	/** @var list<resource> */
	private array $listeners = [];
	/** @var array<int, Link> */
	private array $links = [];
	/** @var array<int, Rule> */
	private array $rules = [];
	/** @var array<string, string> SHA-1 of a script => name */
	private array $scripts = [];
	private ?string $learning = null;
	/** @var list<array{link: int, name: string, words: list<string>}> every command that arrived */
	private array $log = [];
	private bool $logging = true;
	/** @var array<string, int> */
	private array $arrived = [], $answered = [];
	private int $linkCount = 0, $heldCount = 0;
	/** @var array<string, mixed>|null what the test waits for */
	private ?array $wish = null;
	private float $wishEnds = 0.0;
	private string $orders = '';
	private ?Random\Randomizer $dice = null;
	/** @var array<string, mixed> */
	private array $odds = [];
	private int $faults = 0;

	public function __construct(
		private readonly string $socket,
		private ?int $port,
		private string $upstream,
	) {
		$this->listen();
	}

	public function port(): ?int
	{
		return $this->port;
	}

	private function listen(): void
	{
		$this->listeners[] = stream_socket_server("unix://$this->socket") ?: throw new RuntimeException("cannot listen on $this->socket");
		if ($this->port !== null) {
			$tcp = stream_socket_server("tcp://127.0.0.1:$this->port") ?: throw new RuntimeException('cannot listen on TCP');
			$name = stream_socket_get_name($tcp, false);
			$this->port = (int) substr($name, strrpos($name, ':') + 1);
			$this->listeners[] = $tcp;
		}
	}

	private function deafen(): void
	{
		array_map('fclose', $this->listeners);
		$this->listeners = [];
		@unlink($this->socket);
	}

	public function run(): void
	{
		stream_set_blocking(STDIN, false);
		for ($ready = $waited = 0;;) {
			$this->move();
			$this->grantWish($ready === 0);
			$read = [STDIN, ...$this->listeners];
			foreach ($this->links as $link) {
				if ($link->client !== null) {
					$read[] = $link->client;
				}
				if ($link->server !== null) {
					$read[] = $link->server;
				}
			}
			$wait = $this->timeToNext();
			$write = $except = null;
			$ready = @stream_select($read, $write, $except, $wait === null ? null : (int) $wait, $wait === null ? 0 : (int) (fmod($wait, 1.0) * 1e6));
			if ($ready === false) {
				continue;
			}
			// What was written before an order comes before it: so the order has to wait until there is nothing else.
			$isOrdered = in_array(STDIN, $read, true);
			$waited = $isOrdered ? $waited + 1 : 0;
			if ($isOrdered && (count($read) === 1 || $waited > 1000)) {
				$waited = 0;
				if (!$this->takeOrders()) {
					$this->deafen();
					return;
				}
			}
			foreach ($this->listeners as $listener) {
				if (in_array($listener, $read, true)) {
					$this->accept($listener);
				}
			}
			foreach ($this->links as $link) {
				if ($link->client !== null && in_array($link->client, $read, true)) {
					$this->readClient($link);
				}
				if ($link->server !== null && in_array($link->server, $read, true)) {
					$this->readServer($link);
				}
			}
		}
	}

	/* What the test says. */

	private function takeOrders(): bool
	{
		$bytes = fread(STDIN, 1 << 20);
		if ($bytes === false || $bytes === '') {
			return !feof(STDIN);
		}
		$this->orders .= $bytes;
		while (($end = strpos($this->orders, "\n")) !== false) {
			$order = json_decode(substr($this->orders, 0, $end), true, 512, JSON_THROW_ON_ERROR);
			$this->orders = substr($this->orders, $end + 1);
			$this->obey($order);
		}
		return true;
	}

	private function answer(mixed $value): void
	{
		fwrite(STDOUT, json_encode($value, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
	}

	/** @param array<string, mixed> $order */
	private function obey(array $order): void
	{
		$answer = true;
		switch ($order['order']) {
			case 'rule':
				$with = $order['with'];
				if (isset($with['bytes'])) {
					$with['bytes'] = base64_decode($with['bytes'], true);
				}
				$this->rules[] = new Rule($order['where'], $order['on'], $order['contains'], $order['skip'], $order['times'], $order['do'], $with);
				break;
			case 'clear':
				$this->rules = [];
				$this->dice = null;
				break;
			case 'wait':
				$this->wish = $order;
				$this->wishEnds = $this->now() + $order['seconds'];
				return;
			case 'release':
				$answer = $this->release($order['count']);
				break;
			case 'log':
				$answer = $this->log;
				break;
			case 'forget':
				$this->log = $this->arrived = $this->answered = [];
				break;
			case 'logging':
				$this->logging = $order['on'];
				break;
			case 'count':
				$answer = $this->arrived[$order['name']] ?? 0;
				break;
			case 'clients':
				$answer = $this->clients();
				break;
			case 'learn':
				$this->learning = $order['name'];
				break;
			case 'scripts':
				$answer = $this->scripts;
				break;
			case 'say':
				foreach ($this->links as $link) {
					$this->give($link, base64_decode($order['bytes'], true));
				}
				break;
			case 'hang-up':
				array_map($this->close(...), $this->links);
				break;
			case 'deafen':
				$this->deafen();
				break;
			case 'listen':
				$this->listen();
				break;
			case 'upstream':
				$this->upstream = $order['socket'];
				break;
			case 'random':
				$this->dice = new Random\Randomizer(new Random\Engine\Mt19937($order['seed']));
				$this->odds = $order['odds'];
				break;
			case 'faults':
				$answer = $this->faults;
				break;
			default:
				throw new RuntimeException("unknown order $order[order]");
		}
		$this->answer($answer);
	}

	/** @param bool $idle nothing had arrived at the last look */
	private function grantWish(bool $idle): void
	{
		if ($this->wish === null) {
			return;
		}
		$value = match ($this->wish['for']) {
			'held' => count($this->held()),
			'clients' => $this->clients(),
			'arrived' => $this->arrived[$this->wish['name']] ?? 0,
			'answered' => $this->answered[$this->wish['name']] ?? 0,
			'quiet' => $idle && $this->isQuiet() ? 1 : 0,
		};
		$granted = $this->wish['for'] === 'clients' ? $value === $this->wish['count'] : $value >= $this->wish['count'];
		if ($granted || $this->now() >= $this->wishEnds) {
			$this->wish = null;
			$this->answer(['granted' => $granted, 'value' => $value]);
		}
	}

	/** @return list<Parcel> everything that is held back, the first one first */
	private function held(): array
	{
		$held = [];
		foreach ($this->links as $link) {
			foreach ([...$link->commands, ...$link->replies] as $parcel) {
				if ($parcel->do === 'hold') {
					$held[] = $parcel;
				}
			}
		}
		usort($held, fn (Parcel $a, Parcel $b) => $a->heldAs <=> $b->heldAs);
		return $held;
	}

	private function release(int $count): int
	{
		$held = $this->held();
		$held = $count === 0 ? $held : array_slice($held, 0, $count);
		foreach ($held as $parcel) {
			$parcel->do = $parcel->with['then'] ?? 'pass';
		}
		return count($held);
	}

	private function clients(): int
	{
		return count(array_filter($this->links, fn (Link $link) => $link->client !== null));
	}

	/** Nothing moves any more unless somebody says so. */
	private function isQuiet(): bool
	{
		foreach ($this->links as $link) {
			if ($link->black) {
				continue;
			}
			foreach ([$link->commands[0] ?? null, $link->replies[0] ?? null] as $parcel) {
				if ($parcel !== null && $parcel->do !== 'hold') {
					return false;
				}
			}
			if ($link->unanswered !== []) {
				return false;
			}
		}
		return true;
	}

	/* Connections. */

	/** @param resource $listener */
	private function accept($listener): void
	{
		$client = @stream_socket_accept($listener, 0.0);
		if ($client === false) {
			return;
		}
		stream_set_blocking($client, false);
		// Before the rule is asked: it may want to close the new one.
		$link = $this->links[$this->linkCount] = new Link($this->linkCount, $client);
		$this->linkCount++;
		$rule = $this->rule('connect', '', '');
		switch ($rule?->do) {
			case null:
				break;
			case 'ignore':
				$link->black = true;
				return;
			case 'hang-up':
				$link->hangsUp = true;
				return;
			case 'close':
				$this->close($link);
				return;
			case 'say':
				$this->give($link, $rule->with['bytes']);
				$this->close($link);
				return;
			default:
				throw new RuntimeException("a connection cannot $rule->do");
		}
		$this->connect($link);
	}

	private function connect(Link $link): void
	{
		$server = @stream_socket_client("unix://$this->upstream", $number, $text, 5.0);
		if ($server === false) {
			$this->close($link);
			return;
		}
		stream_set_blocking($server, false);
		$link->server = $server;
	}

	private function close(Link $link): void
	{
		foreach ([$link->client, $link->server] as $stream) {
			if ($stream !== null) {
				fclose($stream);
			}
		}
		$link->client = $link->server = null;
		unset($this->links[$link->id]);
	}

	/** @param resource $stream @return string|null null: the other side has closed */
	private function read($stream): ?string
	{
		$bytes = @fread($stream, 1 << 16);
		return $bytes === false || ($bytes === '' && feof($stream)) ? null : $bytes;
	}

	/** @param resource $stream */
	private function write($stream, string $bytes): bool
	{
		$end = $this->now() + 5.0;
		while ($bytes !== '') {
			$written = @fwrite($stream, $bytes);
			if ($written === false) {
				return false;
			}
			$bytes = substr($bytes, $written);
			if ($written === 0) {
				$read = $except = null;
				$writable = [$stream];
				// A full pipe to somebody who does not read: the proxy has others to serve.
				if ($this->now() > $end || !@stream_select($read, $writable, $except, 1)) {
					return false;
				}
			}
		}
		return true;
	}

	/** Bytes for the client. */
	private function give(Link $link, string $bytes): void
	{
		if ($link->client === null ? !$link->ended : !$this->write($link->client, $bytes)) {
			$this->close($link);
		}
	}

	private function readClient(Link $link): void
	{
		$bytes = $this->read($link->client);
		if ($link->hangsUp || ($link->black && $bytes === null)) {
			$this->close($link);
			return;
		}
		if ($bytes === null) {
			fclose($link->client);
			$link->client = null;
			return;
		}
		if ($link->black) {
			return;
		}
		$link->fromClient .= $bytes;
		while ($link->fromClient !== '' && ($end = end_of_command($link->fromClient, $words)) !== null) {
			$command = new Parcel(substr($link->fromClient, 0, $end), $this->nameOf($words), $words, false);
			$link->fromClient = substr($link->fromClient, $end);
			$link->commands[] = $command;
			$this->arrived[$command->name] = ($this->arrived[$command->name] ?? 0) + 1;
			$this->arrived['*'] = ($this->arrived['*'] ?? 0) + 1;
			if ($this->logging) {
				$this->log[] = ['link' => $link->id, 'name' => $command->name, 'words' => $words];
			}
			$this->decide($command, 'command');
		}
	}

	private function readServer(Link $link): void
	{
		$bytes = $this->read($link->server);
		if ($bytes === null) {
			fclose($link->server);
			$link->server = null;
			return;
		}
		if ($link->black) {
			return;
		}
		$link->fromServer .= $bytes;
		while ($link->fromServer !== '' && ($end = end_of_reply($link->fromServer)) !== null) {
			$command = array_shift($link->unanswered);
			$reply = new Parcel(substr($link->fromServer, 0, $end), $command->name ?? '', $command->words ?? [], true);
			$link->fromServer = substr($link->fromServer, $end);
			$link->replies[] = $reply;
			$this->answered[$reply->name] = ($this->answered[$reply->name] ?? 0) + 1;
			$this->decide($reply, 'reply');
		}
	}

	/** @param list<string> $words */
	private function nameOf(array $words): string
	{
		$name = strtoupper($words[0] ?? '');
		if ($name === 'EVAL') {
			$hash = sha1($words[1] ?? '');
			if ($this->learning !== null && !isset($this->scripts[$hash])) {
				$this->scripts[$hash] = $this->learning;
				$this->learning = null;
			}
			return $this->scripts[$hash] ?? 'script';
		}
		return $name === 'EVALSHA' ? $this->scripts[$words[1] ?? ''] ?? 'script' : $name;
	}

	/* Faults. */

	private function rule(string $where, string $name, string $bytes): ?Rule
	{
		foreach ($this->rules as $i => $rule) {
			if ($rule->where === $where && $rule->takes($name, $bytes)) {
				if ($rule->isSpent()) {
					unset($this->rules[$i]);
				}
				return $rule;
			}
		}
		return null;
	}

	private function decide(Parcel $parcel, string $where): void
	{
		// A reply is asked for by what it answers: the words of its command are what a test can tell it by.
		$rule = $this->rule($where, $parcel->name, $where === 'reply' ? implode("\n", $parcel->words) : $parcel->bytes);
		if ($rule !== null) {
			$parcel->do = $rule->do;
			$parcel->with = $rule->with;
		} elseif ($this->dice !== null) {
			$this->throwDice($parcel, $where);
		}
		if ($parcel->do === 'hold') {
			$parcel->heldAs = ++$this->heldCount;
		} elseif ($parcel->do === 'delay') {
			$parcel->due = $this->now() + $parcel->with['ms'] / 1000;
		}
	}

	private function throwDice(Parcel $parcel, string $where): void
	{
		$throw = $this->dice->getInt(0, 999_999) / 1e6;
		foreach ($this->odds[$where] as $do => $odds) {
			if ($throw < $odds) {
				$this->faults++;
				$parcel->do = $do;
				$parcel->with = match ($do) {
					'delay' => ['ms' => $this->dice->getInt(1, $this->odds['ms'])],
					'truncate' => ['keep' => $this->dice->getInt(1, max(1, strlen($parcel->bytes) - 1))],
					default => [],
				};
				return;
			}
			$throw -= $odds;
		}
	}

	/** Moves everything that can move. */
	private function move(): void
	{
		foreach ($this->links as $link) {
			while ($this->moveReply($link) || $this->moveCommand($link)) {
			}
			if (isset($this->links[$link->id]) && !$link->black && !$link->hangsUp) {
				$this->closeIfOver($link);
			}
		}
	}

	private function moveCommand(Link $link): bool
	{
		$command = $link->commands[0] ?? null;
		if ($command === null || $link->black || $link->server === null || !$this->mayGo($command)) {
			return false;
		}
		if ($link->unanswered !== [] && $link->client !== null) {
			return false;
		}
		array_shift($link->commands);
		switch ($command->do) {
			case 'pass':
			case 'delay':
				$link->unanswered[] = $command;
				// If the server is gone, the next look at it will tell.
				$this->write($link->server, $command->bytes);
				return true;
			case 'answer':
				$this->give($link, $command->with['bytes']);
				return true;
			case 'cut':
				$this->close($link);
				return false;
			case 'truncate':
				$this->write($link->server, substr($command->bytes, 0, $command->with['keep']));
				$this->close($link);
				return false;
			case 'swallow':
				$link->black = true;
				return false;
		}
		throw new RuntimeException("a command cannot $command->do");
	}

	private function moveReply(Link $link): bool
	{
		$reply = $link->replies[0] ?? null;
		if ($reply === null || $link->black || !$this->mayGo($reply)) {
			return false;
		}
		if ($reply->do === 'drip') {
			$this->give($link, substr($reply->bytes, 0, 1));
			$reply->bytes = substr($reply->bytes, 1);
			$reply->due = $this->now() + $reply->with['ms'] / 1000;
			if ($reply->bytes === '') {
				array_shift($link->replies);
			}
			return true;
		}
		array_shift($link->replies);
		switch ($reply->do) {
			case 'pass':
			case 'delay':
				$this->give($link, $reply->bytes);
				return true;
			case 'replace':
				$this->give($link, $reply->with['bytes']);
				return true;
			case 'append':
				$this->give($link, $reply->bytes . $reply->with['bytes']);
				return true;
			case 'cut':
				$this->close($link);
				return false;
			case 'truncate':
				$this->give($link, substr($reply->bytes, 0, $reply->with['keep']));
				$this->close($link);
				return false;
			case 'swallow':
				$link->black = true;
				return false;
		}
		throw new RuntimeException("a reply cannot $reply->do");
	}

	private function mayGo(Parcel $parcel): bool
	{
		return $parcel->do !== 'hold' && $this->now() >= $parcel->due;
	}

	private function closeIfOver(Link $link): void
	{
		if ($link->server === null) {
			// The server has closed: what it still said goes first.
			if ($link->replies === []) {
				$this->close($link);
			}
		} elseif ($link->client === null && $link->commands === [] && !$link->ended) {
			// What is under way is still answered, and the server closes then.
			$link->ended = true;
			stream_socket_shutdown($link->server, STREAM_SHUT_WR);
		}
	}

	private function now(): float
	{
		return hrtime(true) / 1e9;
	}

	/** Seconds until something has to be done without anybody saying so. */
	private function timeToNext(): ?float
	{
		if (($this->wish['for'] ?? '') === 'quiet' && $this->isQuiet()) {
			return 0.0;
		}
		$next = $this->wish === null ? INF : $this->wishEnds;
		foreach ($this->links as $link) {
			foreach ([$link->commands[0] ?? null, $link->replies[0] ?? null] as $parcel) {
				if ($parcel !== null && !$link->black && $parcel->due > 0.0) {
					$next = min($next, $parcel->due);
				}
			}
		}
		return $next === INF ? null : max(0.0, $next - $this->now()) + 0.0005;
	}
}

[, $socket, $tcp, $upstream] = $argv;
$proxy = new Proxy($socket, $tcp === 'tcp' ? 0 : null, $upstream);
fwrite(STDOUT, json_encode(['port' => $proxy->port()]) . "\n");
$proxy->run();
@rmdir(dirname($socket));
