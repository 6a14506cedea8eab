#!/usr/bin/env python3
"""inspect_layout.py TILEWRIGHT: a layout as a table and as a picture; what is
wrong with one that is none."""

import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

TOOL = sys.argv[1]
problems = []


def run(*arguments):
    result = subprocess.run([TOOL, "inspect", *arguments], check=False,
                            capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


def check(what, good, found):
    if not good:
        problems.append(f"{what}: found {found!r}")


code, out, err = run("--layout", "mma.m16n8k16.c f16")
check("exit code of a layout", code == 0, (code, err))
check("the table's second row", "\n 1   4:0   4:1   5:0" in out, out)
check("the summary", "4 registers in each of 32 lanes, 1 warp" in out, out)

with tempfile.TemporaryDirectory() as folder:
    svg = pathlib.Path(folder) / "a.svg"
    code, out, err = run("--layout", "swizzle 128B 8x64 bf16", "--bits", "16",
                         "--svg", str(svg))
    check("exit code of a picture", code == 0, (code, err))
    tree = xml.etree.ElementTree.parse(svg)
    rectangles = tree.findall("{http://www.w3.org/2000/svg}rect")
    check("rectangles", len(rectangles) == 8 * 64 + 1, len(rectangles))
    code, out, err = run("--layout", "row-major 2x2", "--svg",
                         str(pathlib.Path(folder) / "no" / "a.svg"))
    check("a picture that cannot be written",
          code == 1 and "cannot write" in err, (code, err))

code, out, err = run("--layout", "mma.m16n8k12.a f16")
check("a fragment that does not exist",
      code == 1 and "there is no m16n8k12" in err, (code, err))
code, out, err = run("--layout", "")
check("an empty layout", code == 1 and "column 1" in err, (code, err))
check("neither package nor layout", run()[0] == 2, run())
check("a picture of a package", run("m.twp", "--svg", "a.svg")[0] == 2,
      run("m.twp", "--svg", "a.svg"))

print("\n".join(problems) or "layouts are shown")
sys.exit(1 if problems else 0)
