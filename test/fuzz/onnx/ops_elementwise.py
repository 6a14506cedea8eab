"""Elementwise operators."""

import numpy as np
from onnx import helper

from graph import Reject
from oracle import element_type
from registry import op
from values import (ALL, BOOL, F16, F32, F64, FLOATS, I16, I32, I64, INTS,
                    SIGNED, U8, U16, U32, U64, UNSIGNED, I8)

# Where each is defined, and far from overflow.
DOMAINS = {"Acos": (-1, 1), "Asin": (-1, 1), "Acosh": (1, 50),
           "Atanh": (-.9, .9), "Log": (1e-3, 1e4), "Sqrt": (0, 1e6),
           "Exp": (-20, 8), "Cosh": (-6, 6), "Sinh": (-6, 6),
           "Tan": (-1.4, 1.4), "Sin": (-30, 30), "Cos": (-30, 30),
           "Softplus": (-30, 30), "Mish": (-20, 20)}


def plain(g, name, dtypes=FLOATS, kind="elementwise", domain=None, **more):
    domain = domain or DOMAINS.get(name)
    if g.chance(0.04) or g.special:
        domain = None
    return g.node(name, [g.pick(dtypes, domain=domain)], kind=kind, **more)


@op("Acos", "Asin", "Atan", "Cos", "Sin", "Tan", since=7, weight=.5)
@op("Acosh", "Asinh", "Atanh", "Cosh", "Sinh", "Erf", since=9, weight=.5)
@op("Exp", "Log", "Sigmoid", "Tanh", "Softplus", "Softsign", "Sqrt",
    "HardSwish", since=9)
@op("Mish", since=18, weight=.5)
def transcendental(g, name):
    if name == "HardSwish" and g.opset < 14:
        raise Reject
    plain(g, name)


@op("Ceil", "Floor", weight=.7)
@op("Round", since=11, weight=.7)
def rounding(g, name):
    plain(g, name, kind="exact")


@op("Identity")
def identity(g, name):
    plain(g, name, ALL, "exact")


@op("Abs", "Neg", "Sign", since=9)
def signs(g, name):
    plain(g, name, FLOATS + (SIGNED if name == "Neg" else INTS), "exact",
          domain=(-100, 100) if name != "Sign" else None)


@op("Relu")
def relu(g, name):
    plain(g, name, FLOATS + ((I32, I8, I64) if g.opset >= 14 else ()), "exact")


@op("Reciprocal")
def reciprocal(g, name):
    side = g.random.choice([(0.1, 1e4), (-1e4, -0.1)])
    plain(g, name, domain=None if g.chance(.05) else side)


@op("Not", weight=.5)
def logical_not(g, name):
    plain(g, name, [BOOL], "exact")


@op("BitwiseNot", since=18, weight=.5)
def bitwise_not(g, name):
    plain(g, name, INTS, "exact")


@op("IsNaN", "IsInf", since=10, weight=.4)
def is_special(g, name):
    dtypes = FLOATS if name == "IsNaN" else (F32, F64)
    more = {}
    if name == "IsInf" and g.chance(.5):
        more = {"detect_negative": g.random.randint(0, 1),
                "detect_positive": g.random.randint(0, 1)}
    t = g.pick(dtypes)
    if g.chance(.5):
        t = g.leaf(t.dtype, t.dims)
        from values import sprinkle
        for k, value in enumerate(t.values):
            t.values[k] = sprinkle(g.random, value)
        if t.constant:
            t.values = [t.values[0]] * g.count
    g.node(name, [t], **more)


def maybe(g, value):
    return value if g.chance(.6) else None


def eighths(g, low, high):
    return g.random.randint(int(low * 8), int(high * 8)) / 8


@op("Elu", "LeakyRelu", "ThresholdedRelu", since=10, weight=.7)
@op("Celu", since=12, weight=.7)
def with_alpha(g, name):
    kind = "exact" if name == "ThresholdedRelu" else "elementwise"
    plain(g, name, [F32] if name == "Celu" else FLOATS, kind,
          alpha=maybe(g, eighths(g, .125, 3)))


@op("Selu", weight=.7)
def selu(g, name):
    plain(g, name, alpha=maybe(g, eighths(g, .5, 2)),
          gamma=maybe(g, eighths(g, .5, 2)))


