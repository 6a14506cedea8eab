"""The dictionary: values at the edges of what fields of a file hold."""

# The widths of sizes, offsets, types, ids and signed numbers.
BITS = (8, 16, 31, 32, 63, 64)
INTEGERS = sorted(
    {sign * (1 << bits) + step for bits in BITS for sign in (1, -1)
     for step in (-1, 0, 1)} |
    # Signed 8 and 16 bits, limits that pages state, and what loops begin with.
    {127, 128, -128, -129, 32767, 32768, -32768, -32769} |
    {(1 << bits) + step for bits in (12, 24, 44, 48) for step in (0, 1)} |
    set(range(-2, 5)) | {7, 33, 63, 64, 65, 100, 1000, 1025})
# As unsigned numbers of 64 bits that wrap where they are multiplied by sizes.
WRAPPING = [(1 << 64) // size + 1 for size in (2, 4, 8, 12, 16, 24)]
FLOATS = ["0.0", "-0.0", "1e308", "-1e308", "1e400", "1e-400", "5e-324",
          "3.4028236e38", "65520.0", "0x7FC00000", "0x7F800000", "0x0", "1e",
          "nan", "inf", ".5", "1.7976931348623157e308"]
STRINGS = ["", " ", "a", "a" * 300, "b" * 70000, ".", "..", "../x", "/", "//",
           "/dev/zero", "/proc/self/mem", "x\0y", "\n", "\x1b[2J", "\x7f",
           "\u00e9", "\U0001f600", "\ufeff", "%s%n", "{}", "'", '"', "\\",
           "$(x)", "-o", "--", "*", "N", "N * N", "9223372036854775807 * N"]
DTYPES = ["f32", "f64", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E8M0FNU",
          "f4E2M1FN", "i1", "i2", "i4", "i8", "i16", "i32", "i64", "u4", "u8",
          "u16", "u32", "u64", "bool", "index", "tf32", "i128", "i16777215",
          "i16777216", "f128", "none"]


def integer(random):
    """An edge, or a sum of two small steps from one."""
    if random.random() < 0.1:
        return random.choice(WRAPPING)
    if random.random() < 0.2:
        return random.choice(INTEGERS) + random.randint(-9, 9)
    return random.choice(INTEGERS)


def steps(random):
    """How many changes a mutant has: mostly one, so that the rest is read."""
    return random.choice([1, 1, 1, 1, 1, 2, 2, 3])


def raw(random, data):
    """The bytes of a field: fewer, more, none, or others."""
    kind = random.randrange(5)
    if kind == 0:
        return data[:random.randrange(len(data) + 1)]
    if kind == 1:
        return data + bytes(random.choice([1, 2, 3, 8, 4096]))
    if kind == 2:
        return b""
    if kind == 3:
        return random.randbytes(random.choice([1, 4, 8, len(data) or 1]))
    return flip(random, data)


def flip(random, data):
    """Some bytes are others."""
    data = bytearray(data)
    for _ in range(random.randint(1, 4)):
        if data:
            data[random.randrange(len(data))] = random.choice(
                [0, 1, 127, 128, 255, random.randrange(256)])
    return bytes(data)


def damage(random, data):
    """A file that broke off, was joined with itself, or has other bytes: what
    a mutator by structure does to one file of twenty."""
    kind = random.randrange(3)
    if kind == 0:
        return data[:random.randrange(len(data) + 1)]
    if kind == 1:
        at, other = sorted(random.randrange(len(data) + 1) for _ in range(2))
        return data[:other] + data[at:]
    return flip(random, data)
