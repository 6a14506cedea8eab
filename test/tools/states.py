"""states.py TOOL: models with state on the command line: each run begins with
the initial states, `inspect` lists them, and a compilation that is stopped
between two passes keeps them."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

# s = s / 2 + x, which begins as 2; y is the new value.
MODEL = """
func.func @main(%x: tensor<3x4xf32> {graph.name = "x"},
                %s: tensor<3x4xf32> {graph.state = "s",
                    graph.initial = dense<2.0> : tensor<3x4xf32>},
                %row: tensor<1x4xf32> {graph.name = "row"},
                %cache: tensor<9x4xf32> {graph.state = "cache"})
    -> (tensor<3x4xf32> {graph.name = "y"},
        tensor<3x4xf32> {graph.updates = "s"},
        tensor<9x4xf32> {graph.updates = "cache"}) {
  %half = arith.constant dense<0.5> : tensor<3x4xf32>
  %a = arith.mulf %s, %half : tensor<3x4xf32>
  %b = arith.addf %a, %x : tensor<3x4xf32>
  %c = tensor.insert_slice %row into %cache[3, 0] [1, 4] [1, 1]
      : tensor<1x4xf32> into tensor<9x4xf32>
  return %b, %b, %c : tensor<3x4xf32>, tensor<3x4xf32>, tensor<9x4xf32>
}
"""


def main():
    tool = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def call(*arguments):
            done = subprocess.run([tool, *map(str, arguments)],
                                  capture_output=True, text=True, cwd=folder,
                                  check=False)
            if done.returncode:
                sys.exit(f"{arguments}: exit {done.returncode}\n{done.stderr}")
            return done.stdout

        def expect(found, expected, what):
            if found != expected:
                sys.exit(f"{what}: expected {expected}, found {found}")

        (folder / "m.mlir").write_text(MODEL, encoding="utf-8")
        targets = ("--target", "cpu,sm_90a,interpreter")
        call("compile", "m.mlir", *targets, "-o", "m.twp")
        np.save(folder / "x.npy", np.full((3, 4), 0.25, np.float32))
        for device in ("cpu", "emulator", "interpreter"):
            for options in ((), ("--repeat", 4), ("--profile",)):
                call("run", "m.twp", "--device", device, "--input", "x=x.npy",
                     "--output-dir", "out", *options)
                expect(np.load(folder / "out/y.npy").tolist(),
                       [[1.25] * 4] * 3, f"{device} {options}")
        text = call("inspect", "m.twp", "--steps")
        for line in ("  state   s: f32[3, 4]\n", "  state   cache: f32[9, 4]\n",
                     " copy "):
            if line not in text:
                sys.exit(f"inspect: {line!r} is not in\n{text}")
        if '"tilewright_package": 2' not in call("inspect", "m.twp", "--json"):
            sys.exit("expected a package of version 2")
        for stop in ("form-groups", "convert-graph-to-tile"):
            call("compile", "m.mlir", *targets, "--stop-after", stop, "-o",
                 "stopped.mlir")
            call("compile", "stopped.mlir", *targets, "--resume", "-o",
                 "again.twp")
            for path in ("manifest.json", "weights.safetensors"):
                same = ((folder / "m.twp" / path).read_bytes() ==
                        (folder / "again.twp" / path).read_bytes())
                expect(same, True, f"{path} after a stop at {stop}")
    print("states begin anew in each run")


if __name__ == "__main__":
    main()
