"""verify_numerics.py TOOL: `tilewright verify MODEL --numerics`: errors of
compiled models against exact arithmetic, which fractions compute here: reports,
files, inputs that are made, and what is rejected."""

import json
import pathlib
import sys
import tempfile
from fractions import Fraction

import numpy as np

import run_anywhere

# Of rows of f16: sums in f16, and which are more than 2048.
SUMS = """\
func.func @main(%x: tensor<?x40xf16> {graph.name = "x"})
    -> (tensor<?xf16> {graph.name = "sum"}, tensor<?xi32> {graph.name = "more"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x40xf16>
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty(%n) : tensor<?xf16>
  %z = linalg.fill ins(%zero : f16) outs(%e : tensor<?xf16>) -> tensor<?xf16>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x40xf16>)
      outs(%z : tensor<?xf16>) dimensions = [1]
  %i = tensor.empty(%n) : tensor<?xi32>
  %m = linalg.map ins(%s : tensor<?xf16>) outs(%i : tensor<?xi32>)
    (%a: f16, %b: i32) {
      %limit = arith.constant 2048.0 : f16
      %is = arith.cmpf ogt, %a, %limit : f16
      %k = arith.extui %is : i1 to i32
      linalg.yield %k : i32
    }
  return %s, %m : tensor<?xf16>, tensor<?xi32>
}
"""
PRODUCT = """\
func.func @main(%a: tensor<64x64xf32> {graph.name = "a"},
                %b: tensor<64x64xf32> {graph.name = "b"})
    -> (tensor<64x64xf32> {graph.name = "c"}) {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
"""
# A number of f32 has bits, but the exact sum is none.
BITS = """\
func.func @main(%x: tensor<4xf32> {graph.name = "x"})
    -> (tensor<4xi32> {graph.name = "bits"}) {
  %third = arith.constant 0.333333333 : f32
  %e = tensor.empty() : tensor<4xi32>
  %y = linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xi32>)
    (%a: f32, %b: i32) {
      %s = arith.addf %a, %third : f32
      %i = arith.bitcast %s : f32 to i32
      linalg.yield %i : i32
    }
  return %y : tensor<4xi32>
}
"""
# On a GPU two variants of a kernel, by whether rows are aligned.
LARGEST = """\
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<?x?xf32>)
      outs(%y : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>
}
"""
# A product, and another one of it with rows of large numbers.
LAYERS = """\
func.func @main(%a: tensor<8x64xf32> {graph.name = "a"},
                %b: tensor<64x8xf32> {graph.name = "b"},
                %c: tensor<8x4xf32> {graph.name = "c"})
    -> (tensor<8x8xf32> {graph.name = "h"}, tensor<8x4xf32> {graph.name = "y"}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %w = arith.constant dense<0.0> : tensor<8x4xf32>
  %h = linalg.matmul ins(%a, %b : tensor<8x64xf32>, tensor<64x8xf32>)
      outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%h, %c : tensor<8x8xf32>, tensor<8x4xf32>)
      outs(%w : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %h, %y : tensor<8x8xf32>, tensor<8x4xf32>
}
"""
# A sum that cancels, times an integer that comes of a float: no bound of what
# follows is known. And a quotient by a sum that may be 0.
CANCELS = """\
func.func @main(%x: tensor<2xf32> {graph.name = "x"})
    -> (tensor<2xf32> {graph.name = "y"}, tensor<2xf32> {graph.name = "q"}) {
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %third = arith.constant dense<0.33333> : tensor<2xf32>
  %s = arith.addf %x, %one : tensor<2xf32>
  %d = arith.subf %s, %one : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %y = linalg.map ins(%d : tensor<2xf32>) outs(%e : tensor<2xf32>)
    (%a: f32, %o: f32) {
      %t = arith.constant 10.1 : f32
      %u = arith.mulf %t, %t : f32
      %w = arith.addf %u, %a : f32
      %i = arith.fptosi %w : f32 to i32
      %k = arith.sitofp %i : i32 to f32
      %p = arith.mulf %a, %k : f32
      linalg.yield %p : f32
    }
  %q = arith.divf %third, %d : tensor<2xf32>
  return %y, %q : tensor<2xf32>, tensor<2xf32>
}
"""
# Two products of one element each.
CHAIN = """\
func.func @main(%a: tensor<1x2xf32> {graph.name = "a"},
                %b: tensor<2x1xf32> {graph.name = "b"},
                %c: tensor<1x1xf32> {graph.name = "c"})
    -> (tensor<1x1xf32> {graph.name = "y"}) {
  %z = arith.constant dense<0.0> : tensor<1x1xf32>
  %h = linalg.matmul ins(%a, %b : tensor<1x2xf32>, tensor<2x1xf32>)
      outs(%z : tensor<1x1xf32>) -> tensor<1x1xf32> loc("first")
  %y = linalg.matmul ins(%h, %c : tensor<1x1xf32>, tensor<1x1xf32>)
      outs(%z : tensor<1x1xf32>) -> tensor<1x1xf32> loc("second")
  return %y : tensor<1x1xf32>
}
"""
# A node of two ops, one that only moves, and another node.
NODES = """\
func.func @main(%x: tensor<2xf32> {graph.name = "x"})
    -> (tensor<2xf32> {graph.name = "y"}) {
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %s = arith.mulf %x, %x : tensor<2xf32> loc("square and more")
  %t = arith.addf %s, %one : tensor<2xf32> loc("square and more")
  %u = arith.maximumf %t, %one : tensor<2xf32> loc("relu")
  %y = arith.subf %u, %one : tensor<2xf32>
  return %y : tensor<2xf32>
}
"""
BF16 = """\
func.func @main(%x: tensor<3xbf16> {graph.name = "x"})
    -> (tensor<3xbf16> {graph.name = "y"}) {
  %third = arith.constant dense<0.333333333> : tensor<3xbf16>
  %y = arith.mulf %x, %third : tensor<3xbf16>
  return %y : tensor<3xbf16>
}
"""
# exp(a @ b * scale), which is f16 in between, and 8 bits.
KERNEL = """\
tile.kernel @product(%A: !tile.view<?x?xbf16> {tile.name = "a", tile.dims = ["M", "K"]},
                     %B: !tile.view<?x?xbf16> {tile.name = "b", tile.dims = ["K", "N"]},
                     %s: f32 {tile.name = "scale"},
                     %C: !tile.view<?x?xf16> {tile.name = "c", tile.dims = ["M", "N"]})
    grid affine_map<()[m, k, k2, n, m2, n2] -> (m ceildiv 16, n ceildiv 16)> {
  %i, %j = tile.program_id
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = tile.count %A, 1 by 16 : !tile.view<?x?xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero)
      -> (tensor<16x16xf32>) {
    %a = tile.load %A[%i, %k] pad 0.0 : !tile.view<?x?xbf16> -> tensor<16x16xbf16>
    %b = tile.load %B[%k, %j] pad 0.0 : !tile.view<?x?xbf16> -> tensor<16x16xbf16>
    %n = tile.dot %a, %b, %acc : tensor<16x16xbf16>, tensor<16x16xbf16>
        -> tensor<16x16xf32>
    scf.yield %n : tensor<16x16xf32>
  }
  %h = tile.convert %sum : tensor<16x16xf32> -> tensor<16x16xf16>
  %q = tile.convert %h saturate : tensor<16x16xf16> -> tensor<16x16xf8E4M3FN>
  %w = tile.convert %q : tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
  %t = tile.splat %s : f32 -> tensor<16x16xf32>
  %p = arith.mulf %w, %t : tensor<16x16xf32>
  %e = math.exp %p : tensor<16x16xf32>
  %y = tile.convert %e : tensor<16x16xf32> -> tensor<16x16xf16>
  tile.store %y, %C[%i, %j] : tensor<16x16xf16>, !tile.view<?x?xf16>
}
"""
# The sum of all elements, by atomics of programs, and all of them moved by one,
# through pointers.
SUM = """\
tile.kernel @sum(%x: !tile.view<32xf32> {tile.name = "x"},
                 %y: !tile.view<33xf32> {tile.name = "y"})
    grid affine_map<()[n, m] -> (4)> {
  %i = tile.program_id
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %first = arith.muli %i, %c8 : index
  %px = tile.base %x : !tile.view<32xf32> -> !tile.ptr<f32>
  %p8 = tile.offset %px, %first : !tile.ptr<f32>, index
  %lanes = tile.iota : tensor<8xi32>
  %pointers = tile.offset %p8, %lanes : !tile.ptr<f32>, tensor<8xi32>
  %t = tile.load_ptr %pointers : tensor<8x!tile.ptr<f32>>
  %py = tile.base %y : !tile.view<33xf32> -> !tile.ptr<f32>
  %c1 = arith.constant 1 : index
  %next = arith.addi %first, %c1 : index
  %q8 = tile.offset %py, %next : !tile.ptr<f32>, index
  %targets = tile.offset %q8, %lanes : !tile.ptr<f32>, tensor<8xi32>
  tile.store_ptr %t, %targets : tensor<8x!tile.ptr<f32>>
  %z = arith.constant dense<0.0> : tensor<1xf32>
  %s = tile.reduce %t axis 0 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  } : tensor<8xf32> -> tensor<f32>
  %v = tile.reshape %s : tensor<f32> -> tensor<1xf32>
  tile.atomic_reduce add relaxed device %v, %y[%c0]
      : tensor<1xf32>, !tile.view<33xf32>
}
"""
FILES = {"product-kernel.mlir": KERNEL, "sum-kernel.mlir": SUM, "sums.mlir": SUMS, "product.mlir": PRODUCT, "bits.mlir": BITS, "layers.mlir": LAYERS,
         "largest.mlir": LARGEST, "chain.mlir": CHAIN, "nodes.mlir": NODES,
         "cancels.mlir": CANCELS,
         "bf16.mlir": BF16}


