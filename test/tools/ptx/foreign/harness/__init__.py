"""Compiles, launches and judges kernels that other compilers made."""
