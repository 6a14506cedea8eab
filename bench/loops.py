"""Times loops that a run repeats, beside ONNX Runtime in one run: an LSTM of two
layers of 256 over 1, 100 and 1,000 steps, from one package, and a loop of 10,000
iterations of two small kernels.

    bench/loops.py TOOL PYPI [--threads N]

TOOL is build/bin/tilewright, PYPI the folder .cache/pypi that scripts/test
fills. The least time of each counts. Prints a table for bench/results.
"""

import pathlib
import subprocess
import tempfile
import time

import numpy as np

from cpu_models import onnx_modules, peer_parser, time_ours

SIZE = 256


def constant(onnx, generator, name, *shape):
    values = generator.standard_normal(shape) / 10
    return onnx.numpy_helper.from_array(values.astype(np.float32), name)


def model_of(onnx, nodes, inputs, outputs, constants):
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes, "loops", [info(*each) for each in inputs],
        [info(name, onnx.TensorProto.FLOAT, None) for name in outputs],
        constants)
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=10)


def lstm(onnx):
    generator = np.random.default_rng(0)
    constants = [onnx.numpy_helper.from_array(np.array([1]), "axis")]
    nodes, x = [], "x"
    for layer in "ab":
        constants += [constant(onnx, generator, "W" + layer, 1, 4 * SIZE, SIZE),
                      constant(onnx, generator, "R" + layer, 1, 4 * SIZE, SIZE),
                      constant(onnx, generator, "B" + layer, 1, 8 * SIZE)]
        nodes += [onnx.helper.make_node(
            "LSTM", [x] + [part + layer for part in "WRB"],
            ["Y" + layer, "H" + layer, "C" + layer], hidden_size=SIZE),
            onnx.helper.make_node("Squeeze", ["Y" + layer, "axis"],
                                  ["y" + layer])]
        x = "y" + layer
    return model_of(onnx, nodes,
                    [("x", onnx.TensorProto.FLOAT, ["T", 1, SIZE])],
                    ["yb", "Hb", "Cb"], constants)


def counted(onnx):
    """s = tanh(s + sum(s)), as often as n says."""
    node, info = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    kind = onnx.TensorProto
    body = onnx.helper.make_graph(
        [node("ReduceSum", ["s"], ["r"]), node("Add", ["s", "r"], ["a"]),
         node("Tanh", ["a"], ["t"]), node("Identity", ["on"], ["more"])],
        "body", [info("i", kind.INT64, []), info("on", kind.BOOL, []),
                 info("s", kind.FLOAT, [1, 64])],
        [info("more", kind.BOOL, []), info("t", kind.FLOAT, [1, 64])])
    return model_of(onnx, [node("Loop", ["n", "", "x"], ["y"], body=body)],
                    [("x", kind.FLOAT, [1, 64]), ("n", kind.INT64, [])],
                    ["y"], [])


def main():
    arguments = peer_parser(__doc__).parse_args()
    onnx, onnxruntime = onnx_modules(arguments.pypi)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    generator = np.random.default_rng(1)
    random = lambda *shape: generator.standard_normal(shape).astype(np.float32)
    cases = [(lstm(onnx), f"LSTM, {steps} steps", {"x": random(steps, 1, SIZE)})
             for steps in (1, 100, 1000)]
    cases.append((counted(onnx), "10,000 iterations",
                  {"x": random(1, 64), "n": np.array(10000)}))
    print("| loop | ms | ONNX Runtime ms | |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        for number, (model, name, inputs) in enumerate(cases):
            path, package = folder / f"{number}.onnx", folder / f"{number}.twp"
            onnx.save(model, path)
            subprocess.run([arguments.tool, "compile", path, "-o", package],
                           check=True, stdout=subprocess.DEVNULL)
            session = onnxruntime.InferenceSession(str(path), options)
            ours, theirs = [], []
            for _ in range(5):
                ours.append(time_ours(arguments, package, inputs, folder,
                                      10)[0])
                for _ in range(10):
                    start = time.perf_counter()
                    session.run(None, inputs)
                    theirs.append((time.perf_counter() - start) * 1e3)
            print(f"| {name} | {min(ours):.3f} | {min(theirs):.3f} | "
                  f"{min(ours) / min(theirs):.2f} |", flush=True)


if __name__ == "__main__":
    main()
