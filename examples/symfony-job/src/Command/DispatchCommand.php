<?php

namespace App\Command;

use App\Message\ChargeAccount;
use Doctrine\DBAL\Connection;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Messenger\MessageBusInterface;

/** Opens accounts with 100 Euros each, and dispatches messages that charge each of them 1, 2, 3 … cents in turn. */
#[AsCommand('app:dispatch')]
final class DispatchCommand extends Command
{
    public function __construct(private readonly Connection $db, private readonly MessageBusInterface $bus)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this->addArgument('accounts', InputArgument::REQUIRED)->addArgument('messages', InputArgument::REQUIRED, 'for each account');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        for ($account = 1; $account <= (int) $input->getArgument('accounts'); $account++) {
            $this->db->insert('account', ['id' => $account, 'cents' => 10000]);
        }
        for ($number = 1; $number <= (int) $input->getArgument('messages'); $number++) {
            for ($account = 1; $account <= (int) $input->getArgument('accounts'); $account++) {
                $this->bus->dispatch(new ChargeAccount("$account-$number", $account, $number));
            }
        }
        return Command::SUCCESS;
    }
}
