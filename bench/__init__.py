"""Benchmarks: every figure is a ratio taken side by side in one run, because absolute times tell of the machine."""
