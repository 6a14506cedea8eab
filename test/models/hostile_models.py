"""hostile_models.py TOOL: small models that stand for much more than they are.
Each gets one error, or compiles, in bounded time and memory."""

import pathlib
import resource
import subprocess
import sys
import tempfile

from bad_input import X, Y, interface, message, model, node


def call(name, inputs, outputs):
    domain = "f" if name.startswith("B") else ""
    return node(name, inputs, outputs) + message((7, domain))


def function(name, nodes):
    return message((1, name), (4, "a"), (5, "o"),
                   *[(7, entry) for entry in nodes],
                   (9, message((1, ""), (2, 17))),
                   (9, message((1, "f"), (2, 1))), (10, "f"))


def doubling(levels, last):
    """Each function calls the next twice: 2^levels calls of the last."""
    functions = []
    for i in range(levels):
        inner = f"B{i + 1}" if i + 1 < levels else "Identity"
        nodes = [call(inner, ["a"], ["t"]), call(inner, ["t"], ["o"])]
        functions.append(function(f"B{i}", nodes if i + 1 < levels else
                                  last or nodes))
    return (model([call("B0", ["x"], ["y"])], [X], [Y]) +
            message((8, message((1, "f"), (2, 1))),
                    *[(25, entry) for entry in functions]))


def chain(length):
    names = ["x", *[f"v{i}" for i in range(length - 1)], "y"]
    return model([node("Relu", [names[i]], [names[i + 1]], f"n{i}")
                  for i in range(length)], [X], [Y])


def text(attribute):
    return ("func.func @f(%x: tensor<2xf32> {graph.name = \"x\"}) -> "
            "(tensor<2xf32> {graph.name = \"y\"}) attributes {a = "
            f"{attribute}}} {{ return %x : tensor<2xf32> }}\n").encode()


def kernel(length):
    adds = "".join(f"%v{i + 1} = arith.addf %v{i}, %v0 : tensor<64xf32>\n"
                   for i in range(length))
    return ("tile.kernel @k(%x: !tile.view<64xf32>, %y: !tile.view<64xf32>) {\n"
            "%c0 = arith.constant 0 : index\n%v0 = tile.load %x[%c0] : "
            f"!tile.view<64xf32> -> tensor<64xf32>\n{adds}tile.store "
            f"%v{length}, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>\n}}\n"
            ).encode()


def iterators(value):
    """A function whose iterator types are not what a parser takes them for."""
    return ("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            "%r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "
            f"affine_map<(i) -> (i)>], {value}}} ins(%x : tensor<4xf32>) "
            "outs(%x : tensor<4xf32>) {\n^bb0(%a: f32, %b: f32): "
            "linalg.yield %a : f32 } -> tensor<4xf32>\n"
            "return %r : tensor<4xf32> }\n").encode()


def body(lines, arguments="%x: tensor<4x8xf32>, %i: index"):
    """A function of these lines, from the third on."""
    return (f"!t = tensor<9999999999xindex>\nfunc.func @main({arguments}) {{\n"
            f"{lines}\nreturn }}\n").encode()


def reduce(dimensions):
    return body("%r = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) "
                f"outs(%y : tensor<4xf32>) dimensions = {dimensions}",
                "%x: tensor<4x8xf32>, %y: tensor<4xf32>")


def elementwise(kind, operands, *types):
    inputs = ", ".join(f"%v{i}" for i in range(len(types)))
    of = ", ".join(f"tensor<4x{each}>" for each in types)
    return body(
        f"%r = linalg.elementwise kind=#linalg.elementwise_kind<{kind}> "
        f"{operands or f'ins({inputs} : {of})'} outs(%v0 : "
        f"tensor<4x{types[0]}>) -> tensor<4x{types[0]}>",
        ", ".join(f"%v{i}: tensor<4x{each}>" for i, each in enumerate(types)))


# What upstream's parsers and verifiers would crash at.
ELEMENTS = "operands of 'tensor.from_elements', as many as its result has " \
    "elements, found 1"
