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
}


def main(tool):
    failed = 0
    limit = (6 << 30, 6 << 30)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title, (data, code, text) in CASES.items():
            path = folder / (
                "m.mlir" if data.startswith((b"func", b"tile")) else "m.onnx")
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
