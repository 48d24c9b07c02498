<?php
/*
 * Makes the two files of the example: opening-balances.csv and transfers.csv.
 *
 * They are checked in; this program is here so that nobody has to wonder where they come from. It always writes the
 * same bytes: the random numbers come from a fixed seed and an engine whose sequence PHP never changes.
 *
 * Eight workers take the transfers in no fixed order, yet the result must be compared with a serial calculation, to
 * the cent. So the file is made in such a way that the outcome of every transfer is the same in any order:
 *
 * - An account pays out, over the whole file, at most what it holds at the beginning. What comes in only adds to that,
 *   so there is money for each of these transfers whenever its turn comes.
 * - A transfer that is to be refused asks for more than its account would hold if it got everything that is ever sent
 *   to it and paid nothing. There is never money for it.
 *
 * SerialCalculation checks both conditions before it is relied on.
 *
 * Usage: php generate.php           writes the files
 *        php generate.php --check   exit status 1 if the checked-in files differ
 */
declare(strict_types=1);

use Random\Engine\Xoshiro256StarStar;
use Random\Randomizer;

const ACCOUNTS = 50;
const PAID = 1740;          // distinct transfers with money for them
const REFUSED = 140;        // distinct transfers without
const DELIVERED_TWICE = 120;
const FOLDER = __DIR__ . '/..';

/** @return array<string, int> account => cents */
function opening_balances(Randomizer $random): array
{
	$balances = [];
	for ($i = 1; $i <= ACCOUNTS; $i++) {
		$balances[sprintf('A%02d', $i)] = $random->getInt(200_000, 600_000);
	}
	return $balances;
}

/**
 * Another account than $not. One time in three it is one of the first four: in real life, too, some accounts (the
 * landlord, the supermarket) get more transfers than others, and the workers must have something to contend for.
 */
function some_account(Randomizer $random, ?string $not = null): string
{
	do {
		$number = $random->getInt(1, 3) === 1 ? $random->getInt(1, 4) : $random->getInt(1, ACCOUNTS);
		$account = sprintf('A%02d', $number);
	} while ($account === $not);
	return $account;
}

/**
 * @param array<string, int> $opening
 * @return list<array{string, string, int}> from, to, cents; in the order of arrival, each once
 */
function distinct_transfers(Randomizer $random, array $opening): array
{
	$transfers = [];
	$mayPay = $ceiling = $opening;
	while (count($transfers) < PAID) {
		$from = some_account($random);
		$to = some_account($random, $from);
		$cents = $random->getInt(100, 15_000);
		if ($cents <= $mayPay[$from]) {
			$mayPay[$from] -= $cents;
			$ceiling[$to] += $cents;
			$transfers[] = [$from, $to, $cents];
		}
	}
	for ($i = 0; $i < REFUSED; $i++) {
		$from = some_account($random);
		$transfers[] = [$from, some_account($random, $from), $ceiling[$from] + $random->getInt(1, 50_000)];
	}
	return $random->shuffleArray($transfers);
}

/**
 * Delivers some of the lines once more, as queues do: half of them right away (the acknowledgement was lost), half of
 * them much later (somebody replayed a backup of the queue).
 *
 * @param list<string> $lines
 * @return list<string>
 */
function deliver_some_twice(Randomizer $random, array $lines): array
{
	$again = $random->pickArrayKeys($lines, DELIVERED_TWICE);
	$after = [];
	foreach ($again as $i => $line) {
		$last = count($lines) - 1;
		$position = $i % 2 === 0 ? min($last, $line + $random->getInt(0, 6)) : $random->getInt($line, $last);
		$after[$position][] = $lines[$line];
	}
	$delivered = [];
	foreach ($lines as $i => $line) {
		array_push($delivered, $line, ...($after[$i] ?? []));
	}
	return $delivered;
}

$check = array_slice($argv, 1) === ['--check'];
if (!$check && $argc > 1) {
	fwrite(STDERR, "usage: php generate.php [--check]\n");
	exit(2);
}

$random = new Randomizer(new Xoshiro256StarStar(hash('sha256', 'redislock example transfers', binary: true)));

$opening = opening_balances($random);
$accounts = ['account,cents'];
foreach ($opening as $account => $cents) {
	$accounts[] = "$account,$cents";
}

$lines = [];
foreach (distinct_transfers($random, $opening) as $i => [$from, $to, $cents]) {
	$lines[] = sprintf('T%04d,%s,%s,%d', $i + 1, $from, $to, $cents);
}
$lines = ['transfer,from,to,cents', ...deliver_some_twice($random, $lines)];

$different = false;
foreach (['opening-balances.csv' => $accounts, 'transfers.csv' => $lines] as $name => $content) {
	$text = implode("\n", $content) . "\n";
	if ($check) {
		if (@file_get_contents(FOLDER . "/$name") !== $text) {
			fwrite(STDERR, "examples/$name is not what examples/transfers/generate.php makes\n");
			$different = true;
		}
	} elseif (file_put_contents(FOLDER . "/$name", $text) === false) {
		$different = true;
	}
}
exit($different ? 1 : 0);