def numerics(tool, line, code=0):
    return json.loads(tool(f"verify {line} --numerics --json", code).stdout)


def check_report(tool):
    """Each number, against sums of fractions."""
    rng = np.random.default_rng(1)
    x = (rng.normal(size=(6, 40)) * 50 + 50).astype(np.float16)
    # In f16 a sum of 2048 and ones stays what it is.
    x[5] = 1
    x[5, 0] = 2048
    np.save(tool.folder / "x.npy", x)
    report = numerics(tool, "sums.mlir --target cpu,sm_80 --input x=x.npy "
                      "--output-dir d")
    exact = [sum(map(Fraction, row.tolist())) for row in x]
    assert np.array_equal(tool.load("d", "exact", "sum.npy"),
                          [float(each) for each in exact])
    assert np.array_equal(tool.load("d", "exact", "more.npy"),
                          [each > 2048 for each in exact])
    assert np.array_equal(tool.load("d", "in", "x.npy"), x)
    for each in report["targets"]:
        folder = ("d", each["target"], "computed")
        total, more = each["outputs"]
        computed = tool.load(*folder, "sum.npy")
        errors = [float(abs(Fraction(found) - number)) for found, number
                  in zip(computed.tolist(), exact)]
        # 11 bits of precision.
        ulps = [error / 2.0 ** (int(np.log2(float(number))) - 10)
                for error, number in zip(errors, exact)]
        for found, own in ((total["absolute"], errors), (total["ulps"], ulps)):
            assert found == {"error": max(own),
                             "index": [int(np.argmax(own))]}, (found, own)
        assert (total["output"], total["dtype"], total["shape"],
                total["elements"], total["compared"]) == (
                    "sum", "f16", [6], 6, 6), total
        # No error is above its bound, and no bound far from it.
        bounds = tool.load(folder[0], folder[1], "bound", "sum.npy")
        ratios = [error / bound for error, bound in zip(errors, bounds)]
        assert np.isclose(total["bounds"]["error"], max(ratios)), (total, ratios)
        assert 0.001 < max(ratios) <= 1, ratios
        assert total["exceeded"] == total["unbounded"] == 0, total
        found = tool.load(*folder, "more.npy") != [number > 2048
                                                   for number in exact]
        assert more["absolute"]["error"] == found.any(), more
    assert [each["target"] for each in report["targets"]] == ["cpu", "sm_80"]
    assert report["verdict"] == "equivalent", report
    # What was computed is what `run` computes.
    tool("run sums.mlir --device cpu --input x=x.npy --output-dir r")
    assert np.array_equal(tool.load("r", "sum.npy"),
                          tool.load("d", "cpu", "computed", "sum.npy"))
    text = tool("verify sums.mlir --numerics --input x=x.npy").stdout
    assert text.startswith("cpu: within bounds\n  sum "), text
    assert " ulp at [" in text and " of its bound at [" in text, text


