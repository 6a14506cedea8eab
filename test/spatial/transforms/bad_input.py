#!/usr/bin/env python3
"""What `map` says of wrong input: bad_input.py TOOL MACHINES

Each case is one clear error, exit code 1, and no schedule is left.
"""
import json
import os
import subprocess
import sys
import tempfile

GRAPH = """
func.func @main(%x: tensor<SIZExf32> {graph.name = "x", graph.dims = ["n"]})
    -> (tensor<SIZExf32> {graph.name = "y"}) {
  EMPTY
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>,
      affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<SIZExf32>) outs(%e : tensor<SIZExf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.OP %a : f32
    linalg.yield %r : f32
  } -> tensor<SIZExf32>
  return %y : tensor<SIZExf32>
}
"""
STATIC = "%e = tensor.empty() : tensor<SIZExf32>"
DYNAMIC = """%c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>"""


def graph(op="exp", size="8"):
    empty = DYNAMIC if size == "?" else STATIC
    return GRAPH.replace("EMPTY", empty).replace("SIZE", size).replace("OP", op)


def expect(tool, folder, machine, text, said, *options):
    model = os.path.join(folder, "m.mlir")
    with open(model, "w", encoding="utf-8") as file:
        file.write(text)
    output = os.path.join(folder, "m.tws")
    done = subprocess.run([tool, "map", model, "--machine", machine, "-o",
                           output, *options], capture_output=True, text=True)
    message = done.stdout + done.stderr
    if done.returncode != 1 or any(part not in message for part in said):
        sys.exit(f"expected exit code 1 and {said}, found {done.returncode}:\n"
                 f"{message}")
    if os.path.exists(output):
        sys.exit(f"a schedule is left after:\n{message}")


def main():
    tool, machines = sys.argv[1:]
    toy = os.path.join(machines, "toy4.json")
    with tempfile.TemporaryDirectory() as folder:
        expect(tool, folder, toy, graph(size="?"),
               ["dimension 0 of input 'x' ('n') is not known",
                "--input-shape x="])
        expect(tool, folder, toy, graph(op="cbrt"),
               ["math.cbrt has no lowering to vectors"])
        expect(tool, folder, toy, graph(),
               ["does not multiply f16", "--precision f32"], "--precision",
               "f16")
        expect(tool, folder, os.path.join(machines, "ring8.json"), graph(),
               ["one chip, found --chips 2"], "--chips", "2")
        expect(tool, folder, toy, graph(), ["at most the 1 chips"], "--chips",
               "2")
        expect(tool, folder, toy, graph(size="1000000"),
               ["need 3.8 MiB", "has 0."])
        damaged = os.path.join(folder, "damaged.json")
        with open(toy, encoding="utf-8") as file:
            machine = json.load(file)
        machine["lanes"] = 0
        with open(damaged, "w", encoding="utf-8") as file:
            json.dump(machine, file)
        expect(tool, folder, damaged, graph(), ["damaged.json", "lanes"])
    print("all cases are reported")


if __name__ == "__main__":
    main()
