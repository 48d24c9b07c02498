<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use RedisLock\Laravel\Tests\Support\ApplicationTestCase;

/** Tasks of the scheduler, see tests/app/routes/console.php; every scheduler is a process of its own. */
final class ScheduleTest extends ApplicationTestCase
{
	private string $task = '';

	protected function environment(): array
	{
		return parent::environment() + ['TEST_NOW' => '2030-01-01 12:00:00', 'TEST_TASK' => $this->task];
	}

	public function testOnOneServer(): void
	{
		$this->task = 'onOneServer';
		$first = $this->artisanProcess('schedule:run');
		$this->assertSame('begun', $this->hear()['what']);
		$second = $this->artisanProcess('schedule:run');
		$this->assertSame(0, $second->wait(), $second->output());
		$this->assertStringContainsString('another server', $second->output());
		$this->assertNothingSaid();
		$this->tell('go');
		$this->assertSame(0, $first->wait(), $first->output());
		$third = $this->artisanProcess('schedule:run');
		$this->assertSame(0, $third->wait(), $third->output());
		$this->assertNothingSaid();
	}

	public function testWithoutOverlapping(): void
	{
		$this->task = 'withoutOverlapping';
		$first = $this->artisanProcess('schedule:run');
		$this->assertSame('begun', $this->hear()['what']);
		$locks = $this->redis()->keys($this->key('framework/schedule-*'));
		$this->assertCount(1, $locks);
		$this->assertGreaterThan(0, $this->redis()->pttl($locks[0]));
		$second = $this->artisanProcess('schedule:run');
		$this->assertSame(0, $second->wait(), $second->output());
		$this->assertNothingSaid();
		$this->tell('go');
		$this->assertSame(0, $first->wait(), $first->output());
		$third = $this->artisanProcess('schedule:run');
		$this->assertSame('begun', $this->hear()['what']);
		$this->tell('go');
		$this->assertSame(0, $third->wait(), $third->output());
	}

	/** schedule:clear-cache is what Laravel has for a task whose process was killed. */
	public function testAKilledTaskAndAnOperator(): void
	{
		$this->task = 'withoutOverlapping';
		$first = $this->artisanProcess('schedule:run');
		$this->assertSame('begun', $this->hear()['what']);
		$first->signal(SIGKILL);
		$first->wait();
		$this->assertSame(0, $this->artisanProcess('schedule:run')->wait());
		$this->assertNothingSaid();
		$this->assertSame(0, $this->artisanProcess('schedule:clear-cache')->wait());
		$this->artisanProcess('schedule:run');
		$this->assertSame('begun', $this->hear()['what']);
	}
}
