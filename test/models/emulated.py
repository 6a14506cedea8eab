"""emulated.py TOOL PYPI OUT [--target sm_90a] [--random N] [--nodes N]: packages
with inputs and with what the emulator makes of them, for scripts/gpu-round
--emulated, which compares a GPU with that bit by bit.

  OUT/X.twp, OUT/X.inputs/NAME.npy, OUT/X.expected/NAME.npy

X are onnx's node cases (of PYPI, the folder of unpacked wheels), at most
--nodes of them, and --random graphs of the fuzzer (0). What the compiler
rejects is left out, and counted."""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy

import protobuf

# Before this folder, which has a wheels.py, too.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz/onnx"))


def file_stem(name):
    """As scripts/gpu-round finds an array."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True,
                          text=True, timeout=300, check=False)


def make(tool, target, out, name, model, inputs):
    """Compiles a model and runs it on the emulator. `inputs`: a file of each
    name. Returns "made", or what failed."""
    package, beside = out / f"{name}.twp", out / f"{name}.inputs"
    beside.mkdir(parents=True)
    words = []
    for key, path in inputs.items():
        copy = beside / (file_stem(key) + ".npy")
        shutil.copyfile(path, copy)
        words += ["--input", f"{key}={copy}"]
    step, done = "compile", run(tool, "compile", model, "--target", target,
                                "-o", package, "--threads", "1")
    if done.returncode == 0:
        step, done = "run", run(tool, "run", package, "--device", "emulator",
                                "--threads", "1", *words, "--output-dir",
                                out / f"{name}.expected")
    if done.returncode == 0:
        return "made"
    for suffix in ("twp", "inputs", "expected"):
        shutil.rmtree(out / f"{name}.{suffix}", ignore_errors=True)
    return f"not made: {step} exits with {done.returncode}"


def node_cases(pypi, scratch):
    """(name, model, inputs) of onnx's node cases whose inputs are tensors."""
    root = pypi / "onnx/onnx/backend/test/data/node"
    for folder in sorted(root.iterdir()):
        model, data = folder / "model.onnx", folder / "test_data_set_0"
        inputs = {}
        for i, entry in enumerate(protobuf.model_inputs(model.read_bytes())):
            path = data / f"input_{i}.pb"
            if path.exists():
                try:
                    tensor = protobuf.read_tensor(path.read_bytes())
                except ValueError: # A sequence or an optional value.
                    tensor = None
                if tensor is None:
                    break
                inputs[entry.name] = scratch / f"{folder.name}.{i}.npy"
                numpy.save(inputs[entry.name], tensor.array)
        else:
            yield folder.name, model, inputs


def random_graphs(pypi, count, folder):
    """(name, model, inputs) of the fuzzer's graphs that a package can hold, each
    with its first assignment of sizes that is valid."""
    import wheels
    missing = wheels.use(pypi)
    if missing:
        sys.exit(f"--random needs the wheels: {missing}")
    import generate
    import onnx
    for seed in range(1, count + 1):
        traits = (["large"] if seed % 4 == 0 else [])
        made = generate.case_from_seed(seed, 0.5, None, None, traits)
        for number, case in enumerate(made):
            valid = [k for k, values in enumerate(case.expected)
                     if values is not None]
            if case.by_run or not valid:
                continue
            name = f"random-{seed}-{number}"
            onnx.save(case.model, str(folder / f"{name}.onnx"))
            inputs = {}
            for i, (key, value) in enumerate(case.feeds[valid[0]].items()):
                inputs[key] = folder / f"{name}.{i}.npy"
                numpy.save(inputs[key], value)
            yield name, folder / f"{name}.onnx", inputs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("tool")
    parser.add_argument("pypi", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--random", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        scratch = pathlib.Path(folder)
        sources = itertools.chain(
            itertools.islice(node_cases(arguments.pypi, scratch),
                             arguments.nodes),
            random_graphs(arguments.pypi, arguments.random, scratch))
        results = pool.map(
            lambda source: make(arguments.tool, arguments.target,
                                arguments.out, *source), sources)
        counts = collections.Counter(results)
    for verdict, count in counts.most_common():
        print(f"{count} {verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
