<?php
declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Schema;

return new class extends Migration {
	public function up(): void
	{
		RedisLock\Pdo\Schema::create(DB::connection()->getPdo());
		Schema::create('accounts', static function (Blueprint $table): void {
			$table->id();
			$table->bigInteger('cents');
		});
		// A queue may deliver a job twice. Its number is what makes the second time do nothing.
		Schema::create('withdrawals', static function (Blueprint $table): void {
			$table->unsignedBigInteger('id')->primary();
			$table->unsignedBigInteger('account');
			$table->bigInteger('cents');
		});
	}
};
