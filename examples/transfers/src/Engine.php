<?php
declare(strict_types=1);

namespace Transfers;

/** The databases that the example runs on. */
enum Engine: string
{
	case Sqlite = 'sqlite';
	case Pgsql = 'pgsql';
	case Mysql = 'mysql';

	/**
	 * @param string $folder where the files are (SQLite) or the socket of the server
	 * @param string $name which of the databases there; a word
	 */
	public function open(string $folder, string $name): Database
	{
		return match ($this) {
			self::Sqlite => new SqliteDatabase("$folder/$name.sqlite"),
			self::Pgsql => new PgsqlDatabase($folder, $name),
			self::Mysql => new MysqlDatabase("$folder/mysql.sock", $name),
		};
	}
}