def check_samples(tool):
    """Some elements, the corners among them, of inputs that are made."""
    for option, count in (("", 1000), ("--samples 9", 9)):
        report = numerics(tool, f"product.mlir --output-dir p {option}")
        (output,) = report["targets"][0]["outputs"]
        assert (output["elements"], output["compared"]) == (4096, count), output
        assert 0 < output["absolute"]["error"] < 1e-4, output
        exact = tool.load("p", "exact", "c.npy")
        is_known = ~np.isnan(exact)
        assert is_known.sum() == count
        assert is_known[[0, 0, -1, -1], [0, -1, 0, -1]].all()
        a, b = (tool.load("p", "in", f"{name}.npy").astype(np.float64)
                for name in "ab")
        assert np.allclose((a @ b)[is_known], exact[is_known], 1e-12, 1e-12)
        assert abs(a.std() - 1) < 0.1, a.std()
    # Products of f32 in tf32 are less precise.
    tf32 = numerics(tool, "product.mlir --target sm_80 --precision tf32")
    (other,) = tf32["targets"][0]["outputs"]
    assert other["absolute"]["error"] > 100 * output["absolute"]["error"]
    assert 0.001 < other["bounds"]["error"] <= 1, other
    # The reference does what the device does.
    (ranked,) = tf32["ops"]["outputs"]
    assert np.isclose(error_of(ranked["all"]), error_of(other["absolute"]),
                      1e-3, 0), (ranked, other)
    # Open sizes, and the same inputs for the same seed.
    sums = [numerics(tool, f"sums.mlir --seed {seed}") for seed in (1, 1, 2)]
    assert sums[0] == sums[1] != sums[2], sums
    assert sums[0]["targets"][0]["outputs"][0]["shape"] == [8], sums


