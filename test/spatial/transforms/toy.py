#!/usr/bin/env python3
"""The example of docs/spatial.md: toy.py TOOL EXAMPLES

One product of matrices and a ReLU, mapped on toy4, verified and simulated.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy


def main():
    tool, examples = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        package = os.path.join(folder, "relu.tws")
        data = os.path.join(folder, "x.npy")
        numpy.save(data, numpy.array([[1, -1, 2, .5]], numpy.float32))
        for command in (
                ["map", os.path.join(examples, "spatial/relu.mlir"),
                 "--machine", os.path.join(examples, "machines/toy4.json"),
                 "-o", package],
                ["verify", package],
                ["run", package, "--input", f"x={data}", "--output-dir",
                 folder]):
            subprocess.run([tool, *command], check=True)
        found = numpy.load(os.path.join(folder, "y.npy"))
        if found.tolist() != [[7, 1.5, 1.25, 0]]:
            sys.exit(f"expected [[7, 1.5, 1.25, 0]], found {found.tolist()}")
        # As by hand: nothing stops in memory between product and result.
        with open(os.path.join(package, "manifest.json"),
                  encoding="utf-8") as file:
            cycles = json.load(file)["cycles"]
        if cycles != 17:
            sys.exit(f"expected 17 cycles, found {cycles}")
        with open(os.path.join(package, "chip-0.txt"),
                  encoding="utf-8") as file:
            lines = file.read()
        for part in ("mul f32", "rows 4", "max f32"):
            if part not in lines:
                sys.exit(f"expected '{part}' in the schedule, found\n{lines}")


if __name__ == "__main__":
    main()
