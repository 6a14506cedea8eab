"""Times `tilewright verify` and the references behind it.

    bench/verification.py BIN [--pairs N] [--passes N] [--model FILE ...]

BIN is build/bin. Prints a table for bench/results:

- pairs: one in N of test/verify/pairs, each with its right and its wrong rewrite;
- models: each for cpu and sm_80. Memory is what is beyond the file;
- blame: N passes of a small product, made wrong, with a reduced reproducer;
- references: scalar ops or multiply-adds a second, as the difference of two
  sizes of a product.

Times are CPU seconds of the process, and seconds where all cores work; memory is
its peak."""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "test/verify"))
sys.path.append(str(HERE.parent / "test/graph/modules"))
import blame  # noqa: E402
import pair_cases  # noqa: E402
import pairs  # noqa: E402


def measure(command):
    """Exit code, output, CPU seconds and peak memory in MiB."""
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen([str(word) for word in command],
                                 stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return (child.returncode, output.read(),
                usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def time_pairs(tool, every, folder):
    row("pairs", "number", "median s", "worst s", "MiB")
    row(*["---"] * 5)
    for which in ("right", "wrong"):
        times, memory, worst = [], 0, ""
        for case in pair_cases.read_all()[::every]:
            sides = pairs.write_sides(tool, case, which, folder)
            _, _, seconds, peak = measure(
                [tool, "verify", *sides, "--relation", case.relation,
                 "--json"])
            worst = case.name if seconds > max(times, default=0) else worst
            times.append(seconds)
            memory = max(memory, peak)
        row(which, len(times), f"{statistics.median(times):.2f}",
            f"{max(times):.1f} ({worst})", f"{memory:.0f}")


def time_models(tool, models):
    row("model", "targets", "CPU s", "s", "MiB", "verdict", "kernels",
        "least share")
    row(*["---"] * 8)
    for model in models:
        start = time.monotonic()
        code, output, seconds, peak = measure(
            [tool, "verify", model, "--target", "cpu,sm_80", "--json"])
        wall = time.monotonic() - start
        report = json.loads(output) if output.startswith("{") else {}
        kernels = [target.get("kernels", [])
                   for target in report.get("targets", [])]
        shares = [kernel["share"] for each in kernels for kernel in each
                  if "share" in kernel]
        weights = pathlib.Path(model).stat().st_size / 2 ** 20
        row("/".join(pathlib.Path(model).parts[-2:]), "cpu,sm_80",
            f"{seconds:.0f}", f"{wall:.0f}", f"{peak - weights:.0f}",
            report.get("verdict", f"exit {code}"),
            ", ".join(str(len(each)) for each in kernels),
            f"{min(shares, default=1):.2g}")


def time_blame(tool, program, count, folder):
    module = folder / "product.mlir"
    module.write_text(blame.SMALL.text)
    times, ops = [], []
    for name in dict.fromkeys(blame.tested_passes(tool, module, "cpu")):
        if len(times) == count:
            break
        _, output, seconds, _ = measure([program, module, "cpu", name])
        if not output.startswith('{"op"'):
            continue
        times.append(seconds)
        ops.append(json.loads(output)["ops"])
    row("blame", "passes", "median s", "worst s", "most ops")
    row(*["---"] * 5)
    row("with reproducer, twice", len(times),
        f"{statistics.median(times):.1f}", f"{max(times):.1f}", max(ops))


GRAPH = """
func.func @main(%a: tensor<{n}x{n}xf32> {{graph.name = "a"}},
                %b: tensor<{n}x{n}xf32> {{graph.name = "b"}})
    -> (tensor<{n}x{n}xf32> {{graph.name = "c"}}) {{
  %zero = arith.constant dense<0.0> : tensor<{n}x{n}xf32>
  %c = linalg.matmul ins(%a, %b : tensor<{n}x{n}xf32>, tensor<{n}x{n}xf32>)
      outs(%zero : tensor<{n}x{n}xf32>) -> tensor<{n}x{n}xf32>
  return %c : tensor<{n}x{n}xf32>
}}
"""


def speed_of(run, small, large):
    """Multiply-adds a second."""
    runs = [run(size) for size in (small, large)]
    assert all(code == 0 for code, *_ in runs), "a reference does not run"
    seconds = [run[2] for run in runs]
    return (large ** 3 - small ** 3) / (seconds[1] - seconds[0])


def time_references(binaries, folder):
    def graph(size):
        path = folder / "product.mlir"
        path.write_text(GRAPH.format(n=size))
        ones = folder / "ones.npy"
        np.save(ones, np.ones((size, size), np.float32))
        return measure([binaries / "interpret-graph", path,
                        "--input", f"a={ones}", "--input", f"b={ones}"])

    def tile(size):
        kernel = HERE / "kernels/matmul.mlir"
        return measure([binaries / "tilewright", "run", kernel, "--device",
                        "interpreter", "--input-shape", f"A={size}x{size}",
                        "--input-shape", f"B={size}x{size}"])
    row("reference", "million multiply-adds a second")
    row("---", "---")
    row("graphs (two scalar ops each)", f"{speed_of(graph, 64, 192) / 1e6:.1f}")
    row("tiles", f"{speed_of(tile, 128, 512) / 1e6:.1f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--model", action="append", default=[])
    arguments = parser.parse_args()
    tool = arguments.binaries / "tilewright"
    processor = re.search(r"model name\s*: (.*)",
                          pathlib.Path("/proc/cpuinfo").read_text())
    print(processor[1] if processor else "unknown processor", "\n")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        time_references(arguments.binaries, folder)
        print()
        time_blame(tool, arguments.binaries / "blame", arguments.passes, folder)
        print()
        time_pairs(tool, arguments.pairs, folder)
        if arguments.model:
            print()
            time_models(tool, arguments.model)


if __name__ == "__main__":
    main()