@op("HardSigmoid", weight=.7)
def hard_sigmoid(g, name):
    plain(g, name, alpha=maybe(g, eighths(g, .125, 1)),
          beta=maybe(g, eighths(g, 0, 1)))


@op("Shrink", since=9, weight=.7)
def shrink(g, name):
    plain(g, name, FLOATS + (I32, I64), "elementwise",
          bias=maybe(g, eighths(g, 0, 2)), lambd=maybe(g, eighths(g, 0, 2)))


@op("Gelu", since=20)
def gelu(g, name):
    plain(g, name, kind="difference",
          approximate=maybe(g, g.random.choice(["none", "tanh"])))


@op("Swish", since=24)
def swish(g, name):
    plain(g, name, alpha=maybe(g, eighths(g, .125, 3)))


@op("Clip", since=7)
def clip(g, name):
    if g.opset < 11:
        low = eighths(g, -3, 1)
        plain(g, name, [F32], "exact", min=maybe(g, low),
              max=maybe(g, low + eighths(g, 0, 3)))
        return
    t = g.pick(FLOATS + ((I32, I64, I8, U8) if g.opset >= 12 else ()))
    low = g.random.randint(-3, 2) if t.dtype.kind != "u" else 2
    high = low + g.random.randint(0, 4)

    def bound(value):
        if not g.chance(.7):
            return None
        return g.leaf(t.dtype, [], (value, value)) if t.dtype.kind in "iu" \
            else g.leaf(t.dtype, [], (value, value + .5))
    g.node(name, [t, bound(low), bound(high)])


@op("Dropout", since=7, weight=.4)
def dropout(g, name):
    t = g.pick(FLOATS)
    outputs = [True, g.chance(.3)]
    if g.opset < 12:
        g.node(name, [t], [True], ratio=maybe(g, eighths(g, .125, .75)))
        return
    ratio = g.const(np.float32(.25)) if g.chance(.5) else None
    mode = g.const(np.bool_(False)) if g.chance(.3) else None
    g.node(name, [t, ratio, mode], outputs)


def cast_targets(g, t):
    """Types to which each value of `t` has one meaning."""
    if t.dtype.kind == "f":
        finite = all(np.all(np.isfinite(v)) for v in t.values)
        found = [F32, F64, BOOL]
        if max(abs(t.low()), abs(t.high())) < 60000 or not finite:
            found.append(F16)
        if finite and t.low() > -1 and t.high() < 255:
            found += [U8, U32]
        if finite and max(abs(t.low()), abs(t.high())) < 120:
            found.append(I8)
        if finite and max(abs(t.low()), abs(t.high())) < 1e9:
            found += [I32, I64]
        return found
    return [d for d in ALL if d != F16 or max(abs(t.low()), t.high()) < 60000]


@op("Cast", weight=2)
def cast(g, name):
    t = g.pick(ALL)
    to = g.random.choice(cast_targets(g, t))
    g.node(name, [t], kind="elementwise" if to.kind == "f" and
           t.dtype.kind != "b" else "exact", to=element_type(to))


@op("CastLike", since=15, weight=.5)
def cast_like(g, name):
    t = g.pick(ALL)
    to = g.random.choice(cast_targets(g, t))
    g.node(name, [t, g.pick([to])],
           kind="elementwise" if to.kind == "f" else "exact")


@op("BitCast", since=26, weight=.3)
def bit_cast(g, name):
    t = g.pick([F32, I32, U32, F64, I64, U64, F16, U16])
    to = g.random.choice([d for d in ALL if d.itemsize == t.dtype.itemsize
                          and d != BOOL])
    g.node(name, [t], to=element_type(to))


# Two and more operands.

def arithmetic(g):
    old = g.opset < 14
    return (F32, F64, F16, I32, I64) if old else \
        (F32, F64, F16, I32, I64, I8, U8, I16)


def pair(g, a, b):
    return [a, b] if g.chance(.7) else [b, a]


@op("Add", "Sub", "Mul", weight=3)
def binary(g, name):
    a = g.pick(arithmetic(g))
    g.node(name, pair(g, a, g.broadcastable(a)), kind="elementwise")


