<?php
declare(strict_types=1);

namespace Bench;

/** @param non-empty-list<int|float> $values */
function median(array $values): float
{
	return percentile($values, 50);
}

/** Interpolated between neighbours. @param non-empty-list<int|float> $values */
function percentile(array $values, float $percent): float
{
	sort($values);
	$at = ($percent / 100) * (count($values) - 1);
	$low = (int) floor($at);
	$high = min($low + 1, count($values) - 1);
	return $values[$low] + ($values[$high] - $values[$low]) * ($at - $low);
}

/** @param non-empty-list<int|float> $values */
function mean(array $values): float
{
	return array_sum($values) / count($values);
}

/**
 * Kendall's tau-a of two orders of the same things: 1 the same order, 0 none, -1 the reverse.
 *
 * @param array<int|float> $a
 * @param array<int|float> $b with the same keys
 */
function kendall_tau(array $a, array $b): float
{
	$keys = array_keys($a);
	$agree = 0;
	foreach ($keys as $i => $one) {
		foreach (array_slice($keys, $i + 1) as $other) {
			$agree += ($a[$one] <=> $a[$other]) * ($b[$one] <=> $b[$other]);
		}
	}
	return $agree / (count($keys) * (count($keys) - 1) / 2);
}

/** Jain's index of fairness: 1 everybody has the same, 1/n one has everything. @param non-empty-list<int|float> $shares */
function jain_index(array $shares): float
{
	$squares = array_sum(array_map(fn ($share) => $share ** 2, $shares));
	return $squares == 0 ? 0.0 : array_sum($shares) ** 2 / (count($shares) * $squares);
}
