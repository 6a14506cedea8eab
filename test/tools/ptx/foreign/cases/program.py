"""Programs: calls, recursion, tables of branches, local memory, data of the
module."""

import numpy as np

from harness import numbers
from harness.case import Launch, changed, cuda, given, i32, output
from harness.compare import exact, that
from harness.numbers import wrap


@cuda("program/calls.cu")
def function_table(random):
    x = random.integers(-1000, 1000, 32).astype(np.int32)
    table = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, max]
    out = []
    for t, v in enumerate(x.tolist()):
        total = v
        for i in range(5):
            total = table[(v + i * t) & 3](total, i + 1)
        out.append(total)
    return Launch(1, [given(x), output("out", 32, "i32")],
                  {"out": exact(wrap(out, "i32"))}, 32)


@cuda("program/calls.cu")
def recursion(random):
    def ackermann(m, n):
        """(value, calls)"""
        if m == 0:
            return n + 1, 1
        if n == 0:
            value, calls = ackermann(m - 1, 1)
            return value, calls + 1
        inner, first = ackermann(m, n - 1)
        value, second = ackermann(m - 1, inner)
        return value, 1 + first + second
    rows = [ackermann(t % 3, t // 3) for t in range(16)]
    values, calls = zip(*rows)
    return Launch(1, [output("out", 16, "u32"), output("calls", 16, "i32")],
                  {"out": exact(np.uint32(values)),
                   "calls": exact(np.int32(calls))}, 16)


BIG = np.dtype([("d", "f8", 3), ("tag", "i1"), ("pad", "i1"), ("s", "i2", 2),
                ("tail", "i2")])


@cuda("program/calls.cu")
def structures(random):
    rows = np.zeros(32, BIG)
    rows["d"] = random.integers(-99, 99, (32, 3))  # Exact with any rounding.
    rows["tag"] = random.integers(-128, 128, 32)
    rows["s"] = random.integers(-999, 999, (32, 2))

    def mix(a, b, f):
        r = a.copy()
        r["d"] = a["d"] * f + b["d"][:, ::-1]
        r["tag"] = a["tag"] ^ b["tag"]
        r["s"][:, 0], r["s"][:, 1] = a["s"][:, 1], b["s"][:, 0]
        return r
    mixed = mix(rows, rows[::-1], 0.5)
    mixed = mix(mixed, mixed, 2.0)
    as_words = lambda a: a.view(np.uint64).reshape(32, 4)

    def without_padding(words):
        """The bytes of padding may hold anything."""
        words = words.copy()
        words[:, 3] &= np.uint64(0x0000ffffffff00ff)
        return words
    return Launch(1, [given(as_words(rows)),
                      changed("out", np.zeros((32, 4), np.uint64))],
                  {"out": _masked(without_padding(as_words(mixed)),
                                  without_padding)}, 32)


def _masked(expected, mask):
    def judge(found):
        wrong = (mask(found.astype(np.uint64)) != expected).any(1)
        return f"{wrong.sum()} structures differ" if wrong.any() else None
    return that(expected.shape, judge)


@cuda("program/calls.cu")
def any_memory(random):
    x = random.integers(-99, 99, 4).astype(np.int32)
    total = int(x.sum())
    out = []
    for t in range(16):
        out.append([total + 100000, total * 2 * 10, total + 4 * t + 1000,
                    7 + 7][(t + 2) % 4])
    return Launch(1, [given(x), output("out", 16, "i32"), i32(2)],
                  {"out": exact(np.int32(out))}, 16)


@cuda("program/calls.cu")
def virtual_calls(random):
    x = numbers.small_integers(random, 32, "f32")
    v = x.astype(np.float64)
    out = np.where(np.arange(32) & 1, v * v, 3 * ((v + 1) ** 2 - v * v))
    return Launch(1, [given(x), output("out", 32, "f32")],
                  {"out": exact(out.astype(np.float32))}, 32)


PUSH, ADD, MUL, DUP, SWAP, JUMP, DROP, HALT, NEGATE = range(9)


def _interpret(code, value):
    stack, at = [value], 0
    while True:
        step, at = code[at], at + 1
        if step == PUSH:
            stack.append(code[at])
            at += 1
        elif step in (ADD, MUL):
            top = stack.pop()
            stack[-1] = stack[-1] + top if step == ADD else stack[-1] * top
        elif step == DUP:
            stack.append(stack[-1])
        elif step == SWAP:
            stack[-1], stack[-2] = stack[-2], stack[-1]
        elif step == JUMP:
            at += 1 + (code[at] if stack[-1] > 0 else 0)
        elif step == DROP:
            stack.pop()
        elif step == NEGATE:
            stack[-1] = -stack[-1]
        else:
            return len(stack) * 1000000 + sum(
                v * (i + 1) for i, v in enumerate(stack))


@cuda("program/flow.cu")
def stack_machine(random):
    own = [PUSH, 7, ADD, DUP, MUL, PUSH, 3, SWAP, DUP, ADD, PUSH, 5, DROP,
           NEGATE, PUSH, 9, HALT]
    # Counts down to zero: a loop of jumps back.
    other = [DUP, PUSH, -1, ADD, JUMP, -6, HALT]
    x = random.integers(1, 6, 32).astype(np.int32)
    out = [_interpret(other if t % 2 else own, int(v))
           for t, v in enumerate(x)]
    return Launch(1, [given(x), output("out", 32, "i32"),
                      given(np.int8(other))],
                  {"out": exact(wrap(out, "i32"))}, 32)


@cuda("program/flow.cu")
def branch_table(random):
    x = random.integers(-99, 99, 64).astype(np.int32)
    out = np.choose(x & 3, [x + 100, x * -3, ~x, x * -3])
    return Launch(1, [given(x), output("out", 64, "i32")],
                  {"out": exact(out.astype(np.int32))}, 64)


@cuda("program/flow.cu")
def local_sort(random):
    x = random.integers(-999, 999, (64, 29)).astype(np.int16)
    return Launch(1, [given(x), output("out", x.shape, "i16"), i32(29)],
                  {"out": exact(np.sort(x, 1))}, 64)


@cuda("program/flow.cu")
def carved(random):
    x = random.integers(-99, 99, 96).astype(np.float64)
    after = (np.arange(96) + 1) % 96
    out = x[after] * 2 + x[95 - after]
    return Launch(1, [given(x), output("out", 96, "f32"), i32(96)],
                  {"out": exact(out.astype(np.float32))}, 96, shared=96 * 13)


@cuda("program/flow.cu")
def stack_room(random):
    x = random.integers(-99, 99, 8).astype(np.int32)
    out = []
    for t in range(32):
        total = 0
        for i in reversed(range(3 + t % 5)):
            total = total * 3 + int(x[i]) * t
        out.append(total)
    return Launch(1, [given(x), output("out", 32, "i32")],
                  {"out": exact(wrap(out, "i32"))}, 32)


@cuda("program/flow.cu")
def asserts(random):
    x = random.integers(0, 5000, 64).astype(np.int32)
    return Launch(1, [given(x), output("out", 64, "i32")],
                  {"out": exact(np.floor(np.sqrt(x)).astype(np.int32))}, 64)


@cuda("program/data.cu")
def initialized(random):
    out = [5, 13, 7, 0.5, 1.5, -2, 4, 0, 0, 0.1]
    out += list(b"tile\0wright\0") + [0x12345678, 0x3c00 + 0xc000]
    out += list(b"loadstorefence") + [4, 0]
    return Launch(1, [output("out", len(out), "f64")],
                  {"out": exact(np.float64(out))}, 1)


@cuda("program/data.cu")
def module_counter(random):
    out = np.repeat(np.arange(6, dtype=np.int32), 32)
    return Launch(6, [output("out", 192, "i32")], {"out": exact(out)}, 32)
