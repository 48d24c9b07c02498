<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

/**
 * PHP code that declares a class which the extension has. While the extension is loaded such a file cannot be loaded, and
 * where the extension is not loaded the other class is taken for a lock.
 */
final class ClassCheck implements Check
{
	private const MOST_FILES = 200000;
	private const MOST_BYTES = 2 << 20;

	public function title(): string
	{
		return 'no class of PHP code is in the way';
	}

	public function findings(Patient $patient): iterable
	{
		$names = array_map(strtolower(...), (new \ReflectionExtension('redislock'))->getClassNames());
		$short = array_unique(array_map(fn (string $name): string => preg_replace('/^.*\\\\/', '', $name), $names));
		$words = '/\b(?:class|interface|trait|enum)\s+(?:' . implode('|', $short) . ')\b/i';
		foreach ($patient->paths as $path) {
			$files = 0;
			foreach ($this->files($path) as $file) {
				if (++$files > self::MOST_FILES) {
					yield Finding::hint(
						'class-search-ended',
						null,
						"$path has more than " . self::MOST_FILES . ' PHP files; the rest was not looked at',
						'give --path a smaller folder',
					);
					break;
				}
				$code = (string) @file_get_contents($file, length: self::MOST_BYTES);
				if (stripos($code, 'redislock') === false || !preg_match($words, $code)) {
					continue;
				}
				foreach (array_intersect($this->declared($file), $names) as $class) {
					yield Finding::problem(
						'class-in-the-way',
						null,
						"$file declares $class, which the extension has: loading that file is a fatal error",
						'rename the class or put it into another namespace, or leave the package out; if it stands in for this extension, load it only where the extension is not',
					);
				}
			}
		}
	}

	/** @return \Generator<string> */
	private function files(string $path): \Generator
	{
		$folders = new \RecursiveCallbackFilterIterator(
			new \RecursiveDirectoryIterator(
				$path,
				\FilesystemIterator::SKIP_DOTS | \FilesystemIterator::CURRENT_AS_PATHNAME,
			),
			// Links to folders are not followed: they may lead round in a circle. Stubs are never loaded.
			fn (string $file): bool => !is_link($file) && !in_array(basename($file), ['.git', 'node_modules'], true),
		);
		foreach (new \RecursiveIteratorIterator($folders, \RecursiveIteratorIterator::LEAVES_ONLY, \RecursiveIteratorIterator::CATCH_GET_CHILD) as $file) {
			if (preg_match('/(?<!\.stub)\.(php|inc|phtml)$/i', $file)) {
				yield $file;
			}
		}
	}

	/** The classes that this file declares, lower case, with their namespaces. @return list<string> */
	private function declared(string $file): array
	{
		// Without comments. This needs no tokenizer, which not every PHP has.
		$code = (string) @php_strip_whitespace($file);
		// Then without what is not code, and without strings, which may hold code.
		$code = preg_replace('/\A.*?<\?(?:php\b|=)|\?>.*?(?:<\?(?:php\b|=)|\z)/si', ' ', $code);
		$code = preg_replace('/<<<\s*["\']?(\w+)["\']?\R.*?^\s*\1\b/sm', "''", $code);
		$code = (string) preg_replace('/\'(?:[^\'\\\\]|\\\\.)*\'|"(?:[^"\\\\]|\\\\.)*"/s', "''", $code);
		preg_match_all(
			'/\bnamespace\b\s*([\w\\\\]*)\s*[;{]|\b(?:class|interface|trait|enum)\s+(\w+)/i',
			$code,
			$found,
			PREG_SET_ORDER,
		);
		$classes = [];
		$space = '';
		foreach ($found as $one) {
			if (isset($one[2])) {
				$classes[] = strtolower($space . $one[2]);
			} else {
				$space = $one[1] === '' ? '' : "$one[1]\\";
			}
		}
		return array_values(array_unique($classes));
	}
}
