<?php
/*
 * Tests of the checker: histories made by hand, good and bad ones. Each bad one differs from the good one in one thing,
 * and the checker has to name it. Prints `N passed, N failed`.
 */
declare(strict_types=1);

use Chaos\Checker;
use Chaos\History;

require __DIR__ . '/autoload.php';

/**
 * Three writes of three operations to one resource: a, b and c, one after another, with fences 10, 20 and 30. A fourth
 * one, d, was refused, and a fifth one, e, was killed.
 *
 * @return array{events: list<array<string, mixed>>, entries: list<array<string, mixed>>, counters: array<string, array{int, string}>}
 */
function good(): array
{
	$events = $entries = [];
	$digest = md5('');
	foreach (['a' => 10, 'b' => 20, 'c' => 30] as $op => $fence) {
		$t = $fence * 100;
		$events["$op begin"] = ['event' => 'begin', 'op' => $op, 'resource' => 'r', 'at' => $t];
		$events["$op acquired"] = ['event' => 'acquired', 'op' => $op, 'resource' => 'r', 'fence' => $fence, 'from' => $t + 1, 'to' => $t + 2];
		$events["$op claimed"] = ['event' => 'claimed', 'op' => $op, 'resource' => 'r', 'fence' => $fence, 'from' => $t + 3, 'to' => $t + 4];
		$events["$op writing"] = ['event' => 'writing', 'op' => $op, 'at' => $t + 5];
		$events["$op end"] = ['event' => 'end', 'op' => $op, 'at' => $t + 6, 'outcome' => 'acknowledged', 'resource' => 'r', 'value' => $fence / 10, 'fence' => $fence];
		$digest = md5($digest . $op);
		$entries[$op] = ['op' => $op, 'resource' => 'r', 'value' => $fence / 10, 'digest' => $digest, 'fence' => $fence];
	}
	// d was stopped after it had fence 15, and came back when c had written.
	$events['d begin'] = ['event' => 'begin', 'op' => 'd', 'resource' => 'r', 'at' => 1500];
	$events['d acquired'] = ['event' => 'acquired', 'op' => 'd', 'resource' => 'r', 'fence' => 15, 'from' => 1501, 'to' => 1502];
	$events['d end'] = ['event' => 'end', 'op' => 'd', 'at' => 4000, 'outcome' => 'stale', 'step' => 'write', 'resource' => 'r', 'fence' => 15, 'largest' => 30];
	$events['e begin'] = ['event' => 'begin', 'op' => 'e', 'resource' => 'r', 'at' => 5000];
	return ['events' => $events, 'entries' => $entries, 'counters' => ['r' => [3, $digest]]];
}

/** @return list<string> */
function check(array $history): array
{
	$read = new History();
	foreach ($history['events'] as $event) {
		$read->add($event);
	}
	return Checker::check($read, array_values($history['entries']), $history['counters']);
}

