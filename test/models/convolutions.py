"""convolutions.py TOOL PYPI [--count N] [--seed S]: convolutions of ONNX on
matrix units. Compiles random ones for sm_80, runs them on the emulator, and
compares with NumPy in double precision, each element within the bound that
docs/spec.md (tile.dot) states, rounded to the type; the kernels must use matrix
instructions. Exits with 77 without the wheels."""

import argparse
import concurrent.futures
import itertools
import pathlib
import random
import sys
import tempfile

import numpy as np

import tool

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "forked"))
# Before this folder, which has a wheels.py too.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] /
                       "fuzz/onnx"))
import forked  # noqa: E402
import wheels  # noqa: E402


class Convolution:
    """Of `rank` spatial dimensions; strides and so on have one number each. The
    number of images may be known only at run time."""

    def __init__(self, draw):
        self.rank = draw.choice([1, 2, 2, 2, 2, 3])
        small = {1: [16, 37, 100], 2: [7, 9, 14, 28, 33], 3: [5, 8]}[self.rank]
        each = lambda of: [draw.choice(of) for _ in range(self.rank)]
        self.groups = draw.choice([1, 1, 1, 1, 2])
        self.channels = draw.choice([16, 32, 48, 64, 80])
        self.filters = self.groups * draw.choice([16, 24, 40, 64])
        self.batch = draw.choice([1, 1, 2])
        self.size = each(small)
        self.window = each([1, 3, 3, 5] if self.rank < 3 else [1, 2])
        self.strides, self.dilations = each([1, 1, 2]), each([1, 1, 2])
        self.before, self.after = each([0, 1, 2]), each([0, 1])
        self.has_bias, self.is_relu = draw.random() < 0.5, draw.random() < 0.3
        self.is_dynamic = draw.random() < 0.2
        self.dtype, self.precision = draw.choice(
            [("f2", "ieee"), ("f2", "ieee"), ("f4", "tf32"), ("f4", "bf16x6")])

    def out(self):
        return [(n + a + b - d * (k - 1) - 1) // s + 1 for n, a, b, d, k, s in
                zip(self.size, self.before, self.after, self.dilations,
                    self.window, self.strides)]

    def __str__(self):
        return str(vars(self))


def reference(c, x, w):
    """The sums, and those of the magnitudes."""
    x = np.pad(x, [(0, 0), (0, 0), *zip(c.before, c.after)])
    x = x.reshape(c.batch, c.groups, c.channels, *x.shape[2:])
    w = w.reshape(c.groups, -1, c.channels, *c.window)
    sums = np.zeros([c.batch, c.groups, w.shape[1], *c.out()])
    magnitudes = np.zeros_like(sums)
    for at in itertools.product(*map(range, c.window)):
        box = tuple(slice(i * d, i * d + s * (n - 1) + 1, s) for i, d, s, n in
                    zip(at, c.dilations, c.strides, c.out()))
        part, weight = x[(..., *box)], w[(..., *at)]
        product = lambda a, b: np.einsum("ngc...,gfc->ngf...", a, b)
        sums += product(part, weight)
        magnitudes += product(abs(part), abs(weight))
    shape = (c.batch, c.filters, *c.out())
    return sums.reshape(shape), magnitudes.reshape(shape)


def bound_of(c, magnitudes):
    depth = c.channels * int(np.prod(c.window))
    units = {"ieee": -(-depth // 8) * 11 * 2**-24,
             "tf32": 2**-9 + -(-depth // 4) * 7 * 2**-24,
             "bf16x6": 3 * 2**-21 + -(-depth // 8) * 68 * 2**-24}
    return units[c.precision] * magnitudes


def problem(binary, number, c, folder):
    from onnx import helper
    import onnx
    import oracle
    generator = np.random.default_rng(number)
    drawn = lambda *shape: generator.standard_normal(shape).astype(c.dtype)
    x = drawn(c.batch, c.groups * c.channels, *c.size)
    constants = {"w": drawn(c.filters, c.channels, *c.window)}
    if c.has_bias:
        constants["b"] = drawn(c.filters)
    nodes = [helper.make_node("Conv", ["x", *constants], ["s"], group=c.groups,
                              strides=c.strides, dilations=c.dilations,
                              pads=c.before + c.after),
             helper.make_node("Relu" if c.is_relu else "Identity", ["s"], ["y"])]
    path, package = folder / f"{number}.onnx", folder / f"{number}.twp"
    shape = ["N" if c.is_dynamic else c.batch, *x.shape[1:]]
    onnx.save(oracle.model_of(nodes, {"x": (x.dtype, shape)},
                              {"y": (x.dtype, None)}, constants, 22), path)
    result = forked.run([binary, "compile", str(path), "--target", "sm_80",
                         "--precision", c.precision, "--explain-schedule",
                         "-o", str(package)],
                        capture_output=True, text=True, check=False)
    if result.returncode:
        return result.stderr
    if "tilegpu.mma" not in result.stdout:
        return f"no matrix instruction:\n{result.stdout}"
    # Padding is a part of the loads, of groups, too.
    if not c.has_bias and not c.is_relu and (
            "1 kernel for" not in result.stdout):
        return f"more than one kernel:\n{result.stdout}"
    ((_, found),) = tool.run(binary, package, {"x": x},
                             ["--device", "emulator"])
    sums, magnitudes = reference(c, x.astype(float),
                                 constants["w"].astype(float))
    # Rounded to the type behind the sum, and behind the bias.
    half = float(np.finfo(x.dtype).eps) / 2
    rounded = lambda bound: bound + half * (abs(sums) + bound) + half * 2**-10
    bound = rounded(bound_of(c, magnitudes))
    if c.has_bias:
        sums = sums + constants["b"].astype(float).reshape(-1, *[1] * c.rank)
        bound = rounded(bound)
    expected = np.maximum(sums, 0) if c.is_relu else sums
    good = np.abs(found.astype(float) - expected) <= bound
    if not good.all():
        return (f"{(~good).sum()} of {good.size} are off, {found[~good][0]}, "
                f"expected {expected[~good][0]}")
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
    print(f"{len(drawn)} convolutions: {failures} fail")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
