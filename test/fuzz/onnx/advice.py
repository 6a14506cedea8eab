"""Advice about sizes works: models that are refused, or whose packages refuse
a run, for want of a size; the options in each message are taken out of it, as a
user pastes them, and the command that had failed then succeeds.

    advice.py TOOL [--pypi PYPI]
"""

import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import wheels

OPTIONS = re.compile(r"(--input-shape [^\s=]+=\S+)")

# name: (model, shapes that a package of it refuses; None: it is not compiled).
MODELS = {
    "squeeze": ("(float[N, M] x) => (y) { y = Squeeze(x) }", "x=5x1"),
    "squeeze-both": (
        "(float[N, 3, M] x) => (y) { y = Squeeze(x) }", "x=1x3x1"),
    "delta": (
        "(float[N] x, float[M] z) => (y) { n = Shape(x) m = Shape(z) "
        "d = Mul(n, m) s = Squeeze(d) zero = Constant<value_int = 0>() "
        "end = Constant<value_int = 4096>() y = Range(zero, end, s) }", None),
    "window": (
        "(float[N, 2, 9, 9] x, float[2, 3, K, L] w) => (y) "
        "{ y = ConvTranspose(x, w) }", None),
    "same-name": (
        "(float[K] a, float[2, K] x) => (y) { n = Shape<start = 1>(x) "
        "s = Squeeze(n) zero = Constant<value_int = 0>() "
        "end = Constant<value_int = 4096>() y = Range(zero, end, s) }", None),
}


# Of others, each message names one size of several.
ADVISED_AT_ONCE = ("squeeze",)


def check(tool, folder, name, text, refused):
    import onnx
    import onnx.parser
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17]>\ng ' + text)
    path, package = folder / f"{name}.onnx", folder / f"{name}.twp"
    onnx.save(model, str(path))

    def run(*arguments):
        return subprocess.run([tool, *map(str, arguments)], text=True,
                              capture_output=True, check=False, timeout=120)

    done = run("compile", path, "-o", package)
    if refused:
        if done.returncode:
            return f"it does not compile: {done.stderr}"
        done = run("run", package, "--input-shape", refused)
    if done.returncode != 1:
        return f"exit {done.returncode}, expected 1: {done.stdout}"
    if len(done.stderr.strip().splitlines()) > 4:
        return f"more than one message: {done.stderr}"
    advice = [option.rstrip(".;,") for option in OPTIONS.findall(done.stderr)]
    if not advice:
        return f"no options in: {done.stderr}"
    if len({option.split("=")[0] for option in advice}) != len(advice):
        return f"an input is named twice: {done.stderr}"
    options = [word for option in advice for word in shlex.split(option)]
    again = run("compile", path, "-o", folder / f"{name}-again.twp", *options)
    if not again.returncode and refused and name in ADVISED_AT_ONCE:
        again = run("run", folder / f"{name}-again.twp", "--input-shape",
                    refused)
    if again.returncode:
        return f"{done.stderr}{' '.join(options)}: {again.stderr}"
    return None


KERNEL = '''\
tile.kernel @double(%x: !tile.view<?x4xf32> {tile.name = "x",
                                             tile.dims = ["M", ""]},
                    %y: !tile.view<?x4xf32> {tile.dims = ["M", ""]})
    grid affine_map<()[m, k, n, l] -> (m ceildiv 2)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %t = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x4xf32> -> tensor<2x4xf32>
  %d = arith.addf %t, %t : tensor<2x4xf32>
  tile.store %d, %y[%i, %c0] : tensor<2x4xf32>, !tile.view<?x4xf32>
}
'''


def check_tune(tool, folder):
    """`tune` reads the shapes of a kernel's arguments by the names that `run`
    reads. What it tuned is in the database: 64x4, twice."""
    kernel, database = folder / "double.mlir", folder / "k.db"
    kernel.write_text(KERNEL)
    done = subprocess.run(
        [tool, "tune", kernel, "--input-shape", "x=64x4", "--trials", "1",
         "--time", "60s", "--db", database], text=True, capture_output=True,
        check=False, timeout=120)
    if done.returncode or "not tuned" in done.stdout:
        return done.stdout + done.stderr
    text = database.read_bytes()
    return None if b"64x4 64x4" in text else "no shapes in the database"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--pypi")
    options = parser.parse_args()
    missing = wheels.use(options.pypi)
    if missing:
        print(f"skipped: {missing}")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, refused) in MODELS.items():
            problem = check(options.tool, pathlib.Path(folder), name, text,
                            refused)
            if problem:
                failures += 1
                print(f"{name}: {problem}")
        problem = check_tune(options.tool, pathlib.Path(folder))
        if problem:
            failures += 1
            print(f"tune: {problem}")
    print(f"{len(MODELS)} messages, {failures} without advice that works")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
