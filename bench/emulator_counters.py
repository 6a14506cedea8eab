#!/usr/bin/env python3
"""Counters of our softmax and of Triton's on the emulator, side by side.

  emulator_counters.py TOOL [--compiler TOOL] [--rows N] [--target sm_90a]

Compiles bench/kernels/softmax.mlir (rows of 4096 f32), exact and with
--fast-math, and the same kernel of bench/triton_kernels.py, runs all on the
emulator on the same rows, compares them with NumPy, and prints a table in
Markdown. TOOL is tilewright; one
without the compiler needs another as --compiler. The metrics are the same on
any machine. Exits with 1 where a result is wrong, and with 77 where Triton or
NumPy is missing.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# This measures the compiler, not its cache.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = 4096
# The totals in the table, under their names in docs/emulator.md.
METRICS = [
    ("instructions of warps", lambda s: s["totals"]["warps"]),
    ("of these f32", lambda s: of_class(s, "float32")),
    ("transcendental", lambda s: of_class(s, "transcendental")),
    ("integer", lambda s: of_class(s, "integer")),
    ("move", lambda s: of_class(s, "move")),
    ("global memory", lambda s: of_class(s, "global")),
    ("shared memory", lambda s: of_class(s, "shared")),
    ("shuffles", lambda s: of_class(s, "warp")),
    ("control", lambda s: of_class(s, "control")),
    ("active lanes, %", lambda s: round(
        100 * s["totals"]["threads"] / 32 / s["totals"]["warps"], 1)),
    ("sectors of global memory", lambda s: s["totals"]["sectors"]),
    ("ideal sectors", lambda s: s["totals"]["ideal_sectors"]),
    ("passes of shared memory", lambda s: s["totals"]["wavefronts"]),
    ("of these without conflicts", lambda s: s["totals"]["ideal_wavefronts"]),
    ("arrivals at barriers", lambda s: s["totals"]["barriers"]),
    ("bytes of shared memory", lambda s: s["shared_bytes"]),
    ("threads of a block", lambda s: s["block"][0]),
    ("registers, estimate", lambda s: s["registers_estimate"]),
    ("registers, ptxas", lambda s: s["ptxas"]),
]


def of_class(stats, name):
    return stats["classes"].get(name, {}).get("warps", 0)


def ptxas_registers(ptx, target):
    """By Triton's ptxas, which may be newer than CUDA's."""
    from triton.backends.nvidia.compiler import get_ptxas
    tool = get_ptxas(int(re.match(r"sm_(\d+)", target).group(1))).path
    log = subprocess.run([tool, f"-arch={target}", "-v", str(ptx), "-o",
                          "/dev/null"], capture_output=True, text=True,
                         check=False).stderr
    found = re.search(r"Used (\d+) registers", log)
    return int(found.group(1)) if found else "-"


def own_kernel(compiler, target, folder, *options):
    """(PTX file, launch but for the buffers, order of the buffers)."""
    package = folder / f"softmax{''.join(options)}.twp"
    subprocess.run([compiler, "compile", str(HERE / "kernels/softmax.mlir"),
                    "-o", str(package), "--target", target, *options], check=True,
                   stdout=subprocess.DEVNULL)
    manifest = json.loads((package / "manifest.json").read_text())
    kernel, = manifest["kernels"]
    arguments = []
    for name, argument in zip("xy", kernel["arguments"]):
        for part in argument["passed"]:
            if part == "pointer":
                arguments.append(name)
            elif part == "dim0":
                arguments.append("rows")
            else:
                raise SystemExit(f"softmax takes {part}, which is not expected")
    launch = {"entry": kernel["entry"], "block": [kernel["block"], 1, 1],
              "dynamicShared": kernel["shared"]}
    return package / kernel["image"], launch, arguments


def triton_kernel(target, folder):
    from triton.backends.compiler import GPUTarget
    import triton_kernels
    kernel, types, constants, options = triton_kernels.KERNELS["softmax"]
    capability = int(re.match(r"sm_(\d+)", target).group(1))
    made = triton_kernels.compile_once(kernel, types, constants, options,
                                       GPUTarget("cuda", capability, 32))
    file = folder / "triton.ptx"
    file.write_text(made.asm["ptx"])
    launch = {"entry": made.metadata.name,
              "block": [32 * made.metadata.num_warps, 1, 1],
              "dynamicShared": made.metadata.shared}
    # Two pointers to scratch memory follow the kernel's own arguments.
    return file, launch, ["y", "x", "null", "null"]


def count(tool, file, launch, arguments, rows, folder, expected):
    """The statistics of one launch; None where the result is wrong."""
    import numpy
    values = {"x": {"buffer": "x.npy"},
              "y": {"buffer": {"shape": [rows, COLUMNS], "dtype": "f32"},
                    "output": "y"},
              "rows": {"scalar": "i64", "value": rows}, "null": {"null": True}}
    launch = dict(launch, grid=[rows, 1, 1],
                  args=[values[name] for name in arguments])
    (folder / "launch.json").write_text(json.dumps(launch))
    stats = folder / "stats.json"
    subprocess.run([tool, "run", str(file), "--device", "emulator", "--launch",
                    str(folder / "launch.json"), "--output-dir", str(folder),
                    "--stats", str(stats)], check=True,
                   stdout=subprocess.DEVNULL)
    error = numpy.abs(numpy.load(folder / "y.npy") - expected).max()
    if not error < 1e-6:
        print(f"{file.name}: wrong by up to {error}", file=sys.stderr)
        return None
    return json.loads(stats.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool")
    parser.add_argument("--compiler")
    parser.add_argument("--rows", type=int, default=128)
    parser.add_argument("--target", default="sm_90a")
    options = parser.parse_args()
    try:
        import numpy
        import triton
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 77
    sys.path.insert(0, str(HERE))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        x = numpy.random.default_rng(1).standard_normal(
            (options.rows, COLUMNS)).astype(numpy.float32)
        numpy.save(folder / "x.npy", x)
        e = numpy.exp(x - x.max(1, keepdims=True))
        expected = e / e.sum(1, keepdims=True)
        results = []
        compiler = options.compiler or options.tool
        for kernel in (own_kernel(compiler, options.target, folder),
                       own_kernel(compiler, options.target, folder,
                                  "--fast-math"),
                       triton_kernel(options.target, folder)):
            stats = count(options.tool, *kernel, options.rows, folder, expected)
            if stats is None:
                return 1
            stats["ptxas"] = ptxas_registers(kernel[0], options.target)
            results.append(stats)
    print(f"| {options.rows} rows of {COLUMNS} f32, {options.target} | ours "
          f"| ours, `--fast-math` | Triton {triton.__version__} |\n"
          "|---|---:|---:|---:|")
    for title, metric in METRICS:
        cells = [metric(stats) for stats in results]
        print("| " + " | ".join([title] + [
            f"{cell:,}" if isinstance(cell, (int, float)) else cell
            for cell in cells]) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
