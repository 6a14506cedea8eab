"""integer_convolutions.py TOOL PYPI [--count N] [--seed S]: ConvInteger and
QLinearConv of ONNX. Runs random ones on the CPU, on the emulator as sm_80 and,
if they are small, on the interpreter, and compares with NumPy: each element is
equal. The kernel of enough channels and filters must use matrix instructions.
Exits with 77 without the wheels."""

import argparse
import concurrent.futures
import itertools
import pathlib
import random
import sys
import tempfile

import numpy as np

import convolutions
import tool
from convolutions import forked, wheels

# Multiplications that the interpreter may take.
FEW = 1 << 17


class Convolution(convolutions.Convolution):
    def __init__(self, draw):
        super().__init__(draw)
        self.op = draw.choice(["ConvInteger", "QLinearConv"])
        self.types = [draw.choice([np.uint8, np.int8]) for _ in "xw"]
        if self.op == "QLinearConv":  # x, w and y have one type each.
            self.types.append(draw.choice([np.uint8, np.int8]))
        kind = draw.choice(["units", "units", "any", "depthwise"])
        if kind == "any":
            self.channels = draw.choice([1, 3, 5, 20])
            self.filters = self.groups * draw.choice([1, 4, 17])
        if kind == "depthwise":
            self.groups = self.filters = draw.choice([2, 5, 16])
            self.channels = 1
        self.uses_units = kind == "units"
        # A zero point is absent, constant or an input; those of the weights may
        # be one a filter.
        self.zeros = [draw.choice(["none", "constant", "constant", "input"])
                      if self.op == "ConvInteger" else
                      draw.choice(["constant", "constant", "input"])
                      for _ in "xw"]
        self.each = draw.random() < 0.4
        # Weights minus such a zero point fit into 8 bits.
        self.is_centered = draw.random() < 0.5
        # How many values weights have, which decides whether they do.
        self.values = draw.choice([20, 100, 256])
        self.constant_weights = draw.random() < 0.8

    def depth(self):
        return self.channels * int(np.prod(self.window))

    def products(self):
        return (self.batch * self.filters * int(np.prod(self.out())) *
                self.depth())


def any_of(generator, dtype, shape, count=256):
    low = generator.integers(0, 256 - count + 1) + np.iinfo(dtype).min
    return generator.integers(low, low + count, shape).astype(dtype)


def sums_of(c, x, xzero, w, wzero):
    """Exact, in int64; what is padded is the zero point."""
    wide = lambda v: np.asarray(v, np.int64)
    shape = [-1] + [1] * (c.rank + 1)
    weights = wide(w) - wide(wzero).reshape(shape if c.each else [])
    sums, _ = convolutions.reference(c, wide(x) - wide(xzero), weights)
    return sums.astype(np.int64)


def quantized(sums, scale, wscale, yscale, yzero, dtype):
    """As QLinearConv is computed, in float32."""
    factor = scale * wscale / yscale
    values = np.rint(sums.astype(np.float32) * factor) + np.float32(yzero)
    limits = np.iinfo(dtype)
    return np.clip(values, limits.min, limits.max).astype(dtype)