/** @var array<string, array{?string, Closure(array): array}> what is done to the good history => the kind of violation */
$cases = [
	'nothing' => [null, fn (array $h) => $h],
	'nobody has done anything' => [null, fn (array $h) => ['events' => [], 'entries' => [], 'counters' => ['r' => [0, md5('')]]]],
	'a killed operation that has been written' => [null, function (array $h) {
		$digest = md5($h['counters']['r'][1] . 'e');
		$h['entries']['e'] = ['op' => 'e', 'resource' => 'r', 'value' => 4, 'digest' => $digest, 'fence' => 40];
		$h['counters']['r'] = [4, $digest];
		return $h;
	}],
	'an unknown outcome of what has been written' => [null, function (array $h) {
		$h['events']['c end']['outcome'] = 'unknown';
		return $h;
	}],
	'two writes with the same fence' => [null, function (array $h) {
		foreach (['acquired', 'claimed'] as $event) {
			unset($h['events']["b $event"]);
		}
		$h['events']['b end']['fence'] = $h['entries']['b']['fence'] = 10;
		return $h;
	}],
	'two operations have read the same value' => ['lost update', function (array $h) {
		$h['entries']['c']['value'] = $h['events']['c end']['value'] = 2;
		$h['entries']['c']['digest'] = md5($h['entries']['a']['digest'] . 'c');
		$h['counters']['r'] = [2, $h['entries']['c']['digest']];
		return $h;
	}],
	'the counter was overwritten by an old value' => ['lost update', function (array $h) {
		$h['counters']['r'][0] = 2;
		return $h;
	}],
	'a value is missing' => ['hole', function (array $h) {
		$h['entries']['c']['value'] = $h['events']['c end']['value'] = 4;
		return $h;
	}],
	'entries without a counter' => ['hole', fn (array $h) => ['counters' => []] + $h],
	'a write has continued from an older one' => ['lost append', function (array $h) {
		$h['entries']['c']['digest'] = $h['counters']['r'][1] = md5($h['entries']['a']['digest'] . 'c');
		return $h;
	}],
	'the digest at the end is another one' => ['lost append', function (array $h) {
		$h['counters']['r'][1] = $h['entries']['b']['digest'];
		return $h;
	}],
	'an acknowledged write is not there' => ['lost write', function (array $h) {
		unset($h['entries']['c']);
		$h['counters']['r'] = [2, $h['entries']['b']['digest']];
		return $h;
	}],
	'another value was acknowledged' => ['lost write', function (array $h) {
		$h['events']['b end']['value'] = 1;
		return $h;
	}],
	'another fence was acknowledged' => ['lost write', function (array $h) {
		$h['events']['b end']['fence'] = 21;
		return $h;
	}],
	'what was refused is there' => ['ghost', function (array $h) {
		$h['events']['c end'] = ['outcome' => 'failed'] + $h['events']['c end'];
		return $h;
	}],
	'what could not get the lock is there' => ['ghost', function (array $h) {
		$h['events']['c end'] = ['outcome' => 'contended'] + $h['events']['c end'];
		return $h;
	}],
	'what nobody has done is there' => ['ghost', function (array $h) {
		foreach (['begin', 'writing', 'acquired', 'claimed', 'end'] as $event) {
			unset($h['events']["c $event"]);
		}
		// Or d would have been refused for a reason that nobody knows.
		$h['events']['d end']['largest'] = 20;
		return $h;
	}],
	'a smaller fence was committed after a larger one' => ['stale write', function (array $h) {
		unset($h['events']['b claimed']);
		$h['entries']['c']['fence'] = $h['events']['c end']['fence'] = 12;
		return $h;
	}],
	'a write has begun after a larger fence was claimed' => ['stale write', function (array $h) {
		// In commit order all is well: the one with the larger fence has not written yet.
		$h['events']['e acquired'] = ['event' => 'acquired', 'op' => 'e', 'resource' => 'r', 'fence' => 40, 'from' => 900, 'to' => 5001];
		$h['events']['e claimed'] = ['event' => 'claimed', 'op' => 'e', 'resource' => 'r', 'fence' => 40, 'from' => 2990, 'to' => 3000];
		return $h;
	}],
	'a write of which we know nothing but that it is stale' => ['stale write', function (array $h) {
		$digest = md5($h['counters']['r'][1] . 'e');
		$h['entries']['e'] = ['op' => 'e', 'resource' => 'r', 'value' => 4, 'digest' => $digest, 'fence' => 11];
		$h['counters']['r'] = [4, $digest];
		return $h;
	}],
	'what was acknowledged earlier comes later' => ['order', function (array $h) {
		$h['events']['c begin']['at'] = 500;
		$h['events']['c end']['at'] = 900;
		return $h;
	}],
	'refused because of a smaller fence' => ['no reason', function (array $h) {
		$h['events']['d end']['largest'] = 10;
		return $h;
	}],
	'refused because of the same fence' => ['no reason', function (array $h) {
		$h['events']['d end']['largest'] = 15;
		return $h;
	}],
	'refused because of a fence that nobody has' => ['no reason', function (array $h) {
		$h['events']['d end']['largest'] = 31;
		return $h;
	}],
	'refused because of a fence that was given later' => ['no reason', function (array $h) {
		$h['events']['d end']['at'] = 2900;
		return $h;
	}],
	'the fence of another resource' => ['no reason', function (array $h) {
		$h['events']['d begin']['resource'] = $h['events']['d acquired']['resource'] = 's';
		return $h;
	}],
	'a fence was given twice' => ['fence', function (array $h) {
		$h['events']['d acquired']['fence'] = 20;
		$h['events']['d acquired']['to'] = 2002;
		return $h;
	}],
	'a later acquisition has a smaller fence' => ['fence', function (array $h) {
		$h['events']['d acquired']['fence'] = 9;
		return $h;
	}],
];

$failed = 0;
foreach ($cases as $name => [$kind, $change]) {
	$violations = check($change(good()));
	$kinds = array_values(array_unique(array_map(static fn (string $violation) => strtok($violation, ':'), $violations)));
	if ($kinds !== ($kind === null ? [] : [$kind])) {
		$failed++;
		echo "checker: $name: expected ", $kind ?? 'no violation', ', got ', $violations === [] ? 'none' : implode('; ', $violations), "\n";
	}
}
echo 'checker: ', count($cases) - $failed, " passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
