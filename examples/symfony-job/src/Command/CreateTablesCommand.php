<?php

namespace App\Command;

use Doctrine\DBAL\Connection;
use RedisLock\Pdo\Schema;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/** In an application with migrations these statements belong into one: Schema::sql('pgsql') returns its part. */
#[AsCommand('app:create-tables')]
final class CreateTablesCommand extends Command
{
    public function __construct(private readonly Connection $db)
    {
        parent::__construct();
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        Schema::create($this->db->getNativeConnection());
        $this->db->executeStatement('CREATE TABLE account (id INTEGER PRIMARY KEY, cents BIGINT NOT NULL)');
        $this->db->executeStatement('CREATE TABLE charge (id TEXT PRIMARY KEY)');
        return Command::SUCCESS;
    }
}
