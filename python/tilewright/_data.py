"""Plain data that the module hands out, and its exception."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, Sequence, TypeAlias, Union

import numpy


class SupportsDLPack(Protocol):
    """What hands out its memory by DLPack: NumPy, PyTorch, JAX, ..."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, Any]: ...


NumpyArray: TypeAlias = "numpy.ndarray[Any, Any]"
Array: TypeAlias = Union[NumpyArray, SupportsDLPack]


@dataclass(frozen=True)
class Diagnostic:
    """A diagnostic in the input. Lines and columns count from 1; 0 and an empty
    file: not known. `code` is stable across versions: "dot_c2"."""

    severity: str
    code: str
    file: str
    line: int
    column: int
    message: str
    notes: Sequence[Diagnostic] = field(default=())


@dataclass(frozen=True)
class Remark:
    """What the compiler did ("applied"), could not do ("missed"), or found
    ("analysis")."""

    kind: str
    code: str
    pass_name: str
    kernel: str
    file: str
    line: int
    column: int
    message: str
    arguments: dict[str, str]


@dataclass(frozen=True)
class TensorSpec:
    """An input or output of a model. A dimension is a number, or text over the
    model's symbols: "N", "2 * W"."""

    name: str
    dtype: str
    shape: tuple[Union[int, str], ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


class Error(RuntimeError):
    """What Tilewright rejects, or could not do. Each `code` has a class of its
    own: "invalid input" InvalidInputError, and so on."""

    # As users know it.
    __module__ = "tilewright"

    def __init__(self, code: str, message: str,
                 diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(code, message, diagnostics)
        self.code = code
        self.message = message
        self.diagnostics = list(diagnostics)

    def __str__(self) -> str:
        return self.message


class InvalidInputError(Error, ValueError):
    """"invalid input": an argument, a file or a model is wrong."""

    __module__ = "tilewright"


class UnsupportedError(Error, NotImplementedError):
    """"unsupported": it is right, and Tilewright or the device cannot do it."""

    __module__ = "tilewright"


class NotFoundError(Error, LookupError):
    """"not found": there is nothing of that name."""

    __module__ = "tilewright"


class InputOutputError(Error):
    """"input/output error": a file cannot be read or written."""

    __module__ = "tilewright"


class ResourceExhaustedError(Error, MemoryError):
    """"resource exhausted": memory, time or another budget is used up."""

    __module__ = "tilewright"


class CancelledError(Error):
    """"cancelled": the caller gave it up."""

    __module__ = "tilewright"


class InternalError(Error):
    """"internal error": a fault of Tilewright, worth a report."""

    __module__ = "tilewright"


ERRORS: dict[str, type[Error]] = {
    "invalid input": InvalidInputError,
    "unsupported": UnsupportedError,
    "not found": NotFoundError,
    "input/output error": InputOutputError,
    "resource exhausted": ResourceExhaustedError,
    "cancelled": CancelledError,
    "internal error": InternalError,
}
