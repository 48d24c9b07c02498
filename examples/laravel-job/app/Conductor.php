<?php
declare(strict_types=1);

namespace App;

use App\Jobs\Withdraw;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Queue;
use RuntimeException;
use Symfony\Component\Process\Process;

/** Fills the queue, starts the workers, does to two of them what happens to workers, and looks at what has come out. */
final class Conductor
{
	public const ACCOUNTS = 4;

	public const WITHDRAWALS = 200;

	public const WORKERS = 8;

	private const FIRST_BALANCE = 1_000_000;

	/** Seconds: only to catch an example that hangs. */
	private const PATIENCE = 120;

	/** @var array<string, Process> */
	private array $workers = [];

	/** @var array<int, int> account => cents */
	private array $expected = [];

	/** @return bool nothing is wrong */
	public function run(callable $say): bool
	{
		try {
			$this->fill();
			$this->start();
			$stopped = $this->noteOf(SIGSTOP);
			$say("worker $stopped[pid] is stopped in the middle of a job on $stopped[resource], fence $stopped[fence]");
			$killed = $this->noteOf(SIGKILL);
			$say("worker $killed[pid] was killed in the middle of a job on $killed[resource], fence $killed[fence]");
			$this->until('somebody with a larger fence', fn (): bool => $this->largestFence($stopped['resource']) > $stopped['fence']);
			$say("somebody else has taken $stopped[resource], fence {$this->largestFence($stopped['resource'])}: the stopped worker goes on, and writes what it computed before");
			posix_kill($stopped['pid'], SIGCONT);
			$this->until('all withdrawals', static fn (): bool => DB::table('withdrawals')->count() === self::WITHDRAWALS && Queue::size() === 0);
			return $this->judge($say);
		} finally {
			foreach ($this->workers as $worker) {
				// One that is stopped hears nothing else.
				$worker->stop(0, SIGKILL);
			}
		}
	}

	private function fill(): void
	{
		for ($account = 1; $account <= self::ACCOUNTS; $account++) {
			DB::table('accounts')->insert(['id' => $account, 'cents' => self::FIRST_BALANCE]);
			$this->expected[$account] = self::FIRST_BALANCE;
		}
		for ($id = 1; $id <= self::WITHDRAWALS; $id++) {
			$account = $id % self::ACCOUNTS + 1;
			$cents = $id * 7 % 100 + 1;
			$this->expected[$account] -= $cents;
			Withdraw::dispatch($id, $account, $cents);
		}
	}

	private function start(): void
	{
		for ($number = 1; $number <= self::WORKERS; $number++) {
			$php = [...explode("\n", trim((string) getenv('EXAMPLE_PHP'))), 'artisan', 'queue:work', '--sleep=0.05', '--timeout=60'];
			$worker = new Process($php, base_path(), ['EXAMPLE_FAULT' => [1 => 'stop', 2 => 'kill'][$number] ?? false], timeout: null);
			$worker->start();
			$this->workers[$number] = $worker;
		}
	}

	/** @return array{pid: int, resource: string, fence: int} */
	private function noteOf(int $signal): array
	{
		$note = null;
		$this->until("the signal $signal", static function () use ($signal, &$note): bool {
			return is_array($note = json_decode((string) @file_get_contents(Fault::note($signal)), true));
		});
		return $note;
	}

	private function largestFence(string $resource): int
	{
		return (int) DB::selectOne('SELECT fence FROM redislock_fences WHERE resource = CAST(? AS BLOB)', [$resource])?->fence;
	}

	private function until(string $what, callable $condition): void
	{
		$end = hrtime(true) + self::PATIENCE * 1e9;
		while (!$condition()) {
			if (hrtime(true) > $end) {
				throw new RuntimeException("waited in vain for: $what");
			}
			usleep(20000);
		}
	}

	private function judge(callable $say): bool
	{
		$refused = substr_count((string) file_get_contents(config('logging.channels.single.path')), 'StaleFenceException(code');
		$say(sprintf('%d withdrawals by %d workers, late writes that the database has refused: %d', self::WITHDRAWALS, self::WORKERS, $refused));
		$right = $refused > 0;
		foreach ($this->expected as $account => $expected) {
			$cents = (int) DB::table('accounts')->where('id', $account)->value('cents');
			$right = $right && $cents === $expected;
			$say(sprintf('account %d: %d cents, %s', $account, $cents, $cents === $expected ? 'right' : "but it should be $expected"));
		}
		return $right;
	}
}
