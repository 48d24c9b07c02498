<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\Support;

/** Temporary folders, deleted at the end by the process that made them. */
final class Folder
{
	public static function make(string $name): string
	{
		$folder = sys_get_temp_dir() . "/$name-" . bin2hex(random_bytes(4));
		mkdir($folder, 0700);
		$maker = getmypid();
		register_shutdown_function(static function () use ($folder, $maker): void {
			// A forked child runs this, too.
			if (getmypid() === $maker) {
				self::delete($folder);
			}
		});
		return $folder;
	}

	private static function delete(string $path): void
	{
		if (is_dir($path) && !is_link($path)) {
			foreach (array_diff((array) scandir($path), ['.', '..']) as $name) {
				self::delete("$path/$name");
			}
			@rmdir($path);
		} else {
			@unlink($path);
		}
	}
}
