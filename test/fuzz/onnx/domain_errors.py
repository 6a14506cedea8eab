"""Nodes of ai.onnx.ml and com.microsoft that are wrong or not supported: each
is one message with exit code 1.

    domain_errors.py TOOL [--pypi PYPI]
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import wheels

# A root with two leaves.
TREE = {"nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2],
        "nodes_featureids": [0, 0, 0], "nodes_values": [0.5, 0.0, 0.0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
        "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
        "target_treeids": [0, 0], "target_nodeids": [1, 2],
        "target_ids": [0, 0], "target_weights": [1.0, 2.0], "n_targets": 1}
ML, MICROSOFT = "ai.onnx.ml", "com.microsoft"

# (domain, operator, attributes, words of the message)
CASES = [
    (ML, "TreeEnsembleRegressor", {**TREE, "nodes_truenodeids": [0, 0, 0]},
     ["cycle", "1024 levels"]),
    (ML, "TreeEnsembleRegressor", {**TREE, "nodes_falsenodeids": [7, 0, 0]},
     ["a child that is no node"]),
    (ML, "TreeEnsembleRegressor", {**TREE, "nodes_featureids": [9, 0, 0]},
     ["feature 9", "[N, 4]"]),
    (ML, "TreeEnsembleRegressor", {**TREE, "target_ids": [0, 1]},
     ["the target 1 of 1"]),
    (ML, "TreeEnsembleRegressor", {**TREE, "target_nodeids": [1, 0]},
     ["node 0 of tree 0 has a weight and is no leaf"]),
    (ML, "TreeEnsembleRegressor", {**TREE, "nodes_nodeids": [0, 1, 1]},
     ["node 1 of tree 0 is there twice"]),
    (ML, "TreeEnsembleRegressor", {**TREE, "nodes_values": [0.5]},
     ["'nodes_values' has 1 values, expected 3"]),
    (ML, "TreeEnsembleRegressor",
     {**TREE, "nodes_modes": ["BRANCH_UP", "LEAF", "LEAF"]}, ["BRANCH_UP"]),
    (ML, "TreeEnsembleRegressor", {**TREE, "aggregate_function": "MEDIAN"},
     ["MEDIAN", "SUM, AVERAGE, MIN or MAX"]),
    (ML, "LinearClassifier",
     {"coefficients": [1.0] * 8, "intercepts": [0.0] * 2,
      "classlabels_strings": ["a", "b"]},
     ["classlabels_strings", "strings, which are not supported"]),
    (ML, "LinearRegressor", {"coefficients": [1.0] * 7, "targets": 2},
     ["7 values"]),
    (ML, "SVMRegressor", {"coefficients": [1.0], "rho": [0.0],
                          "kernel_type": "CUBE"}, ["CUBE", "RBF"]),
    (ML, "Scaler", {"offset": [1.0] * 3}, ["3 values", "[N, 4]"]),
    (ML, "Normalizer", {"norm": "L7"}, ["L7", "MAX, L1 or L2"]),
    (ML, "LabelEncoder", {"keys_strings": ["a"], "values_int64s": [1]},
     ["keys_strings", "strings"]),
    (ML, "ZipMap", {"classlabels_int64s": [0, 1]},
     ["ZipMap is not supported", "maps"]),
    (MICROSOFT, "MatMulNBits", {"K": 4, "N": 2, "bits": 3, "block_size": 16},
     ["bits is 3"]),
    (MICROSOFT, "MatMulNBits", {"K": 0, "N": 2, "bits": 4, "block_size": 16},
     ["K, N and block_size are 0, 2 and 16"]),
    (MICROSOFT, "QLinearSigmoid", {}, ["input 0 has type f32"]),
    (MICROSOFT, "Murmur", {}, ["com.microsoft.Murmur is not supported"]),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--pypi")
    options = parser.parse_args()
    missing = wheels.use(options.pypi)
    if missing:
        print(f"skipped: {missing}")
        return 77
    import onnx
    from onnx import helper
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.onnx"
        for domain, name, attributes, words in CASES:
            rows = helper.make_tensor_value_info("x", 1, ["N", 4])
            graph = helper.make_graph(
                [helper.make_node(name, ["x", "x", "x"], ["y"], domain=domain,
                                  **attributes)], "g", [rows],
                [helper.make_empty_tensor_value_info("y")])
            onnx.save(helper.make_model(graph, ir_version=9, opset_imports=[
                helper.make_opsetid("", 21), helper.make_opsetid(domain, 3)]),
                str(path))
            done = subprocess.run(
                [options.tool, "compile", path, "-o", path.with_suffix(".twp")],
                text=True, capture_output=True, check=False, timeout=120)
            if done.returncode != 1 or done.stderr.count("error: ") != 1 or \
                    any(word not in done.stderr for word in words):
                failures += 1
                print(f"{name}: exit {done.returncode}, expected 1 and {words}"
                      f"\n{done.stderr}")
    print(f"{len(CASES)} errors, {failures} not told well")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