def check_shares(tool):
    """Bounds of an output come from the kernels before it."""
    report = numerics(tool, "layers.mlir --target cpu,sm_80")
    for target in report["targets"]:
        first, second = target["kernels"]
        assert (first["launches"], second["launches"]) == (1, 1), target
        for output in ("h", "y"):
            total = first["shares"][output] + second["shares"][output]
            assert abs(total - 1) < 1e-9, target["kernels"]
        assert second["shares"]["h"] == 0, second
        assert 0 < second["own"] < 1e-3 and 0 < first["own"] < 1e-3, target
        # Sums of 64 products lose more than those of 8.
        assert second["shares"]["y"] > 0.01, second
        assert first["shares"]["y"] > second["shares"]["y"], target["kernels"]
    # Each variant of a kernel runs its own code.
    (target,) = numerics(tool, "largest.mlir --target sm_80")["targets"]
    assert "no_bounds" not in target, target
    assert target["outputs"][0]["unbounded"] == 0, target
    (single,) = numerics(tool, "product.mlir")["targets"]
    assert "kernels" not in single, single
    text = tool("verify layers.mlir --numerics").stdout
    assert " by itself; of the bounds h 100 %, y " in text, text


def ranked_ops(tool, line):
    """Of the only output, by name; and the rest of the report."""
    report = numerics(tool, line)["ops"]
    (output,) = report["outputs"]
    return {op["op"]: op for op in output["ops"]}, output, report


def error_of(found):
    return found["error"]


