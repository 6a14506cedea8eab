"""fuzz.py TOOL [--count N] [--seed S] [--replay SEED] [--devices D,..]
[--empty]

Compiles random modules of linalg on tensors, runs them and compares the results
with what program.py says, bit for bit. A module is made from its seed alone:
seeds S, S + 1, .., or with --replay that one, which is printed. A module that
fails is reduced: as few ops as still fail.

  --devices  of cpu, interpreter, sm_80, sm_90a (on the emulator); default all
  --empty    each module has sizes of 0
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

from generate import Generator
from program import Argument, Program

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "forked"))
import forked  # noqa: E402

# This tests the compiler, not its cache.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"

DEVICES = ["cpu", "interpreter", "sm_80", "sm_90a"]


def make(seed, empty):
    return Generator(seed, empty).run()


def call(command):
    """The output of a command; raises with its code and error."""
    result = forked.run(command, capture_output=True, text=True,
                        timeout=120, check=False)
    if result.returncode:
        raise RuntimeError(f"exit {result.returncode}: "
                           f"{result.stderr.strip()[:600]}")
    return result.stdout


def execute(tool, program, device, folder):
    """The outputs on one device."""
    model = folder / "m.mlir"
    model.write_text(program.text())
    runner = ["--device", device]
    if device.startswith("sm_"):
        package = folder / f"{device}.twp"
        call([tool, "compile", str(model), "--target", device, "-o",
              str(package)])
        model, runner = package, ["--device", "emulator"]
    command = [tool, "run", str(model), *runner, "--json", "--output-dir",
               str(folder / device)]
    for number, argument in enumerate(program.arguments()):
        file = folder / f"{number}.npy"
        np.save(file, argument.data)
        command += ["--input", f"input{number}={file}"]
    return [np.load(o["file"]) for o in json.loads(call(command))["outputs"]]


def problem(tool, program, devices):
    """What goes wrong, and where; None if nothing does."""
    expected = program.expected()
    with tempfile.TemporaryDirectory() as folder:
        for device in devices:
            try:
                found = execute(tool, program, device, pathlib.Path(folder))
            except subprocess.TimeoutExpired:
                return device, "hangs"
            except RuntimeError as error:
                return device, str(error)
            for number, (a, b) in enumerate(zip(found, expected)):
                if a.shape != b.shape or a.dtype != b.dtype:
                    return device, (f"output {number} is {a.dtype}{a.shape}, "
                                    f"expected {b.dtype}{b.shape}")
                if not np.array_equal(a, b):
                    at = tuple(np.argwhere(a != b)[0])
                    return device, (f"output {number} differs at {at}: {a[at]}, "
                                    f"expected {b[at]}")
    return None


def kind(found):
    """Reduction keeps the device and the kind of failure."""
    return found and (found[0], found[1].split(":")[0].split(" differs")[0][:6])


def reduce(tool, program, found):
    """The program with fewer ops that fails alike."""
    device, wanted = [found[0]], kind(found)

    def fails(candidate):
        return kind(problem(tool, candidate, device)) == wanted
    for output in program.outputs:
        one = Program(program.items, [output])
        if fails(one):
            program = one
            break
    data = program.values()
    for item in list(program.live()):
        if isinstance(item, Argument) or any(
                r.name == o.name for r in item.results
                for o in program.outputs):
            continue
        given = [Argument(r, data[r.name]) for r in item.results]
        items = [new for old in program.items
                 for new in (given if old is item else [old])]
        shorter = Program(items, program.outputs)
        if fails(shorter):
            program = shorter
    return program


def check(tool, seed, devices, empty):
    program = make(seed, empty)
    found = problem(tool, program, devices)
    if not found:
        return None
    return seed, found, reduce(tool, program, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tool")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replay", type=int)
    parser.add_argument("--devices", default=",".join(DEVICES))
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    devices = options.devices.split(",")
    seeds = range(options.seed, options.seed + options.count)
    if options.replay is not None:
        seeds = [options.replay]
        print(make(options.replay, options.empty).text())
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda s: check(options.tool, s, devices,
                                           options.empty), seeds)
        for number, result in enumerate(results, 1):
            if sys.stderr.isatty():
                print(f"\r{number} of {len(seeds)}", end="\r", file=sys.stderr)
            if not result:
                continue
            seed, (device, text), program = result
            failures += 1
            print(f"seed {seed}: {device}: {text}\n{program.text()}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{seed}.mlir").write_text(program.text())
    print(f"{len(seeds)} modules on {', '.join(devices)}: {failures} fail")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
