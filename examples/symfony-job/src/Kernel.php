<?php

namespace App;

use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\HttpKernel\Kernel as BaseKernel;

final class Kernel extends BaseKernel
{
    use MicroKernelTrait;

    public function getCacheDir(): string
    {
        return $_SERVER['APP_VAR'] . '/cache';
    }

    public function getLogDir(): string
    {
        return $_SERVER['APP_VAR'];
    }
}
