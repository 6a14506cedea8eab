"""Atomic operations of each kind and type, locks, and blocks that wait."""

import numpy as np

from harness import numbers
from harness.case import Launch, cuda, changed, given, i32, output
from harness.compare import exact, that
from harness.numbers import normal


def _commutative(words, x):
    """What commutative() leaves; `x` wide enough for the sum to wrap."""
    after = words.copy()
    after[0] += x.sum(dtype=x.dtype)
    after[1], after[2] = min(words[1], x.min()), max(words[2], x.max())
    after[3] &= np.bitwise_and.reduce(x | x.dtype.type(15))
    after[4] |= np.bitwise_or.reduce(x & x.dtype.type(240))
    after[5] ^= np.bitwise_xor.reduce(x)
    return after


def _values(random, dtype, count):
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, count, dtype)


@cuda("atomics/kinds.cu")
def atomics_i32(random):
    x, words = _values(random, np.int32, 192), _values(random, np.int32, 9)
    words[7], words[8] = 5, 3
    after = _commutative(words, x)
    after[6] -= x.sum(dtype=np.int32)
    for _ in range(192):
        after[7] = 0 if after[7] >= 41 else after[7] + 1
        after[8] = 17 if after[8] == 0 or after[8] > 17 else after[8] - 1
    return Launch(3, [changed("words", words), given(x)],
                  {"words": exact(after)}, 64)


def _kinds(random, dtype):
    x, words = _values(random, dtype, 192), _values(random, dtype, 6)
    return Launch(3, [changed("words", words), given(x)],
                  {"words": exact(_commutative(words, x))}, 64)


@cuda("atomics/kinds.cu")
def atomics_u32(random):
    return _kinds(random, np.uint32)


@cuda("atomics/kinds.cu")
def atomics_i64(random):
    return _kinds(random, np.int64)


@cuda("atomics/kinds.cu")
def atomics_u64(random):
    return _kinds(random, np.uint64)


@cuda("atomics/kinds.cu")
def atomics_float(random):
    x = random.integers(-3, 4, 96).astype(np.int32)
    x[-1] -= x.sum() - 5  # Sums stay small: exact in bf16, too.
    x = random.permutation(x)
    zeros = lambda n, dtype: np.zeros(n, numbers.STORAGE[dtype])
    total = float(x.sum())
    return Launch(3, [
        changed("f", zeros(1, "f32")), changed("d", zeros(1, "f64")),
        changed("h", zeros(2, "f16")), changed("b", zeros(2, "bf16"), "bf16"),
        changed("h1", zeros(1, "f16")), given(x)],
        {"f": exact(np.float32([total])), "d": exact(np.array([total / 1024])),
         "h": exact(np.float16([total, -total])),
         "b": exact(numbers.to_bf16([total, 96])),
         "h1": exact(np.float16([total]))}, 32)


def _handed_out(first, step, count):
    """A judge: the numbers first, first + step, ... each once."""
    def judge(found):
        wanted = first + step * np.arange(count)
        return None if (np.sort(found) == wanted).all() else \
            f"not each of {count} numbers once: {np.sort(found)[:8]}..."
    return that((count,), judge)


@cuda("atomics/kinds.cu")
def atomics_old(random):
    def tokens_left(found):
        return None if 1 <= found[0] <= 128 and found[1] == 3 * 128 else \
            f"tokens {found}"

    def got(found):
        """All tokens but the one that is left, and the 0 of the start."""
        found = np.sort(found)
        return None if found[0] == 0 and np.unique(found).size == 128 and \
            found[-1] <= 128 else f"a token twice: {found}"
    last = 1
    for _ in range(128):
        last = last * 3 + 1
    return Launch(2, [
        changed("tokens", np.zeros(2, np.uint32)), output("got", 128, "u32"),
        output("seen32", 128, "u32"), changed("next16", np.uint16([7])),
        changed("next64", np.ones(1, np.uint64))],
        {"tokens": that((2,), tokens_left), "got": that((128,), got),
         "seen32": _handed_out(0, 3, 128),
         "next16": exact(np.uint16([7 + 256])),
         "next64": exact(numbers.wrap([last], "u64"))}, 64)


