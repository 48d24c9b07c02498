<?php
declare(strict_types=1);

namespace App\Events;

final class OrderPlaced
{
	public function __construct(public string $name)
	{
	}
}
