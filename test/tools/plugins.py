"""plugins.py TOOL EXAMPLE BAD: what --plugin adds to `run` and `tune`. EXAMPLE
is built of test/library/plugin/ExamplePlugin.cpp: files of one number as
kernels, graphs behind a title, the GPU sm_87. A pass of BAD fails.
"""

import array
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOOL, EXAMPLE, BAD = sys.argv[1:4]
PLUGIN = ["--plugin", EXAMPLE]
TWICE = """\
tile.kernel @double(%x: !tile.view<64xf32> {tile.name = "x"},
                    %y: !tile.view<64xf32> {tile.name = "y"})
    grid affine_map<()[n, m] -> (n ceildiv 32)> {
  %i = tile.program_id
  %t = tile.load %x[%i] : !tile.view<64xf32> -> tensor<32xf32>
  %d = arith.addf %t, %t : tensor<32xf32>
  tile.store %d, %y[%i] : tensor<32xf32>, !tile.view<64xf32>
}
"""
GRAPH = """\
title sum
func.func @main(%x: tensor<?x3xf32> {graph.name = "x", graph.dims = ["N", ""]})
    -> (tensor<?x3xf32> {graph.name = "y"}) {
  %y = arith.addf %x, %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
"""
FILES = {"seven.number": "7\n", "wrong.number": "seven\n",
         "sum.titled": GRAPH,
         "fixed.titled": GRAPH.replace("?x3", "2x3").replace('"N"', '""'),
         "twice.mlir": TWICE,
         "wider.mlir": TWICE.replace("64xf32", "128xf32"),
         "k.ptx": "", "k.json": "{}"}
problems = []


def check(what, good, found):
    if not good:
        problems.append(f"{what}: found {str(found)[:1000]}")


def write_npy(path, shape, elements):
    """Of f32: version 1.0, a header that ends at a multiple of 64."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") +
                     header.encode() + array.array("f", elements).tobytes())


def read_npy(path, kind):
    data = path.read_bytes()
    return array.array(kind, data[10 + int.from_bytes(data[8:10], "little"):])


def launch(folder, *arguments):
    return subprocess.run(
        [TOOL, *map(str, arguments)], cwd=folder, text=True, check=False,
        capture_output=True,
        env={**os.environ, "TILEWRIGHT_CACHE_DIR": "off"}, timeout=300)


def check_run(folder):
    def output(kind, name, *arguments):
        done = launch(folder, "run", *arguments, *PLUGIN, "--output-dir", "out")
        check(arguments, done.returncode == 0, done)
        return list(read_npy(folder / "out" / name, kind)) \
            if done.returncode == 0 else None

    number = output("i", "arg0.npy", "seven.number", "--kernel", "number")
    check("a kernel of a plug-in", number == [7] * 8, number)
    graph = output("f", "y.npy", "sum.titled", "--input", "x=x23.npy")
    check("a graph of a plug-in", graph == [0, 2, 4, 6, 8, 10], graph)
    gpu = output("f", "y.npy", "twice.mlir", "--input", "x=x64.npy", "--device",
                 "emulator", "--target", "sm_87")
    check("a target of a plug-in", gpu == list(range(0, 128, 2)), gpu)


def check_mistakes(folder):
    for arguments, code, word in [
            (["run", "seven.number"], 1, ".onnx, .pt2 or .mlir"),
            (["run", "wrong.number", *PLUGIN], 1, "expected a number"),
            (["run", "twice.mlir", "--device", "emulator", "--target",
              "sm_87"], 2, "no device here runs 'sm_87'"),
            (["run", "twice.mlir", *PLUGIN, "--target", "sm_87"], 2,
             "no device here runs 'sm_87'"),
            (["run", "seven.number", *PLUGIN, *PLUGIN], 1,
             "is there already"),
            (["run", "twice.mlir", "--plugin", "none.so"], 1, "none.so"),
            (["run", "twice.mlir", "--plugin", BAD], 1, "pass 'fail' failed"),
            (["run", "twice.twp", *PLUGIN], 2, "--plugin has no effect"),
            (["run", "k.ptx", *PLUGIN, "--device", "emulator", "--launch",
              "k.json"], 2, "--plugin has no effect"),
            (["tune", "seven.number", "--db", "m.db"], 1, ".onnx, .pt2 or .mlir"),
            (["tune", "twice.mlir", "--db", "m.db", "--plugin", "none.so"], 1,
             "none.so"),
            (["tune", "explain", "twice.mlir", "--plugin", BAD], 1,
             "not to my liking"),
            (["tune", "explain", "twice.mlir", "--target", "sm_87"], 1,
             "'sm_87' cannot be tuned"),
            (["tune", "fixed.titled", *PLUGIN, "--target", "sm_1"], 1,
             "'sm_1' cannot be tuned")]:
        done = launch(folder, *arguments)
        check(arguments, done.returncode == code and word in done.stderr and
              (BAD in arguments or done.stderr.count("error: ") == 1), done)


def tune(folder, database, *arguments):
    done = launch(folder, "tune", *arguments, "--db", database, "--trials", 2,
                  "--time", "60s", "--json", *PLUGIN)
    check(arguments, done.returncode == 0, done)
    report = json.loads(done.stdout) if done.returncode == 0 else {"tasks": []}
    for task in report["tasks"]:
        check(arguments, task["trials"] > 0 and "trouble" not in task, task)
    check(arguments, report["tasks"], report)


def check_tune(folder):
    tune(folder, "n.db", "seven.number")
    tune(folder, "g.db", "fixed.titled")
    # Only processes that have the plug-in support the target.
    gpu = ["--device", "emulator", "--target", "sm_87"]
    tune(folder, "e.db", "twice.mlir", *gpu)
    # The pass runs on what is modelled and what is tried.
    done = launch(folder, "tune", "twice.mlir", "--plugin", BAD, "--db",
                  "b.db", "--trials", 1)
    check("a pass that fails", done.returncode == 1 and
          "not to my liking" in done.stdout, done)


def check_again(folder):
    device = ["--device", "emulator"]
    same = launch(folder, "tune", "revalidate", "e.db", *device, *PLUGIN)
    check("the same plug-in", "are of this build and driver" in same.stdout,
          same)
    other = launch(folder, "tune", "revalidate", "e.db", *device)
    check("without the plug-in", other.returncode == 1 and
          "'sm_87' cannot be tuned" in other.stdout, other)
    again = launch(folder, "tune", "revalidate", "e.db", *device, "--all",
                   *PLUGIN)
    check("once more", again.returncode == 0 and "double" not in again.stderr,
          again)
    explained = launch(folder, "tune", "explain", "e.db", *PLUGIN)
    check("explain", explained.returncode == 0 and
          "best known" in explained.stdout, explained)
    # The very kernel, and one of a shape that is near.
    for file in ["twice.mlir", "wider.mlir"]:
        compiled = launch(folder, "compile", file, *PLUGIN, "--target",
                          "sm_87", "--tuning", "e.db", "-o", "tuned.twp")
        check(("compile --tuning", file), "1 of 1 kernels have a tuned schedule"
              in compiled.stdout, compiled)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in FILES.items():
            (folder / file).write_text(text, encoding="utf-8")
        write_npy(folder / "x23.npy", (2, 3), range(6))
        write_npy(folder / "x64.npy", (64,), range(64))
        done = launch(folder, "compile", "twice.mlir", "-o", "twice.twp")
        check("compile", done.returncode == 0, done)
        check_run(folder)
        check_mistakes(folder)
        check_tune(folder)
        check_again(folder)
    print("\n".join(problems) or "plug-ins run and are tuned")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
