"""Number formats that NumPy lacks, as arrays of their bits, and the inputs of
kernels. Formats are named as tilewright/manifest/DTypes.inc names them."""

import numpy as np

# How NumPy holds a dtype's elements, in memory and in .npy files.
STORAGE = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "bf16": np.uint16, "f8E4M3FN": np.uint8, "f8E5M2": np.uint8,
}
NAMES = {np.dtype(storage): name for name, storage in reversed(STORAGE.items())
         if name not in ("bf16", "f8E4M3FN", "f8E5M2")}


def _to_odd_f32(values):
    """f64 to f32, inexact values to the neighbour with an odd last bit: a
    second rounding to fewer bits then is as if there had been no first."""
    values = np.asarray(values, np.float64)
    near = values.astype(np.float32)
    toward_zero = np.where(np.abs(near.astype(np.float64)) > np.abs(values),
                           np.nextafter(near, np.float32(0)), near)
    inexact = toward_zero.astype(np.float64) != values
    return (toward_zero.view(np.uint32) | inexact.astype(np.uint32)).view(
        np.float32)


def to_bf16(values):
    """Bits of the nearest bf16, ties to even; NaN becomes 0x7fff."""
    bits = _to_odd_f32(values).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), 0x7fff, rounded).astype(np.uint16)


def from_bf16(bits):
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(
        np.float32)


def _table_f8(exponent_bits, fraction_bits, has_infinity):
    """Values of the 256 codes (OCP 8-bit floating point, section 5)."""
    code = np.arange(256)
    sign = np.where(code & 128, -1.0, 1.0)
    exponent = code >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = (code & ((1 << fraction_bits) - 1)) / (1 << fraction_bits)
    bias = (1 << (exponent_bits - 1)) - 1
    value = np.where(exponent == 0, fraction * 2.0 ** (1 - bias),
                     (1 + fraction) * np.exp2(exponent - float(bias)))
    top = exponent == (1 << exponent_bits) - 1
    if has_infinity:
        value = np.where(top, np.where(fraction == 0, np.inf, np.nan), value)
    else:
        value = np.where((code & 127) == 127, np.nan, value)
    return (sign * value).astype(np.float32)


F8_VALUES = {"f8E4M3FN": _table_f8(4, 3, False),
             "f8E5M2": _table_f8(5, 2, True)}


def to_f8(values, dtype):
    """Bits of the nearest f8, ties to even, finite values clamped to the
    greatest one (PTX `.satfinite`); a NaN becomes 0x7f."""
    table = F8_VALUES[dtype][:128].astype(np.float64)
    finite = table[np.isfinite(table)]
    values = np.asarray(values, np.float64)
    size = np.minimum(np.abs(values), finite[-1])
    size = np.where(np.isnan(size), 0, size)
    above = np.searchsorted(finite, size).clip(1, finite.size - 1)
    low, high = finite[above - 1], finite[above]
    middle = (low + high) / 2
    is_up = (size > middle) | ((size == middle) & (above % 2 == 0))
    code = np.where(is_up, above, above - 1)
    code = np.where(np.signbit(values), code | 128, code)
    return np.where(np.isnan(values), 0x7f, code).astype(np.uint8)


def to_tf32(values):
    """f32 values rounded to tf32's 10 fraction bits, ties away from zero
    (PTX cvt.rna.tf32.f32), as f32."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + np.uint32(0x1000)) & np.uint32(0xffffe000)).view(
        np.float32)


def pack(values, dtype):
    """The array of STORAGE[dtype] nearest to `values`."""
    if dtype == "bf16":
        return to_bf16(values)
    if dtype in F8_VALUES:
        return to_f8(values, dtype)
    return np.asarray(values).astype(STORAGE[dtype])


def unpack(array, dtype):
    """The values of an array of STORAGE[dtype]: float64, or integers as they
    are."""
    if dtype == "bf16":
        return from_bf16(array).astype(np.float64)
    if dtype in F8_VALUES:
        return F8_VALUES[dtype][array].astype(np.float64)
    array = np.asarray(array)
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def directed(values, dtype, mode):
    """f64 values to f16 or f32, mode "zero", "down" or "up"."""
    values = np.asarray(values, np.float64)
    storage = STORAGE[dtype]
    near = values.astype(storage)
    wide = near.astype(np.float64)
    if mode == "zero":
        return np.where(np.abs(wide) > np.abs(values),
                        np.nextafter(near, storage(0)), near)
    goal = storage(-np.inf if mode == "down" else np.inf)
    beyond = wide > values if mode == "down" else wide < values
    return np.where(beyond, np.nextafter(near, goal), near)


def wrap(values, dtype):
    """Integers of any size (an object array, say) modulo 2^bits."""
    storage = np.dtype(STORAGE[dtype])
    bits = 8 * storage.itemsize
    wrapped = np.asarray(values, object) & ((1 << bits) - 1)
    return wrapped.astype(np.uint64).astype(f"u{storage.itemsize}").view(
        storage)


def small_integers(random, shape, dtype, greatest=4):
    """Whole numbers in [-greatest, greatest] as `dtype`: their sums of
    products are exact in every format and order used here."""
    return pack(random.integers(-greatest, greatest + 1, shape), dtype)


def normal(random, shape, dtype="f32"):
    """Standard normal values, rounded to `dtype`."""
    return pack(random.standard_normal(shape), dtype)
