"""fuzz.py TOOL [--count N] [--seed S] [--replay SEED] [--devices D,..]

Compiles random attentions, modules of linalg on tensors, runs them and compares
the results with NumPy. Between the two products stand random elementwise
functions of the scores, of masks of random shapes, and of positions. Each must
become one kernel. A module is made from its seed alone: seeds S, S + 1, .., or
with --replay that one, which is printed.

  --devices  of sm_80, sm_89, sm_90a (on the emulator), cpu, interpreter, and
             apart: the interpreter, where the products are kernels of their
             own; default sm_80,cpu
  --keep     folder for the modules that fail
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from attention import Attention

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "forked"))
import forked  # noqa: E402

# This tests the compiler, not its cache.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"


def call(command):
    """The output of a command; raises with its code and error."""
    result = forked.run(command, capture_output=True, text=True,
                        timeout=300, check=False)
    if result.returncode:
        raise RuntimeError(f"exit {result.returncode}: "
                           f"{result.stderr.strip()[:600]}")
    return result.stdout


def execute(tool, case, device, folder):
    """The result on one device."""
    model = folder / "m.mlir"
    model.write_text(case.text())
    runner = ["--device", "interpreter"]
    if device != "apart":
        package = folder / f"{device}.twp"
        plan = call([tool, "compile", str(model), "--target", device,
                     "--fusion", "attention=on", *case.options,
                     "--explain-fusion", "-o", str(package)])
        if "block by block of the keys" not in plan:
            raise RuntimeError(f"no attention in one kernel:\n{plan}")
        model = package
        isGpu = device.startswith("sm_")
        runner = (["--device", "emulator", *case.order] if isGpu else
                  ["--device", device])
    command = [tool, "run", str(model), *runner, "--json", "--output-dir",
               str(folder / device)]
    for number, data in enumerate(case.data()):
        file = folder / f"{number}.npy"
        np.save(file, data)
        command += ["--input", f"input{number}={file}"]
    return np.load(json.loads(call(command))["outputs"][0]["file"])


def problem(tool, case, devices):
    """What goes wrong, and where; None if nothing does."""
    expected, bound = case.expected()
    with tempfile.TemporaryDirectory() as folder:
        for device in devices:
            try:
                found = execute(tool, case, device, pathlib.Path(folder))
            except subprocess.TimeoutExpired:
                return f"{device}: hangs"
            except RuntimeError as error:
                return f"{device}: {error}"
            if found.shape != expected.shape:
                return f"{device}: {found.shape}, expected {expected.shape}"
            both = np.isnan(found) & np.isnan(expected)
            wrong = ~both & ~(np.abs(found - expected) <= bound)
            if wrong.any():
                at = tuple(int(i) for i in np.argwhere(wrong)[0])
                return (f"{device}: {wrong.sum()} of {wrong.size} differ, at "
                        f"{at}: {found[at]}, expected {expected[at]} within "
                        f"{bound[at]}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tool")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replay", type=int)
    parser.add_argument("--devices", default="sm_80,cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    devices = options.devices.split(",")
    seeds = range(options.seed, options.seed + options.count)
    if options.replay is not None:
        seeds = [options.replay]
        print(Attention(options.replay).text())
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(
            lambda s: (s, problem(options.tool, Attention(s), devices)), seeds)
        for number, (seed, text) in enumerate(results, 1):
            if sys.stderr.isatty():
                print(f"\r{number} of {len(seeds)}", end="\r", file=sys.stderr)
            if not text:
                continue
            failures += 1
            print(f"seed {seed}: {text}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{seed}.mlir").write_text(
                    Attention(seed).text())
    print(f"{len(seeds)} attentions on {', '.join(devices)}: {failures} fail")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