OF_KIND = " for 'linalg.elementwise' of kind "
LOWERED = "expected ops of tile kernels or of graphs, found 'vector."
UPSTREAM = {
    "a dimension that is no number": (
        reduce("[?]"), "m.mlir:3:98: error: expected a list of integers for "
        "'dimensions'"),
    "a list of dimensions without an end": (reduce("[1, "), "of integers for"),
    "a list of dimensions with two commas": (reduce("[1,,2]"), "integers for"),
    "a dimension of 65 bits": (reduce("[18446744073709551615]"), "integers for"),
    "an attribute as dimensions": (reduce("array<i64: 1>"), "integers for"),
    "a permutation of words": (
        body("%r = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%x : "
             "tensor<4x8xf32>) permutation = [one]"),
        "expected a list of integers for 'permutation'"),
    "2^63 - 1 elements from one": (
        body("%r = tensor.from_elements %i : tensor<9223372036854775807xindex>"),
        "expected 9223372036854775807 " + ELEMENTS),
    "sizes whose product has no 64 bits": (
        body("%r = tensor.from_elements %i {a} : tensor<4294967296x3x4294967296"
             "xindex>"), "expected 18446744073709551615 " + ELEMENTS),
    "many elements from one, by another name": (
        body("%r = tensor.from_elements %i : !t"),
        "expected 9999999999 " + ELEMENTS),
    "elements of a dynamic shape": (
        body("%r = tensor.from_elements %i : tensor<?xindex>"),
        "expected a static shape for 'tensor.from_elements'"),
    "many elements from one, as a generic op": (
        body('%r = "tensor.from_elements"(%i) : (index) -> '
             "tensor<9223372036854775807xindex>"),
        "expected a static shape with as many elements as operands, found "
        "'tensor<9223372036854775807xindex>' and 1 operands"),
    "a negative dimension of tensor.concat": (
        body("%r = tensor.concat dim(-4294967297) %x, %x : (tensor<4x8xf32>, "
             "tensor<4x8xf32>) -> tensor<8x8xf32>"),
        "expected a dimension that is not negative, found -4294967297"),
    "an array of index": (
        text("array<index: 1>"),
        "expected integers or floats as elements of 'array', found 'index'"),
    "exp of integers": (elementwise("exp", "", "i32"),
                        "expected floats" + OF_KIND + "'exp'"),
    "exp of index": (elementwise("exp", "", "index"), "expected floats"),
    "a sum of floats and integers": (
        elementwise("add", "", "f32", "i32"),
        "expected two operands of floats, or two of integers" + OF_KIND),
    "a sum of pairs": (elementwise("add", "", "complex<f32>", "complex<f32>"),
                       "expected two operands of floats"),
    "a difference of booleans": (elementwise("sub", "", "i1", "i1"),
                                 "expected integers of more than one bit"),
    "an unsigned quotient of floats": (
        elementwise("div_unsigned", "", "f32", "f32"), "expected integers"),
    "select by integers": (elementwise("select", "", "i32", "f32", "f32"),
                           "expected i1 for the condition"),
    "a destination of cf.switch without a value": (
        body('"cf.switch"(%v)[^bb1, ^bb1] <{case_operand_segments = '
             "array<i32: 0>, operandSegmentSizes = array<i32: 1, 0, 0>}> : "
             "(i32) -> ()\n^bb1:", "%v: i32"),
        "expected 'case_values' for its destinations"),
    "maps of an op that are none": (
        body("%r = linalg.conv_1d {linalg.memoized_indexing_maps = [1, 2, 3]} "
             "ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%x : "
             "tensor<4xf32>) -> tensor<4xf32>", "%x: tensor<4xf32>"),
        "expected an affine map for each operand as "
        "'linalg.memoized_indexing_maps'"),
    "elements of a vector of 2^63 - 1": (
        body("%r = vector.to_elements %v : vector<9223372036854775807xf32>",
             "%v: vector<9223372036854775807xf32>"),
        "m.mlir:3:6: error: " + LOWERED + "to_elements', which only lowered "
        "code has"),
    "a generic op of vectors": (
        body('%r = "vector.broadcast"(%i) : (index) -> vector<4xindex>'),
        LOWERED + "broadcast'"),
}
STRINGS = "expected a list of strings for 'iterator_types'"
DEEP = "expected brackets nested at most 256 deep, found more"
EXPANDED = "functions and loops stand for more than 200000 nodes"
CASES = {
    "2^24 nodes in functions": (doubling(24, None), 1, EXPANDED),
    "2^40 calls of a function with one node": (
        doubling(40, [call("Identity", ["a"], ["o"])]), 1, EXPANDED),
    "2^12 nodes in functions": (doubling(12, None), 0, ""),
    "6000 ops in a row": (chain(6000), 0, ""),
    "a sum of 5000": (
        model([node("Sum", ["x"] * 5000, ["y"])], [X], [Y]), 0, ""),
    "a tensor of 1000 dimensions": (
        model([node("Relu", ["x"], ["y"])], [interface("x", [1] * 1000)],
              [interface("y", [1] * 1000)]), 1,
        "input 'x' has 1000 dimensions, expected at most 64"),
    "lists in lists": (text("[" * 100000), 1, "m.mlir:1:361: error: " + DEEP),
    "signs before signs": (
        text("affine_map<() -> (" + "- " * 100000 + "1)>"), 1, DEEP),
    "types in types": (text("tuple<" * 100000), 1, DEEP),
    "brackets in strings": (text('"' + "[" * 1000 + '"'), 0, ""),
    "20000 ops of a kernel in a row": (kernel(20000), 0, ""),
    "an iterator type that is a list": (
        iterators('iterator_types = [["parallel"]]'), 1,
        "m.mlir:2:106: error: " + STRINGS),
    "an iterator type that is a number": (
        iterators('"iterator_types" = ["parallel", 3]'), 1, STRINGS),
    "an iterator type of another name": (
        iterators("iterator_types = #elsewhere"), 1, STRINGS),
    "an iterator type whose name is hidden": (
        iterators('"iterator\\5Ftypes" = [3]'), 1, STRINGS),
    "iterator types": (
        iterators('iterator_types = ["parallel"] // iterator_types = 3\n'), 0,
        ""),
    "lists in lists, few": (text("[" * 200 + "]" * 200), 0, ""),
    **{name: (data, 1, error) for name, (data, error) in UPSTREAM.items()},
}


def main(tool):
    failed = 0
    limit = (6 << 30, 6 << 30)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title, (data, code, text) in CASES.items():
            path = folder / (
                "m.mlir" if data.startswith((b"func", b"tile", b"!t")) else "m.onnx")
            path.write_bytes(data)
            done = subprocess.run(
                [tool, "compile", path, "--no-cache", "--target",
                 "cpu", "-o", folder / "m.twp"], capture_output=True, text=True,
                timeout=300, check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                      limit))
            if done.returncode != code or text not in done.stderr:
                failed += 1
                print(f"{title}: expected {code} and '{text}', found "
                      f"{done.returncode} and '{done.stderr[:300]}'")
    print(f"{failed} of {len(CASES)} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