def check_products(tool):
    """Products in tf32, whose operands lose what is behind 11 bits."""
    bit = 2.0 ** -12
    np.save(tool.folder / "a.npy", np.float32([[1 + bit, 2]]))
    np.save(tool.folder / "b.npy", np.float32([[3], [4]]))
    np.save(tool.folder / "c.npy", np.float32([[1000.25]]))
    line = ("chain.mlir --input a=a.npy --input b=b.npy --input c=c.npy "
            "--precision")
    exact = (11 + 3 * bit) * 1000.25
    # 1 * 3 + 2 * 4, and 11 * 1000.
    first, second = 3 * bit * 1000.25, exact - 11 * 1000
    ops, output, report = ranked_ops(tool, f"{line} tf32")
    assert list(ops) == ["second", "first"], ops
    assert (report["precision"], report["count"]) == ("tf32", 2), report
    assert output["all"] == {"error": second, "index": [0, 0]}, output
    in_f32 = abs(float(np.float32(exact)) - exact)
    assert error_of(output["none"]) == in_f32 > 0, output
    for name, alone, without in (("first", first, second),
                                 ("second", second, first)):
        op = ops[name]
        assert op["kind"] == "linalg.matmul", op
        assert error_of(op["alone"]) == alone, (op, alone)
        assert error_of(op["without"]) == without, (op, without)
        assert op["share"] == alone / (first + second), op
    # Two parts have all bits of each operand, and the product of the rests is
    # left out: 3 bits * a quarter.
    # What is left is that the sum is truncated to f32.
    for precision, lost in (("tf32x3", 3 * bit / 4), ("bf16x3", 3 * bit / 4),
                            ("bf16x6", 0)):
        ops, _, _ = ranked_ops(tool, f"{line} {precision}")
        assert list(ops) == ["second"], ops
        found = error_of(ops["second"]["alone"])
        assert lost <= found < lost + 2 ** -10, (precision, found)
    # 11000 becomes 172 * 64 in bf16.
    ops, _, _ = ranked_ops(tool, f"{line} bf16")
    assert {name: error_of(op["alone"]) for name, op in ops.items()} == {
        "second": 172 * 64 - exact, "first": first}, ops
    text = tool(f"verify {line} tf32 --numerics").stdout
    assert ("y: 2 ops in tf32: greatest error 3.48 at [0, 0], in f32 " in text
            and "   83 %  second (linalg.matmul): 3.48 at [0, 0] alone, "
            "without it 0.733 at [0, 0]\n" in text), text
    # With the second one in f32 the first one's error is left.
    for most, names, error in ((4, [], second), (1, ["second"], first),
                               (0.5, ["second", "first"], in_f32)):
        kept = ranked_ops(tool, f"{line} tf32 --error {most}")[2]["kept"]
        (left,) = kept.pop("outputs")
        assert error_of(left["absolute"]) == error <= most, (most, left)
        assert kept == {"error": most, "reached": True, "late": False,
                        "ops": names}, kept
    kept = ranked_ops(tool, f"{line} tf32 --error {in_f32 / 2}")[2]["kept"]
    assert not kept["reached"] and not kept["ops"], kept
    text = tool(f"verify {line} tf32 --numerics --error 1").stdout
    assert text.endswith("\nat most 1 with 1 of 2 ops in f32, found greedily: "
                         "y 0.733 at [0, 0]\n  second\n"), text
    text = tool(f"verify {line} tf32 --numerics --error 1e-9").stdout
    assert text.endswith("\nf32 has greater errors than 1e-09\n"), text
    text = tool("verify sums.mlir --numerics --precision tf32").stdout
    assert text.endswith("\ntf32 changes no op of the model\n"), text


def check_narrow_types(tool):
    """What a node reads and leaves is bf16 or f16, but not what is between."""
    bit = 2.0 ** -9
    np.save(tool.folder / "n.npy", np.float32([1 + bit, 300]))
    line = "nodes.mlir --input x=n.npy --precision"
    # x is 1 in bf16. The square is 1 + 2 * bit + bit * bit, and tied with 1
    # more it becomes 2 in bf16. 90000 + 1 has 8 bits.
    large = 90001 - 90112
    ops, output, _ = ranked_ops(tool, f"{line} bf16")
    (node, last) = (ops[name] for name in ("square and more", "arith.subf:7"))
    assert node["kind"] == "arith.mulf, arith.addf", node
    assert len(ops) == 2, ops
    for found in (node["alone"], output["all"]):
        assert found["index"] == [1], found
    # 300 is 300 in bf16: 8 bits are 256 + 44.
    assert error_of(node["alone"]) == abs(large), node
    # 90001 as operand, 90112 less 1 is 90112 again.
    assert error_of(last["alone"]) == abs(90000 - 90112), last
    # 17 * 17 is 288 in bf16, but what the node leaves is 290.
    np.save(tool.folder / "n.npy", np.float32([17, 0]))
    ops, output, _ = ranked_ops(tool, f"{line} bf16")
    assert list(ops) == ["arith.subf:7"], ops
    assert error_of(output["all"]) == 289 - 288, output
    np.save(tool.folder / "n.npy", np.float32([1 + bit, 300]))
    # In f16 there is no 90001.
    ops, output, _ = ranked_ops(tool, f"{line} f16")
    assert error_of(ops["square and more"]["alone"]) is None, ops
    np.save(tool.folder / "n.npy", np.float32([1 + bit, 0]))
    ops, output, _ = ranked_ops(tool, f"{line} f16")
    # 2 + 2 * bit + bit * bit loses its last part.
    assert error_of(ops["square and more"]["alone"]) == bit * bit, ops
    assert output["all"]["index"] == [0], output


