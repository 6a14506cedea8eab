"""Times math functions on the CPU device: one kernel over a million numbers.

    bench/cpu_math.py TOOL [OTHER] [--functions NAME...] [--types f32 f64]

TOOL is build/bin/tilewright. With OTHER, the same program of another build,
both run in turn, and the ratio is OTHER / TOOL. Numbers are milliseconds on
one thread, the least of many runs; operands are random, from the range given
in the table below, which decides nothing but which branch of sin and cos is
taken (ranges called `huge` take the other one).
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

# This measures the compiler, not its cache.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"

COUNT = 1 << 20
RANGES = {
    "acos": (-1, 1), "acosh": (1, 100), "asin": (-1, 1), "asinh": (-9, 9),
    "atan": (-9, 9), "atan2": (-9, 9), "atanh": (-1, 1), "cbrt": (-9, 9),
    "cos": (-100, 100), "cosh": (-9, 9), "erf": (-4, 4), "erfc": (-4, 4),
    "exp": (-10, 10), "exp2": (-10, 10), "expm1": (-5, 5), "log": (0, 20),
    "log10": (0, 20), "log1p": (0, 20), "log2": (0, 20), "powf": (0, 9),
    "rsqrt": (0, 100), "sin": (-100, 100), "sinh": (-9, 9),
    "tan": (-100, 100), "tanh": (-5, 5), "sin huge": (1e9, 1e12),
}


def model(function, element):
    name = function.split()[0]
    view = f"tensor<{COUNT}x{element}>"
    call = "%a, %b" if name in ("atan2", "powf") else "%a"
    maps = ", ".join(["affine_map<(d0) -> (d0)>"] * 3)
    return f"""
func.func @main(%x: {view}, %y: {view}) -> {view} {{
  %e = tensor.empty() : {view}
  %r = linalg.generic {{indexing_maps = [{maps}],
                       iterator_types = ["parallel"]}}
      ins(%x, %y : {view}, {view}) outs(%e : {view}) {{
  ^bb0(%a: {element}, %b: {element}, %o: {element}):
    %v = math.{name} {call} : {element}
    linalg.yield %v : {element}
  }} -> {view}
  return %r : {view}
}}
"""


def least_ms(tool, path, files):
    command = [tool, "run", path, "--json", "--threads", "1", "--repeat", "20"]
    for number, file in enumerate(files):
        command += ["--input", f"input{number}={file}"]
    result = subprocess.run([str(part) for part in command], check=True,
                            capture_output=True, text=True)
    return json.loads(result.stdout)["run_ms"]["min"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("other", nargs="?")
    parser.add_argument("--functions", nargs="+", default=list(RANGES))
    parser.add_argument("--types", nargs="+", default=["f32", "f64"])
    arguments = parser.parse_args()
    tools = [arguments.tool] + ([arguments.other] if arguments.other else [])
    generator = np.random.default_rng(0)
    print("| function | type | ms |" + (" other ms | ratio |" if
                                         arguments.other else ""))
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        files = [folder / "x.npy", folder / "y.npy"]
        for function in arguments.functions:
            for element in arguments.types:
                dtype = np.float32 if element == "f32" else np.float64
                for file in files:
                    np.save(file, generator.uniform(*RANGES[function], COUNT)
                            .astype(dtype))
                path = folder / "model.mlir"
                path.write_text(model(function, element))
                times = [min(least_ms(tool, path, files) for _ in range(2))
                         for tool in tools]
                row = f"| {function} | {element} | {times[0]:.2f} |"
                if arguments.other:
                    row += f" {times[1]:.2f} | {times[1] / times[0]:.1f} |"
                print(row, flush=True)


if __name__ == "__main__":
    main()