@op("Div", weight=2)
def div(g, name):
    b = g.pick(arithmetic(g), domain=g.random.choice([(.25, 100)] * 3 +
                                                     [(-100, -.25)]))
    if b.dtype.kind in "iu" and any(np.any(v == 0) for v in b.values):
        raise Reject("division by zero")
    a = g.broadcastable(b)
    if a.dtype.kind in "iu" and any(np.any(v == np.iinfo(v.dtype).min)
                                    for v in a.values) and \
            a.dtype.kind == "i":
        raise Reject("division overflow")
    g.node(name, [a, b], kind="elementwise")


@op("Mod", since=10)
def mod(g, name):
    b = g.pick((F32, F64, F16, I32, I64, I8, U8, I16, U32), domain=(1, 50))
    a = g.broadcastable(b)
    if b.dtype.kind == "f" or g.chance(.3):
        g.node(name, [a, b], fmod=1)
    else:
        g.node(name, [a, b], fmod=maybe(g, 0))


@op("Pow", since=7)
def power(g, name):
    if g.chance(.25):
        a = g.pick([F32, F64], domain=(-6, 6))
        exponent = g.const(np.array(g.random.choice(
            [0, 1, 2, 3, -1, -2, .5, -.5, 4, 7]), a.dtype))
        g.node(name, [a, exponent], kind="elementwise")
        return
    a = g.pick((F32, F64, F16), domain=(.125, 20))
    if g.opset >= 12 and g.chance(.2):
        a = g.pick([I32, I64, F32], domain=(1, 6))
        b = g.leaf(g.random.choice([I32, I64, F32]), a.dims, (0, 3))
        g.node(name, [a, b], kind="elementwise")
        return
    g.node(name, [a, g.broadcastable(a, domain=(-3, 3))], kind="elementwise")


@op("And", "Or", "Xor", weight=.6)
def logical(g, name):
    a = g.pick([BOOL])
    g.node(name, pair(g, a, g.broadcastable(a)))


@op("BitwiseAnd", "BitwiseOr", "BitwiseXor", since=18, weight=.5)
def bitwise(g, name):
    a = g.pick(INTS)
    g.node(name, pair(g, a, g.broadcastable(a)))


@op("BitShift", since=11, weight=.5)
def bit_shift(g, name):
    b = g.pick(UNSIGNED, domain=(0, 7))
    g.node(name, [g.broadcastable(b), b],
           direction=g.random.choice(["LEFT", "RIGHT"]))


@op("Equal", "Greater", "Less", since=9)
@op("GreaterOrEqual", "LessOrEqual", since=12)
def compare(g, name):
    types = (BOOL, I32, I64, F32, F64, F16, U8) if name == "Equal" \
        else (F32, F64, F16, I32, I64, U8, I8)
    a = g.pick(types)
    g.node(name, pair(g, a, g.broadcastable(a)))


@op("Max", "Min", since=8)
@op("Mean", "Sum", since=8, weight=.7)
def variadic(g, name):
    exact = name in ("Max", "Min")
    a = g.pick((F32, F64, F16) + ((I32, I64, U8, U32) if exact and
                                  g.opset >= 12 else ()))
    inputs = [a]
    for _ in range(g.random.choice([0, 1, 1, 1, 2, 3])):
        inputs.append(g.broadcastable(g.random.choice(inputs)))
    g.random.shuffle(inputs)
    g.node(name, inputs, kind="exact" if exact else "elementwise")


@op("PRelu", since=9, weight=.7)
def prelu(g, name):
    a = g.pick((F32, F64))
    slope = g.broadcastable(a, onto=True)
    if g.chance(.3) and a.rank >= 2:
        slope = g.leaf(a.dtype, [a.dims[1]] + [g.static(1)] * (a.rank - 2))
    g.node(name, [a, slope], kind="elementwise")


@op("Where", since=9, weight=2)
def where(g, name):
    a = g.pick(ALL)
    b = g.broadcastable(a)
    condition = g.pick([BOOL], dims=a.dims) if g.chance(.5) else None
    if condition is None:
        dims = list(a.dims if g.chance(.5) else b.dims)
        for i in range(len(dims)):
            if g.chance(.25):
                dims[i] = g.static(1)
        condition = g.leaf(BOOL, dims)
    g.node(name, [condition, a, b])