def digits(results):
    """That runs have in common, of f32: Student's t is 2.365 for 8 runs."""
    lost = 24 * np.log10(2)
    return lost - max(0, np.log10(np.sqrt(8) * np.mean(results) /
                                  (2.365 * np.std(results, ddof=1))))


def check_digits(tool):
    """Where there is no bound, an estimate by random rounding."""
    unit = 2.0 ** -23
    # One is between 1 + 2 units and 1 + 3 units, the other halfway to 1 + unit.
    np.save(tool.folder / "x.npy", np.float32([2.3 * unit, 0.5 * unit]))
    report = numerics(tool, "cancels.mlir --input x=x.npy --target cpu,sm_80")
    for target in report["targets"]:
        y, q = target["outputs"]
        assert y["unbounded"] == 2, y
        # Some runs round up, others down; the rest is exact: 102 and 2 or 3.
        possible = [digits([102 * (3 if run < up else 2) for run in range(8)])
                    for up in range(1, 8)]
        halves = [digits([run < up for run in range(8)]) for up in range(1, 8)]
        found = y["lost_digits"]
        assert (found["runs"], found["elements"]) == (8, 2), found
        assert found["index"] == [1], found
        assert np.isclose(halves, found["lost"]).any(), (found, halves)
        # Either no number or infinity.
        assert q["unbounded"] == 1, q
        found = q["lost_digits"]
        assert found == {"lost": found["of"], "of": found["of"], "index": [1],
                         "elements": 1, "runs": 8}, found
        assert np.isclose(found["of"], 24 * np.log10(2)), found
    # By another seed of as many runs, which has the same distribution.
    np.save(tool.folder / "x.npy", np.float32([2.3 * unit, 2.7 * unit]))
    lost = {numerics(tool, f"cancels.mlir --input x=x.npy --seed {seed}")
            ["targets"][0]["outputs"][0]["lost_digits"]["lost"]
            for seed in range(6)}
    assert len(lost) > 1, lost
    for each in lost:
        assert np.isclose(possible, each).any(), (each, possible)
    text = tool("verify cancels.mlir --numerics --input x=x.npy").stdout
    assert ("\n    estimate by random rounding: 6." in text and
            " of 7.2 digits are lost at [" in text and
            "], of 2 elements without a bound\n" in text), text
    assert "estimate" not in tool("verify layers.mlir --numerics").stdout


def check_limits(tool):
    """Of little time little is known, which is said."""
    text = tool("verify product.mlir --numerics --time-limit 0.0005").stdout
    assert ("\n  no estimate of lost digits: runs with random rounding reach "
            "--time-limit\n" in text), text
    # 82 runs of 40 ops.
    lines = "".join(f"  %{i + 1} = arith.addf %{i}, %{i} : tensor<1xf32>\n"
                    for i in range(40))
    (tool.folder / "long.mlir").write_text(
        f"func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {{\n"
        f"  %0 = arith.mulf %x, %x : tensor<1xf32>\n{lines}"
        f"  return %40 : tensor<1xf32>\n}}\n")
    report = numerics(tool, "long.mlir --precision f16 --time-limit 0.0005")
    assert report["ops"] == {"precision": "f16", "count": 41, "unknown": 41,
                             "outputs": []}, report
    text = tool("verify long.mlir --numerics --precision f16 "
                "--time-limit 0.0005").stdout
    assert text.endswith("\n41 of 41 ops are not ranked: give --time-limit for "
                         "more\n"), text


def check_types(tool):
    """bf16 as bits of 16."""
    bits = np.array([0x3f80, 0x4040, 0xc0e0], np.uint16)  # 1, 3, -7.
    np.save(tool.folder / "b.npy", bits)
    numerics(tool, "bf16.mlir --input x=b.npy --output-dir b")
    third = 0x3eab0000  # Of 8 bits.
    third = np.array(third, np.uint32).view(np.float32)
    assert np.array_equal(tool.load("b", "exact", "y.npy"),
                          np.array([1, 3, -7]) * float(third))


def bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def check_kernels(tool):
    """Memory has rounded numbers, and the exact ones are known beside it."""
    report = numerics(tool, "product-kernel.mlir --target cpu,sm_80 "
                      "--output-dir k")
    a, b = (bf16(tool.load("k", "in", f"{name}.npy")).astype(np.float64)
            for name in "ab")
    expected = np.exp(a @ b * float(tool.load("k", "in", "scale.npy")))
    exact = tool.load("k", "exact", "c.npy")
    assert np.allclose(exact, expected, 1e-13, 0), exact / expected - 1
    for target in report["targets"]:
        (output,) = target["outputs"]
        assert output["compared"] == output["elements"] == 64, output
        computed = tool.load("k", target["target"], "computed", "c.npy")
        error = np.abs(computed - exact).max()
        assert np.isclose(output["absolute"]["error"], error), (output, error)
        # 8 bits have a relative error of 2^-4.
        assert error > 1e-3, error
    # Sums of f32 by atomics, in exact arithmetic.
    x = np.float32([1e8, 1, -1e8, 0.1] * 8)
    np.save(tool.folder / "s.npy", x)
    np.save(tool.folder / "y.npy", np.zeros(33, np.float32))
    numerics(tool, "sum-kernel.mlir --input x=s.npy --input y=y.npy "
             "--output-dir s")
    found = tool.load("s", "exact", "y.npy")
    assert found[0] == float(sum(map(Fraction, x.tolist()))), found[0]
    assert np.array_equal(found[1:], x.astype(np.float64))


def check_errors(tool):
    # A kernel's products may have a precision, but it has no ops to rank.
    report = numerics(tool, "product-kernel.mlir --precision tf32")
    assert "a tile kernel has no ops" in report["no_ops"], report
    assert "ops" not in report and len(report["targets"]) == 1, report
    text = tool("verify product-kernel.mlir --numerics --precision tf32").stdout
    assert "\nno op is ranked: a tile kernel has no ops" in text, text
    np.save(tool.folder / "wide.npy", np.zeros((2, 41), np.float16))
    tool("compile product-kernel.mlir --target sm_80 --stop-after "
         "assign-layouts -o scheduled.mlir")
    for line, code, message in (
            ("scheduled.mlir --numerics --resume", 1,
             "is not of the tile level, where exact results are known"),
            ("bits.mlir --numerics", 1,
             "cf.assert: the exact number is none of f32"),
            ("sums.mlir --numerics --input y=x.npy", 1,
             "there is no input 'y'"),
            ("sums.mlir --numerics --input x=wide.npy", 1,
             "the input is x: f16[2, 41], expected x: f16[?, 40]"),
            ("product.mlir --numerics --time-limit 0.0001 "
             "--input a=p/in/a.npy --input b=p/in/b.npy", 1,
             "give --time-limit for more"),
            ("sums.mlir --precision bf16", 2, "a type is only of --numerics"),
            ("sums.mlir --precision f32 --numerics", 2, "tf32"),
            ("sums.mlir --numerics --error 1", 2,
             "it is of --numerics with a --precision"),
            ("sums.mlir --numerics --precision tf32 --error 0", 2,
             "expected a number greater than 0, found '0'"),
            ("product-kernel.mlir --precision bf16 --numerics", 1,
             "a tile kernel has no ops that could be ranked"),
            ("sums.mlir --samples 3", 2, "it is of --numerics"),
            ("sums.mlir sums.mlir --numerics", 2, "it is of one program")):
        done = tool(f"verify {line}", code)
        assert message in done.stderr, (line, done.stderr)
        assert not done.stdout, done.stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        tool = run_anywhere.Tool(str(pathlib.Path(sys.argv[1]).resolve()),
                                 pathlib.Path(folder))
        for name, text in FILES.items():
            (tool.folder / name).write_text(text)
        for check in (check_report, check_samples, check_shares, check_products,
                      check_narrow_types, check_digits, check_limits, check_types,
                      check_kernels, check_errors):
            check(tool)
    print("verify --numerics: reports, files, made inputs, kernels, errors")


if __name__ == "__main__":
    main()
