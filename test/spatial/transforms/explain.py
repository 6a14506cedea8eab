#!/usr/bin/env python3
"""What `map --explain` says of a small graph: explain.py TOOL EXAMPLES

A product of matrices, a ReLU, and the sum of that and its transpose on toy4, where
vectors have four lanes.
"""
import json
import os
import subprocess
import sys
import tempfile

GRAPH = """
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
func.func @main(%x: tensor<4x4xf32> {graph.name = "x"})
    -> (tensor<4x4xf32> {graph.name = "y"}) {
  %w = arith.constant dense<[[1.0, -1.0, 0.5, -2.0], [2.0, 0.0, 0.5, 1.0],
                             [3.0, 2.0, 0.5, -1.0], [4.0, -3.0, 0.5, 0.0]]> : tensor<4x4xf32> loc("weights")
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.generic {indexing_maps = [#rows, #columns, #result],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %ab = arith.mulf %a, %b : f32
    %sum = arith.addf %acc, %ab : f32
    linalg.yield %sum : f32
  } -> tensor<4x4xf32> loc("product")
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<4x4xf32> loc("clip")
  %y = linalg.generic {indexing_maps = [#same, #turned, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%r, %r : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32> loc("mirror")
  return %y : tensor<4x4xf32>
}
"""


def expect(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: expected {expected}, found {found}")


def check_node(node, name, instructions, operands):
    expect(node["name"], name, "the order of nodes")
    # How elements are moved to other lanes is the lowering's choice.
    moves = {op for op in node["instructions"] if op in ("map", "transpose")}
    expect({op: count for op, count in node["instructions"].items()
            if op not in moves}, instructions, name)
    expect(bool(moves), name == "mirror", f"moves of {name}")
    expect(node["cycles"], node["end"] - node["begin"], name)
    expect(0 < node["lower_bound"] <= node["cycles"], True, f"bound of {name}")
    expect(node["layouts"],
           [{"shape": [4, 4], "vectors": 4, "lanes": [1], "filled": 1.0,
             "operands": [{"node": of, "lies": lies}
                          for of, lies in operands]}], name)


def main():
    tool, examples = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name)

        def call(package, *options, graph=path("g.mlir")):
            return subprocess.run(
                [tool, "map", graph, "--machine",
                 os.path.join(examples, "machines/toy4.json"), "-o",
                 path(package), *options],
                check=True, capture_output=True, text=True).stdout

        with open(path("g.mlir"), "w", encoding="utf-8") as file:
            file.write(GRAPH)
        report = json.loads(call("a.tws", "--explain", "--json"))
        expect([given["name"] for given in report["inputs"]], ["x"], "inputs")
        product, clip, mirror = report["nodes"]
        check_node(product, "product", {"mul": 4},
                   [("x", "in other lanes"), ("weights", "constant")])
        check_node(clip, "clip", {"alu": 4}, [("product", "in place")])
        check_node(mirror, "mirror", {"alu": 4},
                   [("clip", "in place"), ("clip", "in other lanes")])
        expect(mirror["end"] <= report["cycles"], True, "the last node's end")
        text = call("b.tws", "--explain")
        for part in (" in lanes, 100.0 % full; in place: clip; in other lanes: "
                     "clip\n", "  4 mul\n"):
            if part not in text:
                sys.exit(f"expected '{part}', found\n{text}")
        # One vector: the longest chains are all that there is.
        relu = json.loads(call("relu.tws", "--explain", "--json", graph=os.path
                               .join(examples, "spatial/relu.mlir")))
        for node in relu["nodes"]:
            expect(node["binds"], "chain", node["name"])
            expect(node["lower_bound"] <= node["cycles"], True, node["name"])
        # The schedule is the same without.
        expect("nodes" in json.loads(call("c.tws", "--json")), False, "--json")
        manifests = []
        for package in ("a.tws", "c.tws"):
            with open(os.path.join(path(package), "manifest.json"),
                      encoding="utf-8") as file:
                manifests.append(file.read())
        expect(manifests[0] == manifests[1], True, "the same manifest")
        values = json.loads(manifests[0])["values"].values()
        expect({value["node"] for value in values if "node" in value}
               >= {"product", "clip", "mirror"}, True, "nodes of values")


if __name__ == "__main__":
    main()
