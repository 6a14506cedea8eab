"""The options of torch.compile(..., backend="tilewright", options=...)."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, fields
from typing import Any, Mapping, Optional, Union

import torch

from .._core import Cache, Device, _check_precision
from .._core import open as open_device
from .._data import InvalidInputError


@functools.cache
def _device(name: str, threads: int) -> Device:
    return open_device(name, threads)


@dataclass(frozen=True)
class Options:
    """See docs/pytorch.md."""

    device: str = "cpu"
    # Operators that are left to PyTorch are an error.
    strict: bool = False
    # Parameters and buffers are constants: later changes do not count.
    freeze: bool = False
    # Of the device, and to compile; none: as many as PyTorch uses.
    threads: Optional[int] = None
    # A cache, or its folder.
    cache: Union[Cache, str, os.PathLike[str], None] = None
    # Fewer operators than this are left to PyTorch, unless they are the graph.
    min_block_size: int = 5
    # The file that a pass that fails writes its program to.
    reproducer: Union[str, os.PathLike[str], None] = None
    # Of products of f32: ieee, tf32, tf32x3, bf16x3 or bf16x6.
    precision: str = "ieee"

    @staticmethod
    def read(given: Optional[Mapping[str, Any]]) -> Options:
        known = [field.name for field in fields(Options)]
        for name in given or {}:
            if name not in known:
                raise InvalidInputError(
                    "invalid input", f"there is no option '{name}' of the "
                    f"backend tilewright; there is {', '.join(known)}")
        options = Options(**(given or {}))
        _check_precision(options.precision)
        return options

    @property
    def thread_count(self) -> int:
        return self.threads or torch.get_num_threads()

    def open_device(self) -> Device:
        return _device(self.device, self.thread_count)

    def open_cache(self) -> Optional[Cache]:
        if self.cache is None or isinstance(self.cache, Cache):
            return self.cache
        return Cache(self.cache)
