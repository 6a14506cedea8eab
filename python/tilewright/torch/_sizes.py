"""Symbolic sizes of a graph: as data for the importer, and as Python code."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence, Union

import sympy  # type: ignore[import-untyped]
import torch
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.printers import PythonPrinter

# What _core reads: a number, the name of a symbol, or (operation, operands...).
Data = Union[int, float, str, tuple[Any, ...]]

# Classes of sympy and of torch.utils._sympy.functions.
_OPERATIONS = {
    "Add": "add", "Mul": "multiply", "Pow": "power", "PowByNatural": "power",
    "FloorDiv": "floor_divide", "CleanDiv": "floor_divide",
    "CeilDiv": "ceil_divide", "Mod": "remainder", "PythonMod": "remainder",
    "Max": "maximum", "Min": "minimum", "ToFloat": "to_real",
    "IntTrueDiv": "divide", "FloatTrueDiv": "divide", "Equality": "equal",
    "Unequality": "not_equal", "StrictLessThan": "less",
    "LessThan": "less_equal", "And": "and", "Or": "or", "Not": "not",
}
# Operations whose data has the operands the other way round.
_SWAPPED = {"StrictGreaterThan": "less", "GreaterThan": "less_equal"}


class UnsupportedSize(Exception):
    """A size that the importer has no form for."""


def expression_of(value: Any) -> Any:
    """A size as sympy has it."""
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return value.node.expr
    return sympy.sympify(value)


def data_of(value: Any) -> Data:
    """A number or a symbolic number as data."""
    return _data(expression_of(value))


def _data(expression: Any) -> Data:
    if isinstance(expression, sympy.Symbol):
        return str(expression)
    if expression.is_Integer:
        return int(expression)
    if isinstance(expression, sympy.Float):
        return float(expression)
    if isinstance(expression, sympy.Rational):
        return ("divide", int(expression.p), int(expression.q))
    name = type(expression).__name__
    operands = [_data(each) for each in expression.args]
    if name in _SWAPPED:
        return (_SWAPPED[name], *reversed(operands))
    if name in _OPERATIONS:
        return (_OPERATIONS[name], *operands)
    raise UnsupportedSize(f"the size {expression} is not supported")


def symbols_of(values: Iterable[Any]) -> set[Any]:
    """The symbols of sizes."""
    return {symbol for value in values
            if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool))
            for symbol in expression_of(value).free_symbols}


def is_unbacked(value: Any) -> bool:
    """Whether a size follows from elements of tensors."""
    return any(str(symbol).startswith(("u", "zu"))
               for symbol in symbols_of([value]))


def code_of(value: Any) -> str:
    """Python code that computes a size from variables named as its symbols."""
    return str(PythonPrinter().doprint(expression_of(value)))


def tuple_code(values: Sequence[Any]) -> str:
    return "(" + "".join(code_of(each) + ", " for each in values) + ")"


def range_of(shape_env: Any, symbol: Any) -> tuple[Optional[int], Optional[int]]:
    """The least and the most that a symbol may be; None: no limit."""
    found = shape_env.var_to_range.get(symbol)
    if found is None:
        return None, None

    def limit(value: Any) -> Optional[int]:
        is_number = value.is_Integer and value not in (int_oo, -int_oo)
        return int(value) if is_number and abs(value) < 2**62 else None
    return limit(found.lower), limit(found.upper)
