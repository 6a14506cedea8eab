"""replace.py TOOL: kernels of the user in place of a model's nodes. A package
with them gives what one without them gives, on the cpu device, as PTX on the
emulator, and op by op on the interpreter; what cannot be replaced is one
message."""

import pathlib
import sys
import tempfile

import numpy as np

import bad_input as onnx
import tool

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "forked"))
import forked  # noqa: E402

KERNELS = pathlib.Path(__file__).parent / "Inputs" / "silu.mlir"
SILU = "y = Mul(x, Sigmoid(x))"

# relu -> silu -> (its sum by rows) and silu again of a MatMul's result.
MODEL = onnx.model(
    [onnx.node("Relu", ["x"], ["r"], "relu"),
     onnx.node("Sigmoid", ["r"], ["s"], "sigmoid_a"),
     onnx.node("Mul", ["s", "r"], ["m"], "mul_a"),
     onnx.node("MatMul", ["m", "w"], ["p"], "matmul"),
     onnx.node("Sigmoid", ["p"], ["t"], "sigmoid_b"),
     onnx.node("Mul", ["p", "t"], ["q"], "mul_b"),
     onnx.node("Neg", ["t"], ["n"], "neg"),
     onnx.node("Concat", ["q", "n"], ["c"], "concat")
     + onnx.message((5, onnx.message((1, "axis"), (3, 1), (20, 2)))),
     onnx.node("ReduceSum", ["m"], ["z"], "sum")],
    [onnx.interface("x", ["N", 21]), onnx.interface("w", [21, 35])],
    [onnx.interface("c", ["N", 70]), onnx.interface("z", [1, 1])])

# A match reads a transpose, which is not materialized yet; its outputs are
# results of the model.
RESULTS = onnx.model(
    [onnx.node("Transpose", ["x"], ["t"], "transpose")
     + onnx.message((5, onnx.message((1, "perm"), (8, 1), (8, 0), (20, 7)))),
     onnx.node("Sigmoid", ["t"], ["s"], "sigmoid"),
     onnx.node("Neg", ["s"], ["n"], "neg")],
    [onnx.interface("x", ["N", 21])],
    [onnx.interface("s", [21, "N"]), onnx.interface("n", [21, "N"])])
BOTH = "(x) -> (s, n)\ns = Sigmoid(x)\nn = Neg(s)"


class Models:
    def __init__(self, binary, folder, model=MODEL):
        self.binary, self.folder = binary, folder
        self.model = folder / "model.onnx"
        self.model.write_bytes(model)
        generator = np.random.default_rng(1)
        self.inputs = {
            "x": generator.standard_normal((13, 21)).astype(np.float32)}
        if model is MODEL:
            self.inputs["w"] = generator.standard_normal(
                (21, 35)).astype(np.float32)

    def compile(self, *pairs, options=()):
        command = [self.binary, "compile", self.model, "--target", "cpu,sm_80,interpreter",
                   *options]
        for pattern, kernel in pairs:
            command += ["--replace", pattern, "--with", f"{KERNELS}@{kernel}"]
        done = forked.run(command, capture_output=True, text=True,
                          check=False)
        return done.returncode, done.stdout, done.stderr

    def outputs(self, name, *pairs):
        """Of each device; the cpu's first."""
        package = self.folder / f"{name}.twp"
        code, _, error = self.compile(*pairs, options=["-o", package])
        assert code == 0, error
        return [[array for _, array in tool.run(
            self.binary, package, self.inputs, ["--device", device])]
            for device in ("cpu", "emulator", "interpreter")]


def check_numbers(models):
    expected = models.outputs("plain")[0]
    pairs = {
        "silu": [(SILU, "silu")],
        # Sigmoid and its negation, and the silu that is left.
        "both": [(BOTH, "both"), (SILU, "silu")],
    }
    for name, given in pairs.items():
        for device in models.outputs(name, *given):
            for i, (found, wanted) in enumerate(zip(device, expected)):
                tool.check_close(f"{name} {i}", found, wanted)
    # The kernel is what runs: another one returns other numbers.
    for device in models.outputs("zero", (SILU, "zero")):
        assert not device[1].any(), "the given kernel did not run"


def check_results(models):
    sigmoid = 1 / (1 + np.exp(-models.inputs["x"].T))
    for s, n in models.outputs("results", (BOTH, "both")):
        tool.check_close("result s", s, sigmoid)
        tool.check_close("result n", n, -sigmoid)


def check_reports(models):
    _, plan, _ = models.compile((SILU, "silu"), options=["--explain-fusion"])
    line = "took  {:32} replaced by @silu, given by the user\n"
    for node in ("sigmoid_a", "mul_a"):
        assert line.format(node) in plan, plan
    # Neg reads the second sigmoid, so the second match is none.
    assert ("not replaced: node 'sigmoid_b' (Sigmoid): its output 't' is read "
            "outside of the match, by node 'neg' (Neg)\n") in plan, plan
    assert "left  relu" in plan and "the user's kernel reads it" in plan, plan
    _, tiles, _ = models.compile((SILU, "silu"), options=["--emit", "tile"])
    assert "tile.kernel @silu(" in tiles, tiles
    print("the plan names the given kernel")


def check_messages(models):
    def fails(label, words, *pairs, options=("--explain-fusion",), code=1):
        found, _, error = models.compile(*pairs, options=options)
        assert found == code, f"{label}: exit code {found}\n{error}"
        assert error.count("error: ") == 1, error
        for word in words:
            assert word in error, f"{label}: no '{word}' in\n{error}"
        print(f"{label}: {error.splitlines()[0]}")

    fails("syntax", ["1:22: expected ',' or ')'"],
          ("y = Mul(x, Sigmoid(x)", "silu"))
    fails("no match", ["Sigmoid(x): found at 2 of 2 Sigmoid nodes"],
          ("y = Exp(Sigmoid(x))", "silu"))
    fails("signature", ["kernel @both takes 3 arguments"], (SILU, "both"))
    fails("no such kernel", [f"{KERNELS}: error: expected a tile.kernel @relu, found @silu, "
                             "@both, @zero"], (SILU, "relu"))
    fails("pattern without a kernel", ["found 1 --replace and 0 --with"],
          options=["--explain-fusion", "--replace", SILU], code=2)
    fails("which kernel", ["expected one tile.kernel, or the name of one"],
          options=["--explain-fusion", "--replace", SILU, "--with", KERNELS])
    broken = models.folder / "broken.mlir"
    broken.write_text("tile.kernel @k(%x: !tile.view<4xf32>) {\n  frob\n}\n")
    fails("broken kernel", ["broken.mlir:2:3: error: "],
          options=["--explain-fusion", "--replace", SILU, "--with", broken])


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_results(Models(sys.argv[1], pathlib.Path(folder), RESULTS))
        models = Models(sys.argv[1], pathlib.Path(folder))
        check_numbers(models)
        check_reports(models)
        check_messages(models)


if __name__ == "__main__":
    main()
