<?php
/* Instructions in user space per cycle in the client's process: callgrind, the difference of two lengths. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	if (trim((string) shell_exec('command -v valgrind')) === '') {
		$bench->report->row('instructions per cycle', '', 'not measured: valgrind is not installed', null);
		return;
	}
	$server = \RedisServer::start();
	$address = Address::unix($server);
	$count = function (array $command) use ($server): int {
		$log = "$server->dir/callgrind.log";
		$input = $command['input'] ?? '';
		$words = ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', "--log-file=$log", ...$command['words']];
		$process = proc_open($words, [['pipe', 'r'], ['file', '/dev/null', 'w'], STDERR], $pipes) ?: throw new \RuntimeException('cannot start valgrind');
		fwrite($pipes[0], $input);
		fclose($pipes[0]);
		proc_close($process) === 0 || throw new \RuntimeException(implode(' ', $words) . ' failed');
		return preg_match('/Collected : (\d+)/', (string) file_get_contents($log), $found) === 1 ? (int) $found[1] : throw new \RuntimeException('callgrind counted nothing');
	};
	[$short, $long] = [500, 1500];
	$difference = fn (\Closure $command) => ($count($command($long)) - $count($command($short))) / ($long - $short);
	$results = ['C on hiredis' => $difference(fn (int $cycles) => ['words' => [ProgramRunner::limitProgram(), 'unix', $address->host], 'input' => "$cycles\n"])];
	foreach (cycles() as $name => $class) {
		if ($class !== null && ($bench->peers || str_starts_with($name, 'redislock'))) {
			$results[$name] = $difference(fn (int $cycles) => ['words' => [...php_words(), __DIR__ . '/../../lib/one_cycle.php', $class, $address->host, (string) $cycles]]);
		}
	}
	foreach ($results as $name => $instructions) {
		$bench->report->row("$name: instructions per cycle", '', number_format($instructions), null);
	}
	$bench->plots['instructions'] = ['title' => 'instructions per acquire + release in the client', 'bars' => $results];
	$ours = $results['redislock, with fence'];
	if (isset($results['phpredis SET NX + evalSha'])) {
		$ratio = $ours / $results['phpredis SET NX + evalSha'];
		$bench->report->row('instructions against phpredis SET NX + evalSha', '≤ 0.9 ×', sprintf('%.2f ×', $ratio), $ratio <= 0.9);
	}
};
