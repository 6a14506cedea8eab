"""Times reductions with fixed and with open sizes on the CPU device, beside
ONNX Runtime, in one run.

    bench/reductions.py TOOL PYPI [--threads N] [--match TEXT]

TOOL is build/bin/tilewright, PYPI the folder .cache/pypi that scripts/test
fills. The least time of each counts. Prints a table for bench/results; the last
columns are fixed / ONNX Runtime and open / ONNX Runtime.
"""

import pathlib
import tempfile
import time

import numpy as np

from cpu_models import onnx_modules, peer_parser, time_ours
from open_sizes import compiled

# Name, shape, the dimensions that the open model leaves open, axes.
CASES = [
    ("all", (1, 100, 100, 512), (0, 1, 2), (0, 1, 2, 3)),
    ("all, in a cache", (1, 16, 16, 512), (0, 1, 2), (0, 1, 2, 3)),
    ("one row", (1, 256), (0,), (0, 1)),
    ("rows", (1000, 5120), (0,), (1,)),
    ("rows, in a cache", (32, 4096), (0,), (1,)),
    ("short rows", (100000, 24), (0,), (1,)),
    ("columns", (10000, 512), (0,), (0,)),
    ("columns, in a cache", (128, 512), (0,), (0,)),
    ("a sequence", (1, 128, 384), (0, 1), (1,)),
    ("images", (2, 64, 112, 112), (0,), (2, 3)),
]
OPS = ["ReduceSum", "ReduceMin", "ReduceMax"]


def model_of(onnx, op, kind, shape, axes):
    info = onnx.helper.make_tensor_value_info
    indices = onnx.helper.make_tensor("axes", onnx.TensorProto.INT64,
                                      [len(axes)], axes)
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(op, ["x", "axes"], ["y"], keepdims=0)], op,
        [info("x", kind, shape)], [info("y", kind, None)], [indices])
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9)


def quantization(onnx, shape):
    info = onnx.helper.make_tensor_value_info
    types = {"q": onnx.TensorProto.UINT8, "s": onnx.TensorProto.FLOAT,
             "z": onnx.TensorProto.UINT8}
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("DynamicQuantizeLinear", ["x"], list(types))],
        "quantize", [info("x", onnx.TensorProto.FLOAT, shape)],
        [info(name, kind, None) for name, kind in types.items()])
    return onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9)


def models(onnx):
    """(name, dtype, fixed shape, function of a shape to a model)"""
    for name, shape, opened, axes in CASES:
        for op in OPS:
            kinds = [("f32", np.float32, onnx.TensorProto.FLOAT)]
            if name.endswith("cache"):
                kinds.append(("f64", np.float64, onnx.TensorProto.DOUBLE))
            for text, dtype, kind in kinds:
                yield (f"{op} {text}, {name}", dtype, shape, opened,
                       lambda sizes, op=op, kind=kind, axes=axes:
                       model_of(onnx, op, kind, sizes, axes))
    for name, shape, opened, _ in CASES[:3]:
        yield (f"DynamicQuantizeLinear, {name}", np.float32, shape, opened,
               lambda sizes: quantization(onnx, sizes))


def measure(arguments, session, packages, inputs, folder):
    """Least times of the packages and of ONNX Runtime."""
    times = [[] for _ in range(len(packages) + 1)]
    for _ in range(5):
        for number, package in enumerate(packages):
            times[number].append(
                time_ours(arguments, package, inputs, folder, 50)[0])
        for _ in range(50):
            start = time.perf_counter()
            session.run(None, inputs)
            times[-1].append((time.perf_counter() - start) * 1e3)
    return [min(each) for each in times]


def main():
    parser = peer_parser(__doc__)
    parser.add_argument("--match", default="")
    arguments = parser.parse_args()
    onnx, onnxruntime = onnx_modules(arguments.pypi)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    print("| reduction | of | fixed ms | open ms | ONNX Runtime ms | | |\n"
          "|---|---|---:|---:|---:|---:|---:|")
    everything = []
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        for name, dtype, shape, opened, build in models(onnx):
            if arguments.match not in name:
                continue
            packages = []
            for sizes in (shape, [f"d{dim}" if dim in opened else size
                                  for dim, size in enumerate(shape)]):
                path = folder / f"{len(packages)}.onnx"
                onnx.save(build(sizes), path)
                packages.append(compiled(arguments.tool, path,
                                         folder / f"{len(packages)}.twp"))
            session = onnxruntime.InferenceSession(str(path), options)
            x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
            fixed, unknown, theirs = measure(arguments, session, packages,
                                             {"x": x}, folder)
            everything += [fixed / theirs, unknown / theirs]
            print(f"| {name} | {' x '.join(map(str, shape))} | {fixed:.4f} | "
                  f"{unknown:.4f} | {theirs:.4f} | {fixed / theirs:.2f} | "
                  f"{unknown / theirs:.2f} |", flush=True)
    print(f"\n{len(everything)} ratios, geometric mean "
          f"{np.exp(np.mean(np.log(everything))):.2f}, greatest "
          f"{max(everything):.2f}")


if __name__ == "__main__":
    main()
