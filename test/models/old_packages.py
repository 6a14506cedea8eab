"""old_packages.py TOOL: packages that older versions wrote load and run. The
folder packages/ has one of format 1, with x.npy and y.npy: its input and
output."""

import pathlib
import sys

import numpy as np

import tool

folder = pathlib.Path(__file__).resolve().parent / "packages"
x, y = (np.load(folder / name) for name in ("x.npy", "y.npy"))
for package in sorted(path for path in folder.iterdir() if path.is_dir()):
    ((_, found),) = tool.run(sys.argv[1], package, {"x": x},
                             ["--device", "emulator"])
    tool.check_close(package.name, found, y)
