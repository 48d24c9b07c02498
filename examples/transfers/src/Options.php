<?php
declare(strict_types=1);

namespace Transfers;

/** Where Redis and the database are. */
final class Options
{
	public const HELP = <<<'END'
		--redis=DSN        the Redis for the locks
		--folder=FOLDER    the database is here: the files of SQLite, or the socket of a server. We make databases of
		                   our own there and expect that there are none yet
		--database=ENGINE  sqlite (without this option, too), pgsql or mysql
		END;

	private function __construct(
		public readonly string $redis,
		public readonly string $folder,
		public readonly Engine $engine,
	) {
	}

	/**
	 * @param list<string> $arguments
	 * @throws WrongUse
	 */
	public static function parse(array $arguments): self
	{
		$values = ['redis' => '', 'folder' => '', 'database' => Engine::Sqlite->value];
		foreach ($arguments as $argument) {
			if (preg_match('/^--([a-z]+)=(.+)$/s', $argument, $match) !== 1 || !isset($values[$match[1]])) {
				throw new WrongUse("unknown option: $argument\n" . self::HELP);
			}
			$values[$match[1]] = $match[2];
		}
		if ($values['redis'] === '' || $values['folder'] === '') {
			throw new WrongUse("--redis and --folder are needed\n" . self::HELP);
		}
		$engine = Engine::tryFrom($values['database'])
			?? throw new WrongUse("unknown database: {$values['database']}\n" . self::HELP);
		return new self($values['redis'], $values['folder'], $engine);
	}

	public function open(string $name): Database
	{
		return $this->engine->open($this->folder, $name);
	}
}