def case_of(number, c):
    """The model, its inputs and its result."""
    from onnx import helper
    import oracle
    generator = np.random.default_rng(number)
    values = {"x": any_of(generator, c.types[0],
                          (c.batch, c.groups * c.channels, *c.size)),
              "w": any_of(generator, c.types[1],
                          (c.filters, c.channels, *c.window), c.values)}
    zeros = {"xz": any_of(generator, c.types[0], ()),
             "wz": any_of(generator, c.types[1],
                          (c.filters,) if c.each else ())}
    if c.is_centered:
        zeros["wz"] = np.full_like(zeros["wz"],
                                   128 if c.types[1] == np.uint8 else 0)
    for name, how in zip(zeros, c.zeros):
        if how == "none":
            zeros[name] = np.zeros_like(zeros[name])
    values.update({name: value for (name, value), how in
                   zip(zeros.items(), c.zeros) if how != "none"})
    sums = sums_of(c, values["x"], zeros["xz"], values["w"], zeros["wz"])
    names = ["x", "w"] + [name if how != "none" else "" for name, how in
                          zip(zeros, c.zeros)]
    expected = sums.astype(np.int32)
    if c.op == "QLinearConv":
        row = lambda v: v.reshape([-1] + [1] * c.rank) if c.each else v
        positive = lambda shape: np.float32(generator.uniform(.001, .1, shape))
        more = {"xs": positive(()), "ws": positive((c.filters,) if c.each
                                                   else ()),
                "ys": np.float32(.1 * c.depth() ** .5),
                "yz": any_of(generator, c.types[2], ())}
        names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"]
        if c.has_bias:
            names.append("b")
            more["b"] = generator.integers(-9999, 9999, c.filters,
                                           dtype=np.int32)
            sums = sums + more["b"].reshape([-1] + [1] * c.rank)
        expected = quantized(sums, more["xs"], row(more["ws"]), more["ys"],
                             more["yz"], c.types[2])
        values.update(more)
    inputs = {"x"} | {name for name, how in zip(zeros, c.zeros)
                      if how == "input"}
    if not c.constant_weights:
        inputs.add("w")
    node = helper.make_node(c.op, names, ["y"], group=c.groups,
                            strides=c.strides, dilations=c.dilations,
                            pads=c.before + c.after)
    given = {name: value for name, value in values.items() if name in inputs}
    model = oracle.model_of(
        [node], {name: (v.dtype, v.shape) for name, v in given.items()},
        {"y": (expected.dtype, None)},
        {name: v for name, v in values.items() if name not in inputs}, 18)
    return model, given, expected


def problem(binary, number, c, folder):
    import onnx
    model, inputs, expected = case_of(number, c)
    path, package = folder / f"{number}.onnx", folder / f"{number}.twp"
    onnx.save(model, path)
    result = forked.run([binary, "compile", str(path), "--target", "sm_80",
                         "--explain-schedule", "-o", str(package)],
                        capture_output=True, text=True, check=False)
    if result.returncode:
        return result.stderr
    # A zero point of weights that is not known, or that 8 bits do not hold.
    is_shifted = c.zeros[1] == "input" or not (
        c.is_centered or c.zeros[1] == "none") or (
            c.zeros[1] != "none" and c.types[1] == np.uint8 and
            not c.constant_weights)
    if c.uses_units and not (is_shifted and c.groups > 1) and (
            "tilegpu.mma" not in result.stdout):
        return f"no matrix instruction:\n{result.stdout}"
    if c.groups == 1 and not is_shifted and c.zeros[0] != "input" and (
            c.constant_weights) and "1 kernel for" not in result.stdout:
        return f"more than one kernel:\n{result.stdout}"
    runs = [(package, "emulator"), (path, "cpu")]
    if c.products() <= FEW:
        runs.append((path, "interpreter"))
    for what, device in runs:
        ((_, found),) = tool.run(binary, what, inputs, ["--device", device])
        wrong = found != expected
        if wrong.any():
            return (f"{device}: {wrong.sum()} of {wrong.size} are wrong, "
                    f"{found[wrong][0]}, expected {expected[wrong][0]}")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("pypi")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if missing := wheels.use(options.pypi):
        print(f"skipped: {missing}")
        sys.exit(77)
    draw = random.Random(options.seed)
    drawn = []
    while len(drawn) < options.count:
        convolution = Convolution(draw)
        out = convolution.out()
        if min(out) > 0 and np.prod(out[-2:]) >= 16:
            drawn.append(convolution)
    failures = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda item: problem(options.tool, *item,
                                                pathlib.Path(folder)),
                           enumerate(drawn))
        for convolution, text in zip(drawn, results):
            if text:
                failures += 1
                print(f"{convolution}:\n{text}")
    print(f"{len(drawn)} integer convolutions: {failures} fail")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
