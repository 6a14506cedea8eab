#!/usr/bin/env python3
"""The time from a kernel's text to PTX beside Triton's, without a GPU.

  compile_time.py COMPILE-KERNEL [--target sm_90a] [--repeats 20] [--json FILE]

COMPILE-KERNEL is the program of that name (build/bin/compile-kernel). Each
kernel of bench/kernels is compiled repeatedly in one process by either, in
turn, on one core; the least time counts, Triton's without its call of ptxas.
Also the size of the LLVM IR after optimization. The kernels compute the same
from the same tiles; Triton takes tensor cores where it can, which we have not.
Needs the Python package triton; exits with 77 without it.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def theirs(repeats, capability):
    import triton_kernels
    return triton_kernels.measure(repeats, capability)


def ours(program, target, repeats):
    kernels = sorted((FOLDER / "kernels").glob("*.mlir"))
    result = subprocess.run([program, target, str(repeats), *map(str, kernels)],
                            capture_output=True, text=True, check=True)
    return {record.pop("kernel"): record
            for record in map(json.loads, result.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {0})
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    try:
        import triton
    except ImportError as error:
        print(f"skipped: {error}")
        sys.exit(77)
    capability = int("".join(filter(str.isdigit, arguments.target)))
    # Alternately, so that both run under the same load.
    rounds = [(ours(arguments.program, arguments.target, arguments.repeats),
               theirs(4, capability)) for _ in range(2)]
    least = lambda side, name: min(
        (round_[side][name] for round_ in rounds), key=lambda r: r["ms"])
    results = {name: {"ours": least(0, name), "triton": least(1, name)}
               for name in rounds[0][0]}
    print(f"Triton {triton.__version__}, {arguments.target}")
    print("| kernel | ms | Triton ms | ratio | LLVM IR KB | Triton KB | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name, both in results.items():
        a, b = both["ours"], both["triton"]
        print(f"| {name} | {a['ms']:.1f} | {b['ms']:.1f} | "
              f"{a['ms'] / b['ms']:.2f} | {a['llvm_ir_bytes'] / 1e3:.0f} | "
              f"{b['llvm_ir_bytes'] / 1e3:.0f} | "
              f"{a['llvm_ir_bytes'] / b['llvm_ir_bytes']:.2f} |")
    if arguments.json:
        arguments.json.write_text(json.dumps(
            {"triton": triton.__version__, "target": arguments.target,
             "kernels": results}, indent=1) + "\n")


main()
