"""Element types and values for random tensors.

Values of floats are multiples of a power of two, and mostly distinct: sums of
them are exact, and no order or rounding depends on noise.
"""

import numpy as np

F32, F16, F64 = np.dtype(np.float32), np.dtype(np.float16), np.dtype(np.float64)
I64, I32, I16, I8 = (np.dtype(f"int{bits}") for bits in (64, 32, 16, 8))
U64, U32, U16, U8 = (np.dtype(f"uint{bits}") for bits in (64, 32, 16, 8))
BOOL = np.dtype(bool)
FLOATS = (F32, F16, F64)
SIGNED = (I64, I32, I16, I8)
UNSIGNED = (U64, U32, U16, U8)
INTS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTS
ALL = NUMBERS + (BOOL,)
# How often a new tensor has a type, where an operator takes several.
WEIGHTS = {F32: 24, F16: 3, F64: 3, I64: 4, I32: 3, I8: 1, U8: 1, BOOL: 2,
           I16: .3, U16: .3, U32: .3, U64: .3}

SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0]


def choose_dtype(random, dtypes):
    dtypes = list(dtypes)
    return random.choices(dtypes, [WEIGHTS[dtype] for dtype in dtypes])[0]


def distinct(random, count, low, high):
    """`count` different multiples of a power of two in [low, high), in random
    order; the step is at least 1/64, so many values repeat."""
    step = 1.0
    while step > 1 / 64 and (high - low) / step < max(count, 2) * 1.25:
        step /= 2
    slots = max(1, int((high - low) / step))
    numbers = []
    while len(numbers) < count:
        order = list(range(slots))
        random.shuffle(order)
        numbers += order
    return np.array(numbers[:count], np.float64) * step + low


def make(random, dtype, shape, domain=None):
    """A random array. `domain` is (low, high) for numbers; of integers both
    ends are possible."""
    count = int(np.prod(shape, dtype=np.int64))
    if dtype == BOOL:
        flat = np.array([random.random() < 0.5 for _ in range(count)], bool)
        return flat.reshape(shape)
    if dtype.kind in "iu":
        low, high = domain or ((-9, 9) if dtype.kind == "i" else (0, 17))
        low = max(low, np.iinfo(dtype).min)
        flat = np.array([random.randint(int(low), int(high))
                         for _ in range(count)], dtype)
        return flat.reshape(shape)
    low, high = domain or (-4, 4)
    if random.random() < 0.1:
        few = distinct(random, 3, low, high)
        flat = np.array([random.choice(few) for _ in range(count)], dtype)
    else:
        flat = distinct(random, count, max(low, -6e4), min(high, 6e4)).astype(
            dtype)
    return flat.reshape(shape)


def sprinkle(random, array):
    """Puts special values at some places of floats and integers."""
    out = array.copy()
    flat = out.reshape(-1)
    for i in range(flat.size):
        if random.random() >= 0.2:
            continue
        if array.dtype.kind == "f":
            limits = np.finfo(array.dtype)
            flat[i] = random.choice(
                SPECIAL + [limits.max, limits.min, limits.tiny])
        elif array.dtype.kind in "iu":
            limits = np.iinfo(array.dtype)
            flat[i] = random.choice([limits.max, limits.min])
    return out
