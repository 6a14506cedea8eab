"""Times small models whose sizes are open, beside the same models compiled for
these sizes and beside ONNX Runtime, in one run.

    bench/open_sizes.py TOOL PYPI [--threads N]

TOOL is build/bin/tilewright, PYPI the folder .cache/pypi that scripts/test
fills. The least time of each counts. Prints a table for bench/results; the last
columns are open / fixed and open / ONNX Runtime.
"""

import pathlib
import subprocess
import tempfile
import time

import numpy as np

from cpu_models import onnx_modules, peer_parser, time_ours

SHAPES = [(1, 1), (1, 8), (8, 1), (1, 100), (100, 1), (7, 11), (16, 64)]


def product(onnx, name, nodes, width):
    """x[B, S, 64] through `nodes`, of weights W, V and a bias c, to y."""
    generator = np.random.default_rng(0)

    def weights(name, *shape):
        values = generator.standard_normal(shape) / np.sqrt(shape[0])
        return onnx.numpy_helper.from_array(values.astype(np.float32), name)

    info = onnx.helper.make_tensor_value_info
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(op, inputs, [output], **attributes)
         for op, inputs, output, attributes in nodes], name,
        [info("x", kind, ["B", "S", 64])], [info("y", kind, None)],
        [weights("W", 64, width), weights("V", width, 64),
         weights("c", width)])
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 20)],
        ir_version=10)


def models(onnx):
    multiply = ("MatMul", ["x", "W"], "y", {})
    yield "product", product(onnx, "product", [multiply], 192)
    yield "transposed", product(
        onnx, "transposed",
        [("Transpose", ["x"], "t", {"perm": [1, 0, 2]}),
         ("MatMul", ["t", "W"], "y", {})], 192)
    yield "mlp", product(
        onnx, "mlp",
        [("MatMul", ["x", "W"], "a", {}), ("Add", ["a", "c"], "b", {}),
         ("Gelu", ["b"], "g", {}), ("MatMul", ["g", "V"], "y", {})], 256)


def compiled(tool, model, package, *options):
    subprocess.run([tool, "compile", model, "-o", package, *options],
                   check=True, stdout=subprocess.DEVNULL)
    return package


def measure(arguments, session, opened, fixed, inputs, folder):
    """Least times: of any sizes, of these, of ONNX Runtime."""
    times = [[], [], []]
    for _ in range(5):
        for number, package in enumerate((opened, fixed)):
            times[number].append(
                time_ours(arguments, package, inputs, folder, 100)[0])
        for _ in range(100):
            start = time.perf_counter()
            session.run(None, inputs)
            times[2].append((time.perf_counter() - start) * 1e3)
    return [min(each) for each in times]


def main():
    parser = peer_parser(__doc__)
    parser.set_defaults(threads=1)
    arguments = parser.parse_args()
    onnx, onnxruntime = onnx_modules(arguments.pypi)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    print("| model | B x S | open ms | fixed ms | ONNX Runtime ms | | |\n"
          "|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        for name, model in models(onnx):
            path = folder / f"{name}.onnx"
            onnx.save(model, path)
            session = onnxruntime.InferenceSession(str(path), options)
            opened = compiled(arguments.tool, path, folder / f"{name}.twp")
            for b, s in SHAPES:
                fixed = compiled(arguments.tool, path, folder / "fixed.twp",
                                 "--input-shape", f"x={b}x{s}x64")
                x = np.random.default_rng(1).standard_normal((b, s, 64))
                ours, best, theirs = measure(
                    arguments, session, opened, fixed,
                    {"x": x.astype(np.float32)}, folder)
                print(f"| {name} | {b} x {s} | {ours:.4f} | {best:.4f} | "
                      f"{theirs:.4f} | {ours / best:.2f} | "
                      f"{ours / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
