<?php
/* What bench/run leaves behind: RESULTS.md and its pictures. */
declare(strict_types=1);

namespace Bench;

final class Results
{
	private string $text = '';

	public function __construct(private readonly string $folder)
	{
		is_dir("$folder/plots") || mkdir("$folder/plots");
	}

	public function section(string $title, Bench $bench): void
	{
		$this->text .= "\n## $title\n\n" . $bench->report->table();
		foreach ($bench->plots as $name => ['title' => $caption, 'bars' => $bars]) {
			if ($this->plot("$this->folder/plots/$name.svg", $caption, $bars)) {
				$this->text .= "\n![$caption](plots/$name.svg)\n";
			}
		}
	}

	/** Bars that lie, the longest last. @param array<string|int, float> $bars */
	private function plot(string $file, string $title, array $bars): bool
	{
		$gnuplot = proc_open(['gnuplot'], [['pipe', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes);
		if ($gnuplot === false) {
			return false;
		}
		asort($bars);
		$quote = fn (string $text) => '"' . addcslashes($text, '"\\') . '"';
		$rows = '';
		$row = 0;
		foreach ($bars as $name => $value) {
			$rows .= sprintf("%s %d %.6f %s\n", $quote((string) $name), $row++, $value, $quote($value >= 100 ? number_format($value) : sprintf('%.2f', $value)));
		}
		fwrite($pipes[0], sprintf(<<<'GNUPLOT'
			set terminal svg size 900,%d font "sans-serif,14" background "white"
			set output %s
			set title %s noenhanced
			set style fill solid 0.8
			set boxwidth 0.7
			set xrange [0:%f]
			set yrange [%f:-0.6]
			set tics nomirror
			set ytics noenhanced
			unset key
			$data << END
			%sEND
			plot $data using ($3/2):2:($3/2):(0.35):ytic(1) with boxxyerror linecolor rgb "#3465a4", $data using 3:2:4 with labels left offset 1,0 noenhanced

			GNUPLOT, 90 + 34 * count($bars), $quote($file), $quote($title), max($bars) * 1.2, count($bars) - 0.4, $rows));
		fclose($pipes[0]);
		return proc_close($gnuplot) === 0;
	}

	public function write(float $began): void
	{
		$load = sys_getloadavg();
		$head = "# Results\n\nWritten by `bench/run`. Every number is a median; a ratio is the median of the ratios of each round, in which all\n"
			. "candidates run in random order. Compare ratios, not times: another machine has other times. What each row means,\n"
			. "and why it costs what it costs, is in [docs/performance.md](../docs/performance.md).\n\n";
		foreach (self::machine() + ['date' => gmdate('Y-m-d H:i') . ' UTC', 'took' => sprintf('%d minutes', (int) ceil((now() - $began) / 60)), 'load at the end (1, 5, 15 minutes)' => sprintf('%.1f, %.1f, %.1f', ...$load)] as $name => $value) {
			$head .= "- $name: $value\n";
		}
		file_put_contents("$this->folder/RESULTS.md", $head . $this->text);
	}

	/** @return array<string, string> */
	private static function machine(): array
	{
		preg_match('/^model name\s*:\s*(.+)$/m', (string) @file_get_contents('/proc/cpuinfo'), $cpu);
		preg_match('/^MemTotal:\s*(\d+)/m', (string) @file_get_contents('/proc/meminfo'), $memory);
		preg_match('/^PRETTY_NAME="(.+)"$/m', (string) @file_get_contents('/etc/os-release'), $system);
		preg_match('/v=(\S+)/', (string) shell_exec(escapeshellarg(redis_binary()) . ' --version'), $redis);
		preg_match('/^hiredis.*=> (\S+)$/m', self::info(), $hiredis);
		$machine = [
			'machine' => sprintf('%s, %d processors, %d GiB%s', trim($cpu[1] ?? php_uname('m')), substr_count((string) @file_get_contents('/proc/cpuinfo'), "processor\t"), round(($memory[1] ?? 0) / 1048576), self::virtual()),
			'system' => ($system[1] ?? php_uname('s')) . ', Linux ' . php_uname('r'),
			'versions' => sprintf('redislock %s, PHP %s, Redis %s, hiredis %s', phpversion('redislock'), PHP_VERSION, $redis[1] ?? '?', $hiredis[1] ?? '?'),
		];
		$others = extension_loaded('redis') ? ['phpredis ' . phpversion('redis')] : [];
		if (class_exists(\Composer\InstalledVersions::class)) {
			foreach (['symfony/lock', 'laravel/framework', 'malkusch/lock', 'predis/predis', 'cheprasov/php-redis-lock', 'ronnylt/redlock-php'] as $package) {
				if (\Composer\InstalledVersions::isInstalled($package)) {
					$others[] = "$package " . \Composer\InstalledVersions::getPrettyVersion($package);
				}
			}
		}
		return $machine + ['compared with' => $others === [] ? 'nothing: no other library is here' : implode(', ', $others)];
	}

	private static function virtual(): string
	{
		return str_contains((string) @file_get_contents('/proc/cpuinfo'), 'hypervisor') ? ', virtual' : '';
	}

	private static function info(): string
	{
		ob_start();
		(new \ReflectionExtension('redislock'))->info();
		return (string) ob_get_clean();
	}
}
