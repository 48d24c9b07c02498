<?php
declare(strict_types=1);

namespace Transfers;

use Exception;

final class Interrupted extends Exception
{
	public function __construct(public readonly int $signal)
	{
		parent::__construct('interrupted');
	}
}
