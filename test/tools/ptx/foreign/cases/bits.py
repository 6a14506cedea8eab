"""Integer tricks: bit fields, packed bytes, wide arithmetic, hashes."""

import hashlib
import zlib

import numpy as np

from harness.case import Launch, cuda, changed, given, i32, output, packed
from harness.compare import exact
from harness.numbers import wrap

MASK = 2 ** 32 - 1


def _words(random, count=256):
    return random.integers(0, 2 ** 32, count).astype(np.uint32)


def _rows(function, *inputs):
    """function(ints...) -> a tuple of ints; rows of u32."""
    values = [function(*map(int, item)) for item in zip(*inputs)]
    return wrap(np.array(values, object).T, "u32")


def _signed(x, bits=32):
    return (x & ((1 << bits) - 1)) - ((x >> (bits - 1) & 1) << bits)


def _bytes(x, is_signed=False, bits=8):
    parts = [x >> k & ((1 << bits) - 1) for k in range(0, 32, bits)]
    return [_signed(p, bits) for p in parts] if is_signed else parts


def _join(parts, bits=8):
    return sum((p & ((1 << bits) - 1)) << bits * k
               for k, p in enumerate(parts))


def _bfe_signed(x, position, length):
    """PTX §9.7.1.18: bits above the field are its sign, which is the last bit
    of `x` if the field reaches beyond."""
    if length == 0:
        return 0
    sign = x >> min(position + length - 1, 31) & 1
    return sum((x >> position + k & 1 if k < length and position + k < 32
                else sign) << k for k in range(32))


def _nth_set(mask, base):
    """fns with offset 2: the second set bit at `base` or above."""
    found = [k for k in range(base, 32) if mask >> k & 1]
    return found[1] if len(found) > 1 else MASK


def _prmt(x, y, selector):
    both = _bytes(x) + _bytes(y)
    parts = []
    for k in range(4):
        pick = selector >> 4 * k & 15
        value = both[pick & 7]
        parts.append((255 if value & 128 else 0) if pick & 8 else value)
    return _join(parts)


@cuda("bits/bits.cu")
def bit_tricks(random):
    a, b = _words(random), _words(random)
    a[:3], b[:2] = [0, MASK, 1], [0, MASK]

    def rows(x, y):
        lowest = (x & -x).bit_length()
        pair = x | y << 32
        shift = min(y, 32)
        length, at = y >> 16 & 15, y >> 8 & 31
        field = ((1 << length) - 1) << at
        shifted = x >> (y & 31)
        width = y & 31
        count = min(x & 15, 32)
        return (
            bin(x).count("1") | (32 - x.bit_length()) << 8 | lowest << 16,
            int(f"{x:032b}"[::-1], 2), _prmt(x, y, y),
            (pair << (y >> 27) >> 32) ^ (pair >> shift & MASK),
            _bfe_signed(x, y & 63, y >> 26),
            (~y & ~field) | (x << at & field),
            shifted.bit_length() - 1, (x >> 8 * (y & 3) & 255) * 0x01010101,
            _signed(x, width) if width else 0,
            ((1 << count) - 1) << (y & 31),
            _nth_set(x, y & 31), _prmt(x, y, y & 0x7777))
    return Launch(3, [given(a), given(b), output("out", (12, 256), "u32"),
                      i32(256)], {"out": exact(_rows(rows, a, b))}, 96)


@cuda("bits/bits.cu")
def logic(random):
    a, b, c = (_words(random) for _ in range(3))
    a[:40], b[:40] = a[:40] & 3, a[:40] & 3

    def table(x, y, z, lut):
        """Bit 4 x + 2 y + z of the table, at each place (PTX §9.7.8.6)."""
        return sum((lut >> (4 * (x >> k & 1) + 2 * (y >> k & 1)
                            + (z >> k & 1)) & 1) << k for k in range(32))

    def rows(x, y, z):
        low = (x & 15, y & 15, z & 15)
        return ((x & y) | (x & z) | (y & z), x ^ y ^ z, (x & y) | (~x & z),
                table(x, y, z, 0x1b), table(x, y, z, 0xd6),
                int(low[0] & low[1] & low[2] != 0 or low[0] != low[1]))
    return Launch(3, [given(a), given(b), given(c),
                      output("out", (6, 256), "u32"), i32(256)],
                  {"out": exact(_rows(rows, a, b, c))}, 96)


@cuda("bits/bits.cu")
def dot_bytes(random):
    a, b = _words(random), _words(random)

    def rows(i, x, y):
        xs, ys = _bytes(x, True), _bytes(y, True)
        xu, yu = _bytes(x), _bytes(y)
        dot = lambda p, q: sum(m * n for m, n in zip(p, q))
        sx, sy = _signed(x), _signed(y)
        return (dot(xs, ys) + i, dot(xu, yu) + 7, dot(xs, yu) - 5,
                dot(_bytes(x, True, 16), ys[:2]) + i,
                dot(_bytes(x, False, 16), yu[2:]) + 1,
                abs(sx - sy) + 3 + abs(x - y) + 4,
                ((sx + sy) >> 1 & MASK) ^ (x + y + 1) >> 1)
    out = _rows(rows, range(256), a, b).view(np.int32)
    return Launch(3, [given(a), given(b), output("out", (7, 256), "i32"),
                      i32(256)], {"out": exact(out)}, 96)


