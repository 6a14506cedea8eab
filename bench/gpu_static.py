#!/usr/bin/env python3
"""Static figures of the PTX of models: what ptxas says of each kernel.

  gpu_static.py TOOL [--targets sm_80,..] [--jobs N] [--json FILE] MODEL.onnx ..

Compiles each model for all targets into one package, with a check that no
barrier is missing, has ptxas assemble each kernel, and prints a line for each
model and target: kernels, compile seconds,
the most registers of a thread, bytes spilled, the most shared memory of a
block, and by which widths (in bits) kernels load from global memory. With
--json, also a record for each kernel. Exits with 1 where ptxas rejects a
kernel, and with 77 where there is no ptxas.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# This measures the compiler, not its cache.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"

ALL_TARGETS = "sm_80,sm_86,sm_89,sm_90a,sm_100a,sm_120a"


def find_ptxas():
    return shutil.which("ptxas") or next(
        (str(path) for path in pathlib.Path("/usr/local").glob("cuda*/bin/ptxas")),
        None)


def load_widths(ptx):
    """Bits of the loads from global memory: how many there are of each."""
    widths = collections.Counter()
    for count, bits in re.findall(
            r"ld\.global(?:\.\w+)*?(?:\.v(\d))?\.[bfus](\d+)\s", ptx):
        widths[int(count or 1) * int(bits)] += 1
    return dict(sorted(widths.items()))


def assemble(ptxas, target, path):
    """The record of one kernel."""
    result = subprocess.run(
        [ptxas, f"-arch={target}", "-v", str(path), "-o", "/dev/null"],
        capture_output=True, text=True, check=False)
    log = result.stdout + result.stderr
    number = lambda pattern: int((re.search(pattern, log) or [0, 0])[1])
    return {"kernel": path.name.split(".")[0], "target": target,
            "accepted": result.returncode == 0,
            "registers": number(r"Used (\d+) registers"),
            "spilled": number(r"(\d+) bytes spill stores"),
            "loads": load_widths(path.read_text()),
            "log": "" if result.returncode == 0 else log}


def compile_model(tool, model, targets, package):
    start = time.monotonic()
    result = subprocess.run(
        [tool, "compile", str(model), "--target", ",".join(targets), "-o",
         str(package), "--check-barriers"], capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{model}: exit code {result.returncode}: {result.stdout}"
                 f"{result.stderr}")
    return time.monotonic() - start


def measure(tool, ptxas, model, targets, jobs):
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "model.twp"
        seconds = compile_model(tool, model, targets, package)
        manifest = json.loads((package / "manifest.json").read_text())
        shared = {kernel["image"]: kernel.get("shared", 0)
                  for kernel in manifest["kernels"]}
        paths = [(kernel["target"], package / kernel["image"])
                 for kernel in manifest["kernels"]]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            records = list(pool.map(
                lambda each: assemble(ptxas, *each), paths))
        for (_, path), record in zip(paths, records):
            record["shared"] = shared[str(path.relative_to(package))]
    return seconds, records


def name_of(model):
    return model.parent.name if model.stem == "model" else model.stem


def report(name, target, seconds, records):
    widths = collections.Counter()
    for record in records:
        widths.update(record["loads"])
    rejected = sum(not record["accepted"] for record in records)
    print(f"{name:24} {target:8} {len(records):4} kernels {seconds:6.2f} s  "
          f"registers {max(r['registers'] for r in records):3}  "
          f"spilled {max(r['spilled'] for r in records):4} B in "
          f"{sum(r['spilled'] > 0 for r in records):2}  "
          f"shared {max(r['shared'] for r in records):6} B  loads "
          + " ".join(f"{bits}:{count}" for bits, count in sorted(widths.items()))
          + (f"  REJECTED {rejected}" if rejected else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--targets", default=ALL_TARGETS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    ptxas = find_ptxas()
    if not ptxas:
        print("skipped: no ptxas")
        sys.exit(77)
    targets = arguments.targets.split(",")
    results, rejected = {}, 0
    for model in arguments.models:
        seconds, records = measure(arguments.tool, ptxas, model, targets,
                                   arguments.jobs)
        for target in targets:
            report(name_of(model), target, seconds,
                   [r for r in records if r["target"] == target])
        for record in records:
            if not record["accepted"]:
                rejected += 1
                print(f"{record['kernel']} for {record['target']}: "
                      f"{record['log']}")
            del record["log"]
        results[name_of(model)] = {"compile_seconds": round(seconds, 2),
                                   "kernels": records}
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    sys.exit(1 if rejected else 0)


main()