@cuda("atomics/kinds.cu")
def atomics_scopes(random):
    blocks = 3
    words = np.zeros(6, np.int32)
    for k in range(4):
        words[k] = blocks * sum(t for t in range(64) if t & 3 == k)
    words[4], words[5] = blocks * 64, 63
    return Launch(blocks, [changed("words", np.zeros(6, np.int32)),
                           output("sums", blocks, "f32")],
                  {"words": exact(words),
                   "sums": exact(np.full(blocks, 32, np.float32))}, 64)


@cuda("atomics/kinds.cu")
def float_max(random):
    x = np.abs(normal(random, 256))
    return Launch(2, [changed("best", np.zeros(1, np.float32)), given(x)],
                  {"best": exact(x.max(keepdims=True))}, 128)


@cuda("atomics/ordered.cu")
def spin_lock(random):
    one = np.zeros(1, np.int32)
    return Launch(3, [changed("lock", one), changed("count", one),
                      output("order", 96, "i32")],
                  {"lock": exact(one), "count": exact(np.int32([96])),
                   "order": _handed_out(0, 1, 96)}, 32)


@cuda("atomics/ordered.cu")
def ticket_lock(random):
    total = 0
    for mine in range(12):
        total = (total * 3 + mine) % 2 ** 32
    zero = np.zeros(1, np.uint32)
    return Launch(12, [changed(name, zero) for name in
                       ("tickets", "serving", "sum")],
                  {"tickets": exact(np.uint32([12])),
                   "serving": exact(np.uint32([12])),
                   "sum": exact(np.uint32([total]))}, 32)


@cuda("atomics/ordered.cu")
def last_block(random):
    x = random.integers(-99, 99, (10, 32)).astype(np.int32)
    return Launch(10, [
        given(x), output("parts", 10, "i32"),
        changed("finished", np.zeros(1, np.uint32)), output("out", 1, "i32")],
        {"parts": exact(x.sum(1).astype(np.int32)),
         "finished": exact(np.zeros(1, np.uint32)),
         "out": exact(np.int32([x.sum()]))}, 32)


@cuda("atomics/ordered.cu")
def ping_pong(random):
    data = 1
    for r in range(6):
        data = (data * 2 + r) * 2 + 1 + r
    return Launch(2, [changed("flag", np.zeros(1, np.int32)),
                      changed("data", np.ones(1, np.int32)), i32(6)],
                  {"flag": exact(np.int32([12])),
                   "data": exact(np.int32([data]))}, 32)


@cuda("atomics/ordered.cu")
def grid_barrier(random):
    x = random.integers(-999, 999, 8 * 64).astype(np.int32)
    return Launch(8, [given(x), output("middle", x.size, "i32"),
                      output("out", x.size, "i32"),
                      changed("arrived", np.zeros(1, np.uint32))],
                  {"middle": exact(x * 3), "out": exact(x[::-1] * 3 + 1),
                   "arrived": exact(np.uint32([8]))}, 64)


@cuda("atomics/ordered.cu")
def push_all(random):
    count = 96

    def nodes(found):
        """Each points to another; one is the end."""
        value, following = found.reshape(-1, 2).T
        good = (value == np.arange(count) ** 2).all() and (
            np.unique(following).size == count) and following.min() == -1
        return None if good else f"no list: {following}"

    def head(found):
        return None if found[0] >> 16 == count and \
            1 <= found[0] & 0xffff <= count else f"head {found[0]:#x}"
    return Launch(3, [output("nodes", (count, 2), "i32"),
                      changed("head", np.zeros(1, np.int64))],
                  {"nodes": that((count, 2), nodes), "head": that((1,), head)},
                  32)
