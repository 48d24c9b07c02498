<?php
/*
 * Compares what an analyser found with what right.php and wrong.php say that it must find.
 *
 *   php check.php phpstan|psalm < report.json
 *
 * Prints each difference. Exit status: 0 none, 1 some, 2 the report is not one.
 */
declare(strict_types=1);

[, $analyser] = $argv;
$report = json_decode((string) stream_get_contents(STDIN), true);
if (!is_array($report) || ($report['errors'] ?? []) !== []) {
	fwrite(STDERR, "$analyser gave no report: " . json_encode($report['errors'] ?? null) . "\n");
	exit(2);
}

/** Every finding as "file:line kind", with what was said. */
$found = [];
if ($analyser === 'phpstan') {
	foreach ($report['files'] as $file => $of_file) {
		foreach ($of_file['messages'] as $message) {
			$found[] = [basename($file) . ":$message[line] $message[identifier]", $message['message']];
		}
	}
} else {
	foreach ($report as $message) {
		if ($message['severity'] === 'error') {
			$found[] = [basename($message['file_path']) . ":$message[line_from] $message[type]", $message['message']];
		}
	}
}

$wanted = [];
foreach (['right.php', 'wrong.php'] as $file) {
	foreach (file(__DIR__ . "/$file") as $number => $line) {
		if (preg_match("~ // .*\\b$analyser: ([\\w. ]+)~", $line, $match)) {
			foreach (explode(' ', trim($match[1])) as $kind) {
				$wanted[] = $file . ':' . ($number + 1) . " $kind";
			}
		}
	}
}
$wanted !== [] || throw new LogicException('wrong.php expects nothing');

$differences = [
	...array_map(fn (string $what) => "not reported: $what", array_diff($wanted, array_column($found, 0))),
	...array_map(
		fn (array $what) => "reported, and should not be: $what[0] ($what[1])",
		array_filter($found, fn (array $what) => !in_array($what[0], $wanted, true)),
	),
];
echo implode('', array_map(fn (string $line) => "$line\n", $differences));
exit($differences === [] ? 0 : 1);
