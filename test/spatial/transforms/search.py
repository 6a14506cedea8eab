#!/usr/bin/env python3
"""What `map --effort` finds: search.py TOOL EXAMPLES

The search is the same wherever it runs: one seed gives the same bytes on one
core and on all. It is never worse than no search, what it finds computes the
same bits, and another seed tries other schedules.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy

# Two layers with ReLUs and a residual, so that values lie in memory for a while.
GRAPH = """
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<24x24xf32> {graph.name = "x"})
    -> (tensor<24x24xf32> {graph.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x24xf32>
  %w1 = arith.constant dense<W1> : tensor<24x24xf32>
  %w2 = arith.constant dense<W2> : tensor<24x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x24xf32>)
      -> tensor<24x24xf32>
  PRODUCT(h1, x, w1)
  RELU(r1, h1, x)
  PRODUCT(h2, r1, w2)
  RELU(r2, h2, x)
  return %r2 : tensor<24x24xf32>
}
"""
PRODUCT = """
  %{0} = linalg.generic {{indexing_maps = [#a, #b, #c],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%{1}, %{2} : tensor<24x24xf32>, tensor<24x24xf32>)
      outs(%f : tensor<24x24xf32>) {{
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  }} -> tensor<24x24xf32>"""
RELU = """
  %{0} = linalg.generic {{indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel"]}}
      ins(%{1}, %{2} : tensor<24x24xf32>, tensor<24x24xf32>)
      outs(%e : tensor<24x24xf32>) {{
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.maximumf %a, %zero : f32
    %s = arith.addf %m, %b : f32
    linalg.yield %s : f32
  }} -> tensor<24x24xf32>"""


def graph():
    """The graph, with weights that are small whole numbers."""
    random = numpy.random.default_rng(0)
    text = GRAPH
    for name in ("W1", "W2"):
        weights = random.integers(-3, 4, (24, 24)).astype(float)
        text = text.replace(name, str(weights.tolist()))
    for name, body in (("PRODUCT", PRODUCT), ("RELU", RELU)):
        while f"  {name}(" in text:
            first, rest = text.split(f"  {name}(", 1)
            arguments, rest = rest.split(")", 1)
            text = first + body.format(*arguments.split(", ")) + rest
    return text


def contents(package):
    found = {}
    for name in sorted(os.listdir(package)):
        with open(os.path.join(package, name), "rb") as file:
            found[name] = file.read()
    return found


def main():
    tool, examples = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "m.mlir")
        with open(model, "w", encoding="utf-8") as file:
            file.write(graph())
        command = [tool, "map", model, "--machine",
                   os.path.join(examples, "machines/toy4.json"), "--json"]

        def call(name, *options, on=()):
            package = os.path.join(folder, name)
            done = subprocess.run([*on, *command, "-o", package, *options],
                                  check=True, capture_output=True, text=True)
            return json.loads(done.stdout), package

        def simulate(package):
            outputs = package + ".out"
            done = subprocess.run([tool, "run", package, "--output-dir",
                                   outputs, "--json"], check=True,
                                  capture_output=True, text=True)
            subprocess.run([tool, "verify", package], check=True,
                           capture_output=True)
            return (json.loads(done.stdout)["cycles"],
                    numpy.load(os.path.join(outputs, "y.npy")).tobytes())

        one, plain = call("one.tws", "--effort", "0")
        if one["schedules"] != {"tried": 1, "best": 0}:
            sys.exit(f"expected one schedule, found {one['schedules']}")
        best, first = call("a.tws", "--effort", "1")
        print(one["cycles"], best["cycles"], best["schedules"])
        if best["schedules"]["tried"] < 5:
            sys.exit(f"expected a search, found {best['schedules']}")
        if best["cycles"] >= one["cycles"]:
            sys.exit(f"the search finds {best['cycles']} cycles, without it "
                     f"there are {one['cycles']}")
        core = str(min(os.sched_getaffinity(0)))
        again, second = call("b.tws", "--effort", "1", "--seed", "0",
                             on=["taskset", "-c", core])
        if contents(first) != contents(second):
            sys.exit("one core and several give different schedules: "
                     f"{best['schedules']} and {again['schedules']}")
        other, third = call("c.tws", "--effort", "1", "--seed", "1")
        if contents(first) == contents(third):
            sys.exit(f"seeds 0 and 1 give one schedule: {other['schedules']}")
        if other["cycles"] > one["cycles"]:
            sys.exit(f"the search with seed 1 is worse than none: {other}")
        found = [simulate(package) for package in (plain, first, third)]
        if [cycles for cycles, _ in found] != [one["cycles"], best["cycles"],
                                               other["cycles"]]:
            sys.exit(f"other cycles are simulated than planned: {found}")
        if len({outputs for _, outputs in found}) != 1:
            sys.exit("the searches compute different outputs")
        for options in (["--effort", "-1"], ["--effort", "x"],
                        ["--seed", "-1"]):
            done = subprocess.run([*command, "-o", plain, *options],
                                  capture_output=True, text=True)
            said = f"{options[0]}: expected a whole number"
            if done.returncode != 2 or said not in done.stderr:
                sys.exit(f"{options}: expected exit code 2 and '{said}', found "
                         f"{done.returncode}: {done.stderr}")


if __name__ == "__main__":
    main()
