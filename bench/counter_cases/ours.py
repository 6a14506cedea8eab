"""A case as an ONNX model, compiled by tilewright."""

import json
import math
import re

import onnx

from .launches import BITS, Buffer, Launch, run

ONNX_TYPES = {"f32": "float", "f16": "float16", "bf16": "bfloat16",
              "i8": "int8", "i32": "int32", "i64": "int64"}
FUNCTIONS = {"ceildiv": lambda a, b: -(-a // b), "floordiv": lambda a, b: a // b,
             "mod": lambda a, b: a % b, "min": min, "max": max,
             "aligned": lambda address, size: address % size == 0}


def tensor(dtype, shape):
    sizes = ",".join(str(size) for size in shape)
    return ONNX_TYPES[dtype] + (f"[{sizes}]" if shape else "")


def model(case, weights):
    """`weights`: arrays by name."""
    shape = (("M", *case.shape[1:]) if case.is_dynamic else case.shape)
    family = case.family
    typed = ", ".join(f"{tensor(case.dtype_of(name), of(shape))} {name}"
                      for name, of in family.inputs_with_x().items())
    made = onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["": 23]> model '
        f"({typed}) => "
        f"({tensor(case.result_dtype, family.result(shape))} y) "
        f"{{ {case.nodes} }}")
    made.graph.initializer.extend(
        onnx.numpy_helper.from_array(array, name)
        for name, array in weights.items())
    return made


def compile_package(tool, case, weights, target, folder):
    onnx.save(model(case, weights), folder / "model.onnx")
    package = folder / "model.twp"
    run(tool, "compile", folder / "model.onnx", "--target", target,
        "--fast-math", "--precision", case.family.precision, "-o", package)
    return package


def evaluate(expression, symbols):
    """Of the manifest's language: Python's but for the dots in names."""
    text = re.sub(r"([A-Za-z]\w*)\.", r"\1_", str(expression))
    return eval(text, {"__builtins__": {}}, FUNCTIONS | symbols)


def sizes_of(step, symbols):
    """What the kernel's expressions name: "argI_dimJ", "argI_strideJ", and
    "argI", the value of a scalar or the address of a view; buffers are aligned.
    """
    values = {}
    for i, argument in enumerate(step["arguments"]):
        if "scalar" in argument:
            values[f"arg{i}"] = evaluate(argument["scalar"], symbols)
            continue
        values[f"arg{i}"] = 0
        dims = [evaluate(dim, symbols) for dim in argument["dims"]]
        strides = [evaluate(stride, symbols)
                   for stride in argument.get("strides", [])]
        strides = strides or [math.prod(dims[j + 1:]) for j in range(len(dims))]
        values |= {f"arg{i}_dim{j}": dim for j, dim in enumerate(dims)}
        values |= {f"arg{i}_stride{j}": size for j, size in enumerate(strides)}
    return values


def arguments_of(step, kernel, buffers, values):
    """All but pointers are of 64 bits."""
    for i, (given, taken) in enumerate(zip(step["arguments"],
                                           kernel["arguments"])):
        if "scalar" in taken:
            yield "i64", values[f"arg{i}"]
            continue
        for passed in taken["passed"]:
            yield (buffers[given["buffer"]] if passed == "pointer"
                   else ("i64", values[f"arg{i}_{passed}"]))


def launch_of(package, manifest, step, buffers, symbols):
    values = sizes_of(step, symbols)
    # Of the variants of a kernel the first whose guards hold.
    kernel = next(each for each in manifest["kernels"]
                  if each["name"] == step["kernel"] and
                  all(evaluate(guard, values) for guard in each["guards"]))
    grid = [evaluate(size, values) for size in kernel["grid"]]
    return Launch((package / kernel["image"]).read_text(), kernel["entry"],
                  (*grid, 1, 1)[:3], kernel["block"], kernel["shared"],
                  list(arguments_of(step, kernel, buffers, values)))


def launches(package, rows):
    """One for each step; `rows`: the dynamic size. Buffers of inputs have their
    names."""
    manifest = json.loads((package / "manifest.json").read_text())
    symbols = {"M": rows}
    names = {each["buffer"]: each["name"] for each in manifest["inputs"]}
    buffers = [
        Buffer(names.get(i, f"buffer{i}"), each["dtype"],
               (evaluate(each["bytes"], symbols) * 8 // BITS[each["dtype"]],))
        for i, each in enumerate(manifest["buffers"])]
    for step in manifest["steps"]:
        yield launch_of(package, manifest, step, buffers, symbols)


def execute(tool, package, inputs, folder):
    """Runs the package on the .npy files of its inputs in the folder; writes
    y.npy."""
    files = [word for name in inputs
             for word in ("--input", f"{name}={folder / name}.npy")]
    run(tool, "run", package, "--device", "emulator", *files, "--output-dir",
        folder)
