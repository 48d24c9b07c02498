<?php
/*
 * Checks what ops/ offers against what the extension really says.
 *
 *   php OPTIONS run.php PROMTOOL SOCKET
 *
 * OPTIONS load the extension with redislock.stats_groups=1; SOCKET is that of a Redis server. Prints what is wrong, one
 * problem a line, and how much was checked on the last line. Exit status 0: nothing is wrong.
 */
declare(strict_types=1);

const OPS = __DIR__ . '/../../ops';

[, $promtool, $socket] = $argv;
$folder = sys_get_temp_dir() . '/redislock-ops-' . bin2hex(random_bytes(6));
mkdir($folder, 0700);
register_shutdown_function(function () use ($folder) {
	array_map('unlink', glob("$folder/*"));
	rmdir($folder);
});
$problems = [];
$checked = 0;

function expect(bool $holds, string $problem): void
{
	global $problems, $checked;
	$checked++;
	if (!$holds) {
		$problems[] = $problem;
	}
}

/** Runs promtool. Every word that it says about a success it says about each thing it has checked. */
function promtool(string $input, string ...$arguments): array
{
	global $promtool, $folder;
	file_put_contents("$folder/input", $input);
	$process = proc_open([$promtool, ...$arguments], [['file', "$folder/input", 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
	$output = stream_get_contents($pipes[1]);
	return ['output' => $output, 'status' => proc_close($process)];
}

/** The numbers after some use, with groups of names that are hard to write. */
function use_locks(string $socket): string
{
	$client = new RedisLock\Client("unix://$socket", 'ops-' . bin2hex(random_bytes(4)) . ':');
	foreach (['invoice', 'user', "quote\"backslash\\newline\n", "\xff\xfe\x00", 'größe€🔒', '{a="b",c="d"}', '# HELP x', ' ', '42'] as $group) {
		for ($i = 0; $i < 5; $i++) {
			$lock = $client->lock("$group:$i", 10.0);
			$lock->acquire();
			$client->lock("$group:$i")->acquire();
			$lock->release();
		}
	}
	return RedisLock::metrics();
}

/** The metrics that an expression asks for, without the endings of histograms. @return list<string> */
function metrics_in(string $expression, array $histograms): array
{
	preg_match_all('/\bredislock_\w+/', $expression, $found);
	return array_map(function (string $name) use ($histograms): string {
		$base = preg_replace('/_(bucket|sum|count)$/', '', $name);
		return in_array($base, $histograms, true) ? $base : $name;
	}, $found[0]);
}

// The metrics, as promtool reads them. It also knows what is good style.
$text = use_locks($socket);
$ran = promtool($text, 'check', 'metrics');
expect($ran['status'] === 0 && $ran['output'] === '', "promtool check metrics: exit status $ran[status] $ran[output]");
// And it does notice: a promtool that says yes to everything would prove nothing.
expect(promtool($text . "redislock_bad{group=\"\xff\"} 1\n", 'check', 'metrics')['status'] !== 0, 'promtool accepts invalid UTF-8');
expect(promtool('', 'check', 'metrics')['status'] === 0 && strlen($text) > 10_000, 'there are hardly any metrics');
preg_match_all('/^# TYPE (\w+) (\w+)$/m', $text, $found);
$types = array_combine($found[1], $found[2]);
$histograms = array_keys($types, 'histogram', true);

// What the stub tells an analyser of stats() is what there is: the same names in the same order.
function names_in(array $stats): array
{
	$names = [];
	foreach ($stats as $name => $value) {
		array_push($names, $name, ...(is_array($value) && $name !== 'buckets' ? names_in($name === 'groups' ? reset($value) : $value) : []));
	}
	return $names;
}
preg_match('~@return array\{(attempts.*?)\*/\s*public static function stats\(~s', file_get_contents(__DIR__ . '/../../stubs/redislock.stub.php'), $found);
preg_match_all('/(\w+)\??:/', $found[1] ?? '', $told);
expect($told[1] === names_in(RedisLock::stats()), 'the stub tells other keys of stats() than there are: ' . json_encode(array_diff(names_in(RedisLock::stats()), $told[1])));

// The alerts.
foreach (['redislock.rules.yml' => ['check', 'rules'], 'redislock.rules.test.yml' => ['test', 'rules']] as $file => $command) {
	$ran = promtool('', ...[...$command, OPS . "/$file"]);
	expect($ran['status'] === 0 && str_contains($ran['output'], 'SUCCESS'), 'promtool ' . implode(' ', $command) . ": $ran[output]");
}
$rules = file_get_contents(OPS . '/redislock.rules.yml');
$cases = file_get_contents(OPS . '/redislock.rules.test.yml');
$page = file_get_contents(__DIR__ . '/../../docs/metrics.md');
preg_match_all('/^      - alert: (\w+)\n(.*?)(?=^      - alert:|\z)/ms', $rules, $alerts, PREG_SET_ORDER);
expect(count($alerts) > 0, 'no alert was found in the rules');
foreach ($alerts as [, $alert, $rule]) {
	expect(preg_match("/alertname: $alert\n +exp_alerts:/", $cases) === 1, "no case makes $alert fire");
	expect(preg_match("/alertname: $alert\}/", $cases) === 1, "no case leaves $alert silent");
	expect(str_contains($rule, 'runbook: docs/metrics.md#' . strtolower($alert)), "$alert names no runbook");
	expect(str_contains($page, "\n### $alert\n"), "docs/metrics.md does not explain $alert");
	foreach (['severity:', 'summary:', 'description:', 'expr:'] as $key) {
		expect(str_contains($rule, $key), "$alert has no $key");
	}
	foreach (metrics_in(preg_replace('/^ *runbook:.*$/m', '', $rule), $histograms) as $name) {
		expect(isset($types[$name]), "$alert asks for $name, which there is not");
	}
}
preg_match_all('/^### (Redislock\w+)$/m', $page, $explained);
expect($explained[1] === array_column($alerts, 1), 'docs/metrics.md explains other alerts than there are, or in another order');
foreach (array_keys($types) as $name) {
	expect(str_contains($page, "`$name`"), "docs/metrics.md does not have $name");
}
preg_match_all('/^\| `(redislock_\w+)` \|/m', $page, $documented);
foreach ($documented[1] as $name) {
	expect(isset($types[$name]), "docs/metrics.md has $name, which there is not");
}

// The dashboard: every expression is one that Prometheus understands, about metrics and labels that there are.
$dashboard = json_decode(file_get_contents(OPS . '/grafana-dashboard.json'), true, 512, JSON_THROW_ON_ERROR);
$recorded = "groups:\n  - name: dashboard\n    rules:\n";
$shown = [];
$seen = ['ids' => [], 'places' => []];
$expressions = 0;
foreach ($dashboard['panels'] as $panel) {
	$title = $panel['title'];
	expect(!isset($seen['ids'][$panel['id']]), "panel $title: its id is there twice");
	$seen['ids'][$panel['id']] = true;
	['x' => $x, 'y' => $y, 'w' => $w, 'h' => $h] = $panel['gridPos'];
	expect($x >= 0 && $x + $w <= 24, "panel $title: beyond the edge");
	for ($i = 0; $i < $w * $h; $i++) {
		$place = ($x + $i % $w) . ' ' . ($y + intdiv($i, $w));
		isset($seen['places'][$place]) && expect(false, "panel $title lies on {$seen['places'][$place]}");
		$seen['places'][$place] = $title;
	}
	if ($panel['type'] === 'row') {
		continue;
	}
	expect(($panel['description'] ?? '') !== '' && ($panel['targets'] ?? []) !== [], "panel $title: no description, or nothing to show");
	foreach ($panel['targets'] as $target) {
		expect(!str_contains($target['expr'], '%') && preg_match('/\$(?!(__rate_interval|__range|job|instance|group)\b)/', $target['expr']) === 0, "panel $title: an unknown variable");
		$expression = strtr($target['expr'], ['$__rate_interval' => '5m', '$__range' => '6h', '$job' => '.*', '$instance' => '.*', '$group' => '.*']);
		$recorded .= '      - record: "dashboard:' . ++$expressions . "\"\n        expr: " . json_encode($expression, JSON_UNESCAPED_SLASHES) . "\n";
		$asked = metrics_in($expression, $histograms);
		expect($asked !== [], "panel $title: asks for no metric of redislock");
		array_push($shown, ...$asked);
		foreach ($asked as $name) {
			expect(isset($types[$name]), "panel $title asks for $name, which there is not");
		}
		// A selector with a label that the metric does not have finds nothing, unless it may be empty.
		preg_match_all('/(redislock_\w+)\{([^}]*)\}/', $target['expr'], $selectors, PREG_SET_ORDER);
		foreach ($selectors as [, $name, $labels]) {
			$grouped = preg_match('/^' . $name . '\{[^}]*group="/m', $text) === 1;
			expect(str_contains($labels, 'group') === $grouped, "panel $title: $name and the label group");
		}
	}
}
file_put_contents("$folder/dashboard.yml", $recorded);
$ran = promtool('', 'check', 'rules', "$folder/dashboard.yml");
expect($ran['status'] === 0 && str_contains($ran['output'], "$expressions rules found"), "the dashboard's expressions: $ran[output]");
expect(array_diff(array_keys($types), $shown) === [], 'not on the dashboard: ' . implode(', ', array_diff(array_keys($types), $shown)));
foreach ($dashboard['templating']['list'] as $variable) {
	$query = is_array($variable['query']) ? $variable['query']['query'] : '';
	foreach (metrics_in($query, $histograms) as $name) {
		expect(isset($types[$name]), "variable $variable[name] asks for $name, which there is not");
	}
}

foreach ($problems as $problem) {
	echo "$problem\n";
}
printf("%d things checked: %d metrics, %d alerts, %d expressions of the dashboard\n", $checked, count($types), count($alerts), $expressions);
exit($problems === [] ? 0 : 1);
