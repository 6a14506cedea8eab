"""The kernels, a module for each theme."""
