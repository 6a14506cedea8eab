"""What a kernel must write: exact(...), near(...) or that(...)."""

import numpy as np

from . import numbers


class exact:
    """Bit for bit; NaNs of any payload are equal. `again` is a function that
    computes the same in another way."""

    def __init__(self, expected, again=None):
        self.expected = np.asarray(expected)
        self.again = again

    def problem(self, found, dtype):
        expected = self.expected
        if found.dtype != expected.dtype:
            return f"dtype {found.dtype}, expected {expected.dtype}"
        same = _bits(found) == _bits(expected)
        if dtype in ("bf16", "f16", "f32", "f64"):
            same |= np.isnan(numbers.unpack(found, dtype)) & np.isnan(
                numbers.unpack(expected, dtype))
        return None if same.all() else _differences(~same, found, expected)


class near:
    """Within `bound` (absolute, an array or a number) of the values
    `expected`; where those are not finite, the same."""

    def __init__(self, expected, bound, again=None):
        self.expected = np.asarray(expected, np.float64)
        self.bound, self.again = bound, again

    def problem(self, found, dtype):
        values = numbers.unpack(found, dtype).astype(np.float64)
        same = np.abs(values - self.expected) <= self.bound
        same |= (values == self.expected)
        same |= np.isnan(values) & np.isnan(self.expected)
        if same.all():
            return None
        return _differences(~same, values, self.expected, self.bound)


class that:
    """`judge(array)` returns None, or what is wrong; for results that depend
    on the order of threads."""

    def __init__(self, shape, judge):
        self.expected = np.empty(shape, np.void)
        self.again = None
        self.judge = judge

    def problem(self, found, dtype):
        return self.judge(numbers.unpack(found, dtype))


def judge(expectation, found, dtype):
    """None, or what is wrong with the array `found`."""
    if found.shape != expectation.expected.shape:
        return f"shape {found.shape}, expected {expectation.expected.shape}"
    with np.errstate(all="ignore"):
        return expectation.problem(found, dtype)


def second_opinion(expectation, dtype):
    """None if the reference agrees with its second formulation."""
    again = np.asarray(expectation.again())
    if isinstance(expectation, near):
        again = again.astype(np.float64)
        bound = expectation.bound
        same = (np.abs(again - expectation.expected) <= bound) | (
            again == expectation.expected)
        same |= np.isnan(again) & np.isnan(expectation.expected)
        return None if same.all() else _differences(
            ~same, again, expectation.expected, bound)
    return judge(expectation, again.astype(expectation.expected.dtype), dtype)


def _bits(array):
    array = np.ascontiguousarray(array)
    return array.view(f"u{array.dtype.itemsize}")


def _differences(wrong, found, expected, bound=None):
    at = np.unravel_index(np.argmax(wrong), wrong.shape)
    text = (f"{np.count_nonzero(wrong)} of {wrong.size} differ, the first at "
            f"{[int(i) for i in at]}: {found[at]!s}, expected {expected[at]!s}")
    if bound is not None:
        text += f" +- {np.broadcast_to(bound, wrong.shape)[at]:.3g}"
    return text