@cuda("bits/bits.cu")
def packed_bytes(random):
    a, b = _words(random), _words(random)

    def rows(x, y):
        xu, yu = _bytes(x), _bytes(y)
        xh, yh = _bytes(x, False, 16), _bytes(y, False, 16)
        each = lambda f, p, q, bits=8: _join(
            [f(m, n) for m, n in zip(p, q)], bits)
        return (each(lambda m, n: m + n, xu, yu),
                each(lambda m, n: min(m + n, 65535), xh, yh, 16),
                each(lambda m, n: abs(m - n), xu, yu),
                each(max, _bytes(x, True, 16), _bytes(y, True, 16), 16),
                each(lambda m, n: 255 if m > n else 0, xu, yu),
                sum(abs(m - n) for m, n in zip(_bytes(x, True),
                                               _bytes(y, True))),
                each(lambda m, n: (m + n + 1) >> 1, xu, yu))
    return Launch(3, [given(a), given(b), output("out", (7, 256), "u32"),
                      i32(256)], {"out": exact(_rows(rows, a, b))}, 96)


@cuda("bits/bits.cu")
def wide128(random):
    a, b = random.integers(0, 2 ** 64, (2, 100, 2), np.uint64)
    a[0], b[0] = 2 ** 64 - 1, [1, 0]
    out = np.empty((5, 100, 2), object)
    for i in range(100):
        x, y = (int(v[i, 0]) | int(v[i, 1]) << 64 for v in (a, b))
        results = (x + y, x - y, x * y, x >> (y & 127), x // (y >> 40 | 1))
        for k, value in enumerate(results):
            out[k, i] = [value & 2 ** 64 - 1, value >> 64]
    return Launch(2, [given(a), given(b), output("out", (5, 100, 2), "u64"),
                      i32(100)], {"out": exact(wrap(out, "u64"))}, 64)


@cuda("bits/bits.cu")
def carry_chain(random):
    a, b = _words(random, 128).reshape(32, 4), _words(random, 128).reshape(
        32, 4)
    a[0], b[0] = MASK, [1, 0, 0, 0]
    whole = lambda words: sum(int(w) << 32 * k for k, w in enumerate(words))
    split = lambda value, n: [value >> 32 * k & MASK for k in range(n)]
    out = [split(whole(x) + whole(y), 5) + split(whole(x) - whole(y), 4)
           + split(whole(x[:2]) * whole(y[:2]), 4) for x, y in zip(a, b)]
    return Launch(1, [given(a), given(b), output("out", (32, 13), "u32")],
                  {"out": exact(wrap(out, "u32"))}, 32)


@cuda("bits/hash.cu")
def philox(random):
    key = (0x12345678, 0x9abcdef0)
    out = []
    for i in range(200):
        x, y, z, w = i, 0, 7, 0
        k0, k1 = key
        for _ in range(10):
            p, q = 0xD2511F53 * x, 0xCD9E8D57 * z
            x, y, z, w = (q >> 32) ^ y ^ k0, q & MASK, (p >> 32) ^ w ^ k1, \
                p & MASK
            k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
        out.append([x, y, z, w])
    return Launch(2, [output("out", (200, 4), "u32"), packed("2I", *key),
                      i32(200)], {"out": exact(np.uint32(out))}, 128)


@cuda("bits/hash.cu")
def crc32(random):
    data = random.integers(0, 256, (64, 33)).astype(np.uint8)
    return Launch(1, [given(data), output("out", 64, "u32"), i32(33)],
                  {"out": exact(np.uint32([zlib.crc32(row.tobytes())
                                           for row in data]))}, 64)


@cuda("bits/hash.cu")
def sha256_block(random):
    """Rows are messages of 40 bytes with SHA-256's padding."""
    text = random.integers(0, 256, (32, 40)).astype(np.uint8)
    tail = np.zeros((32, 24), np.uint8)
    tail[:, 0], tail[:, -2:] = 0x80, [320 >> 8, 320 & 255]
    digests = [hashlib.sha256(row.tobytes()).digest() for row in text]
    out = np.array([np.frombuffer(d, ">u4") for d in digests])
    return Launch(1, [given(np.concatenate([text, tail], 1)),
                      output("out", (32, 8), "u32")],
                  {"out": exact(out.astype(np.uint32))}, 32)


@cuda("bits/hash.cu")
def xorshift(random):
    states = random.integers(1, 2 ** 64, 128, np.uint64)
    after, steps = [], []
    for s in map(int, states):
        n = 0
        while True:
            s ^= s << 13 & 2 ** 64 - 1
            s ^= s >> 7
            s ^= s << 17 & 2 ** 64 - 1
            n += 1
            if bin(s).count("1") % 8 == 0 or n == 100:
                break
        after.append(s)
        steps.append(n | (64 - s.bit_length()) << 16)
    return Launch(2, [changed("states", states), output("steps", 128, "i32")],
                  {"states": exact(np.array(after, np.uint64)),
                   "steps": exact(np.int32(steps))}, 64)
