#!/usr/bin/env python3
"""How compile time grows with the ops of graphs that share values.

  compile_growth.py TOOL PYPI [--steps 12] [--repeats 3] [--target cpu]
                    [--time-limit 120] [--json FILE]

Each shape of graph repeats one step, in which a value is read in more than one
way: a compiler that computes it again for each reader grows exponentially.
Compiled with N, 2N and 4N steps; printed are the least wall time of each, the
kernels, and how much longer the last takes than the one before, where 2 is
linear. TOOL is build/bin/tilewright, PYPI the folder of unpacked wheels.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/fuzz/onnx"))
sys.path.insert(0, str(ROOT / "test/graph/growth"))
import shared_values  # noqa: E402
import wheels  # noqa: E402

# The compiler is timed, not its cache.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"

def measure(arguments, model):
    """The least seconds of a compilation, and its kernels; None: too long."""
    least = None
    for _ in range(arguments.repeats):
        start = time.monotonic()
        try:
            done = subprocess.run(
                [arguments.tool, "compile", str(model), "--target",
                 arguments.target, "-o", str(model.with_suffix(".twp"))],
                capture_output=True, text=True, timeout=arguments.time_limit)
        except subprocess.TimeoutExpired:
            return None
        seconds = time.monotonic() - start
        if done.returncode:
            sys.exit(f"error: {model.name}: {done.stderr.strip()}")
        least = seconds if least is None else min(least, seconds)
    manifest = json.loads(
        (model.with_suffix(".twp") / "manifest.json").read_text())
    return {"seconds": round(least, 3), "kernels": len(manifest["kernels"])}


def row(arguments, folder, name, models):
    found = []
    for steps in models:
        path = folder / f"{name}-{steps}.onnx"
        path.write_bytes(models[steps].SerializeToString())
        found.append(measure(arguments, path))
        if found[-1] is None:
            break
    found += [None] * (len(models) - len(found))
    growth = (f"{found[2]['seconds'] / found[1]['seconds']:.2f}"
              if found[1] and found[2] else "no end")
    cells = [f"{f['seconds']:.2f} ({f['kernels']})" if f else
             f"> {arguments.time_limit}" for f in found]
    print(f"| {name} | " + " | ".join(cells) + f" | {growth} |", flush=True)
    return {"graph": name, "found": found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("pypi")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--time-limit", type=float, default=120)
    parser.add_argument("--only", help="names that match this")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if missing := wheels.use(arguments.pypi):
        print(f"skipped: {missing}")
        sys.exit(77)
    counts = [arguments.steps * factor for factor in (1, 2, 4)]
    print(f"| graph | {counts[0]} steps: s (kernels) | {counts[1]} | "
          f"{counts[2]} | growth |\n|---|---|---|---|---|")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, builder in shared_values.BUILDERS.items():
            if re.search(arguments.only or "", name):
                results.append(row(arguments, pathlib.Path(folder), name,
                                   {n: builder(n) for n in counts}))
    if arguments.json:
        arguments.json.write_text(json.dumps(
            {"target": arguments.target, "graphs": results}, indent=1) + "\n")


main()
