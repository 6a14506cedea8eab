"""emulator.py TOOL MODEL [--targets sm_80,..] [--shape NAME=1x3x48x320 ...]

Compiles a model for GPUs and the cpu device, runs the PTX of each target on the
emulator and compares the outputs with the cpu device's. MODEL is a .onnx file,
or a folder with model.onnx and its inputs in.*.npy.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import tool

TARGETS = "sm_80,sm_86,sm_89,sm_90a,sm_100a,sm_120a"


def outputs_of(binary, package, device, options, folder):
    directory = folder / device
    start = time.time()
    done = subprocess.run(
        [binary, "run", package, "--device", device, "--output-dir",
         directory, *options], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{package.name} on {device}: {done.stderr}")
    found = {path.stem: np.load(path) for path in directory.glob("*.npy")}
    assert found, f"{package.name} on {device}: no output"
    return found, time.time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--shape", action="append", default=[])
    arguments = parser.parse_args()
    model, options = arguments.model, []
    for shape in arguments.shape:
        options += ["--input-shape", shape]
    if model.is_dir():
        for path in sorted(model.glob("in.*.npy")):
            options += ["--input", f"{path.name[3:-4]}={path}"]
        model = model / "model.onnx"
    with tempfile.TemporaryDirectory() as temporary:
        for target in arguments.targets.split(","):
            folder = pathlib.Path(temporary) / target
            folder.mkdir()
            package = folder / "model.twp"
            subprocess.run([arguments.tool, "compile", model, "--target",
                            f"{target},cpu", "-o", package], check=True,
                           capture_output=True)
            expected, _ = outputs_of(arguments.tool, package, "cpu", options,
                                     folder)
            found, seconds = outputs_of(arguments.tool, package, "emulator",
                                        options, folder)
            assert found.keys() == expected.keys()
            for name, values in found.items():
                tool.check_close(f"{target}: {name}", values, expected[name])
            print(f"{target}: {seconds:.1f} s on the emulator", flush=True)


main()
