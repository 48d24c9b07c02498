--TEST--
RedisLock::metrics() is text that Prometheus reads, and says what stats() says, whatever the groups are called
--EXTENSIONS--
redislock
--INI--
redislock.stats_groups=1
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';

$client = client();
$use = fn (string $name) => $client->lock($name, 60.0)->synchronized(fn () => true);

// Groups of any bytes. Those that cannot be shown are written as \xHH; " and \ and what is beyond ASCII stay.
$groups = ['invoice' => 3, "quote\"backslash\\" => 1, "new\nline" => 1, "nul\0" => 1, "\xff\xfe" => 1, "cut\xc3" => 1, 'größe€🔒' => 2, '{a="b"}' => 1, '42' => 1, ' ' => 1, "\x1b[2J" => 1];
foreach ($groups as $group => $times) {
	for ($i = 0; $i < $times; $i++) {
		$use("$group:$i");
	}
}
$use('nightly');
$use(':x');
$use('other:1');
$shown = ['invoice' => 3, "quote\"backslash\\" => 1, 'new\x0aline' => 1, 'nul\x00' => 1, '\xff\xfe' => 1, 'cut\xc3' => 1, 'größe€🔒' => 2, '{a="b"}' => 1, 42 => 1, ' ' => 1, '\x1b[2J' => 1, 'other' => 3];
$stats = RedisLock::stats();
same($shown, array_map(fn (array $group) => $group['acquired'], $stats['groups']), 'the groups and how often each was used');
same(array_sum($shown), $stats['acquired'], 'and all together');
check(json_encode($stats, JSON_THROW_ON_ERROR) !== '', 'they can be encoded as JSON');

// The text is what the array is.
$text = RedisLock::metrics();
$samples = parse_metrics($text);
check(preg_match('//u', $text) && !preg_match('/[\x00-\x09\x0b-\x1f\x7f]/', $text), 'it is UTF-8 without control characters');
same(1.0, $samples['redislock_build_info{version="' . phpversion('redislock') . '"}'], 'the version');
$escape = fn (string $name) => strtr($name, ['\\' => '\\\\', '"' => '\\"']);
$expected = ['redislock_build_info{version="' . phpversion('redislock') . '"}' => 1.0];
$histogram = function (string $name, string $labels, array $values) use (&$expected): void {
	foreach ($values['buckets'] as $bound => $count) {
		$expected["redislock_{$name}_bucket{" . ($labels === '' ? '' : "$labels,") . "le=\"$bound\"}"] = (float) $count;
	}
	$expected["redislock_{$name}_sum" . ($labels === '' ? '' : "{{$labels}}")] = $values['sum'];
	$expected["redislock_{$name}_count" . ($labels === '' ? '' : "{{$labels}}")] = (float) $values['count'];
};
foreach ($stats['groups'] as $group => $values) {
	$label = 'group="' . $escape((string) $group) . '"';
	foreach ($values as $name => $value) {
		if (is_int($value)) {
			$expected["redislock_{$name}_total{{$label}}"] = (float) $value;
		} elseif ($name === 'errors') {
			foreach ($value as $kind => $count) {
				$expected["redislock_errors_total{{$label},kind=\"$kind\"}"] = (float) $count;
			}
		} else {
			$histogram($name, $label, $value);
		}
	}
}
$grouped = reset($stats['groups']);
foreach (array_diff_key($stats, $grouped, ['groups' => 1]) as $name => $value) {
	is_int($value) ? $expected["redislock_{$name}_total"] = (float) $value : $histogram($name, '', $value);
}
ksort($expected);
ksort($samples);
same(array_keys($expected), array_keys($samples), 'the samples');
$close = fn (float $a, float $b) => abs($a - $b) < 1e-9;
same([], array_filter($expected, fn (float $value, string $name) => !$close($value, $samples[$name]), ARRAY_FILTER_USE_BOTH), 'their values');

// Each metric has its head once, before all of its samples.
$seen = [];
$current = null;
foreach (explode("\n", $text, -1) as $line) {
	if (preg_match('/^# TYPE (\w+) /', $line, $found)) {
		isset($seen[$found[1]]) && check(false, "the head of $found[1] is there twice");
		$seen[$current = $found[1]] = true;
	} elseif ($line[0] !== '#') {
		str_starts_with($line, $current) || check(false, 'a sample that is not below its head', line: $line);
	}
}
same(27, count($seen), 'as many metrics as there are');

// Buckets are running sums.
foreach ([...$stats['groups'], ['round_trip_seconds' => $stats['round_trip_seconds']]] as $values) {
	foreach (array_filter($values, fn ($value) => is_array($value) && isset($value['buckets'])) as $name => $value) {
		$counts = array_values($value['buckets']);
		$sorted = $counts;
		sort($sorted);
		$sorted === $counts && end($counts) === $value['count'] || check(false, "$name: buckets grow to the count", buckets: $value);
	}
}

// No more than 64 groups and "other", however many there are.
for ($i = 0; $i < 100; $i++) {
	$client->lock("group-$i:x", 60.0)->synchronized(fn () => true);
}
$stats = RedisLock::stats();
same(65, count($stats['groups']), '64 groups and the rest');
same(3 + 100 - (64 - (count($shown) - 1)), $stats['groups']['other']['acquired'], 'those that came too late are others');
same($stats['acquired'], array_sum(array_map(fn (array $group) => $group['acquired'], $stats['groups'])), 'none is missing');
parse_metrics(RedisLock::metrics());

// Neither a locale nor a setting changes a number.
ini_set('precision', '3');
ini_set('serialize_precision', '3');
same(array_keys($expected), array_intersect(array_keys($expected), array_keys(parse_metrics(RedisLock::metrics()))), 'with little precision');
done();
?>
--EXPECT--
12 checks passed
