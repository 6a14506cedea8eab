"""verify.py TOOL: `tilewright verify` on small pairs of each kind of file, and
on the passes of a compilation: exit codes, JSON, files of a counterexample, and
that other commands show it again. (test/verify/pairs.py runs a corpus.)"""

import json
import pathlib
import re
import sys
import tempfile

import numpy as np

import run_anywhere
import samples

# Enough for 100 runs of each of these.
FAST = "--time-limit 1"
DIFFERENT = 4

FUNCTION = """\
func.func @main(%x: tensor<SHAPExf32> {graph.name = "x"})
    -> (tensor<RESULTxf32> {graph.name = "y"}) {
BODY
  return %y : tensor<RESULTxf32>
}
"""


def function(body, shape="16", result=None):
    lines = "\n".join(f"  {line}" for line in body.splitlines())
    return (FUNCTION.replace("BODY", lines).replace("SHAPE", shape)
            .replace("RESULT", result or shape))


ZERO = "%zero = arith.constant dense<0.0> : tensor<16xf32>\n"
RELU = function(ZERO + """\
%positive = arith.cmpf ogt, %x, %zero : tensor<16xf32>
%y = arith.select %positive, %x, %zero : tensor<16xi1>, tensor<16xf32>""")
# A number, where x is NaN; and NaN.
NUMBER = function(ZERO + "%y = arith.maxnumf %x, %zero : tensor<16xf32>")
MAXIMUM = function(ZERO + "%y = arith.maximumf %x, %zero : tensor<16xf32>")

THIRD = """\
%third = arith.constant dense<NUMBER> : tensor<16xf32>
%y = arith.OP %x, %third : tensor<16xf32>"""
QUOTIENT = function(THIRD.replace("NUMBER", "3.0").replace("OP", "divf"))
PRODUCT = function(THIRD.replace("NUMBER", "0.333333333").replace("OP", "mulf"))

REDUCE = """\
%RESULT = linalg.reduce { arith.addf } ins(%X : tensor<FROMxf32>)
    outs(%i : tensor<TOxf32>) dimensions = [DIMS]"""


def reduce(result, source, shape, to, dims):
    text = REDUCE.replace("RESULT", result).replace("%X", f"%{source}")
    return (text.replace("FROM", shape).replace("TOx", f"{to}x" if to else "")
            .replace("DIMS", dims))


# Of -0 and 0 the greater is either.
GREATEST = """\
func.func @main(%x: tensor<?x?xf32> {graph.name = "x"},
                %y: tensor<?xf32> {graph.name = "y"})
    -> (tensor<?xf32> {graph.name = "z"}) {
  %z = linalg.reduce { arith.maxnumf } ins(%x : tensor<?x?xf32>)
      outs(%y : tensor<?xf32>) dimensions = [1]
  return %z : tensor<?xf32>
}
"""

# A sum of all elements at once, and of rows first.
ONCE = """\
%i = arith.constant dense<0.0> : tensor<3xf32>
""" + reduce("y", "x", "3x4x5", "3", "1, 2")
ROWS = """\
%j = arith.constant dense<0.0> : tensor<3x4xf32>
%i = arith.constant dense<0.0> : tensor<3xf32>
""" + reduce("rows", "x", "3x4x5", "3x4", "2").replace("%i", "%j") + "\n" \
    + reduce("y", "rows", "3x4", "3", "1")

DOUBLE = function("%y = arith.addf %x, %x : tensor<64xf32>", "64")
SQUARE = DOUBLE.replace("addf", "mulf")


# Programs of 8 elements, for any length.
KERNEL = """\
tile.kernel @double(%x: !tile.view<?xf32> {tile.name = "x", tile.dims = ["N"]},
                    %y: !tile.view<?xf32> {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[n, m] -> (n ceildiv 8)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<8xf32>
  %d = arith.addf %t, %t : tensor<8xf32>
  tile.store %d, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}
"""
# A row is read from memory, wherever it is.
OUTSIDE = samples.PICK
FIRST = OUTSIDE.replace("%place = tile.offset %base, %row", """\
%none = arith.constant dense<0> : tensor<1xi64>
  %place = tile.offset %base, %none""")

# Two products, the second of which reads the first; one run takes long.
LAYERS = """\
func.func @main(%x: tensor<96x128xf32> {graph.name = "x"},
                %a: tensor<128x160xf32> {graph.name = "a"},
                %b: tensor<160x128xf32> {graph.name = "b"})
    -> (tensor<96x128xf32> {graph.name = "y"}) {
  %zero = arith.constant dense<0.0> : tensor<96x160xf32>
  %p = linalg.matmul
      ins(%x, %a : tensor<96x128xf32>, tensor<128x160xf32>)
      outs(%zero : tensor<96x160xf32>) -> tensor<96x160xf32>
  %positive = arith.maximumf %p, %zero : tensor<96x160xf32>
  %other = arith.constant dense<0.0> : tensor<96x128xf32>
  %y = linalg.matmul
      ins(%positive, %b : tensor<96x160xf32>, tensor<160x128xf32>)
      outs(%other : tensor<96x128xf32>) -> tensor<96x128xf32>
  return %y : tensor<96x128xf32>
}
"""

PTX = """\
.version 8.7
.target sm_80
.address_size 64
.visible .entry double(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<2>;
  .reg .f32 %f<2>;
  .reg .b64 %d<5>;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 4;
  add.u64 %d3, %d0, %d2;
  add.u64 %d4, %d1, %d2;
  ld.global.f32 %f0, [%d3];
  add.rn.f32 %f1, %f0, %f0;
  st.global.f32 [%d4], %f1;
  ret;
}
"""
LAUNCH = {"entry": "double", "grid": [1], "block": [64],
          "args": [{"buffer": "x.npy"},
                   {"buffer": {"shape": [64], "dtype": "f32"},
                    "output": "y"}]}

HALF = """
func.func @main(%x: tensor<?x?xf16> {graph.name = "x"})
    -> (tensor<?x?xf16> {graph.name = "y"}) {
  BODY
  return %y : tensor<?x?xf16>
}
"""
HALF_SUM = """%y = linalg.map { arith.addf }
      ins(%x, %x : tensor<?x?xf16>, tensor<?x?xf16>) outs(%x : tensor<?x?xf16>)
"""
HALF_DOUBLE = """%two = arith.constant 2.0 : f16
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%x : tensor<?x?xf16>) {
  ^bb0(%e: f16):
    %p = arith.mulf %e, %two : f16
    linalg.yield %p : f16
  } -> tensor<?x?xf16>
"""
HALF_SHIFTED = HALF_DOUBLE.replace("^bb0(%e: f16):", """^bb0(%e: f16):
    %at = linalg.index 0 : index""")
QUOTIENT_OF_BYTES = """
func.func @main(%x: tensor<64xi8> {graph.name = "x"},
                %z: tensor<64xi8> {graph.name = "z"})
    -> (tensor<64xi8> {graph.name = "y"}) {
  %y = arith.divsi %x, %z : tensor<64xi8>
  return %y : tensor<64xi8>
}
"""
SAME = """
func.func @main(%x: tensor<100xi16> {graph.name = "x"})
    -> (tensor<100xi16> {graph.name = "y"}) {
  return %x : tensor<100xi16>
}
"""
BUT_ONE = SAME.replace("  return %x", """  %a = arith.constant dense<31337> : tensor<100xi16>
  %b = arith.constant dense<12345> : tensor<100xi16>
  %c = arith.constant dense<777> : tensor<100xi16>
  %p = arith.muli %x, %a : tensor<100xi16>
  %q = arith.addi %p, %b : tensor<100xi16>
  %r = arith.cmpi eq, %q, %c : tensor<100xi16>
  %y = arith.select %r, %c, %x : tensor<100xi1>, tensor<100xi16>
  return %y""")

# With a flag by which a NaN is poison.
ORDERED = """\
tile.kernel @k(%x: !tile.view<4xf32> {tile.name = "x"},
               %y: !tile.view<4xi32> {tile.name = "y"}) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<4xf32> -> tensor<4xf32>
  %ordered = arith.cmpf ord, %a, %a fastmath<nnan> : tensor<4xf32>
  %n = arith.extui %ordered : tensor<4xi1> to tensor<4xi32>
  tile.store %n, %y[%c0] : tensor<4xi32>, !tile.view<4xi32>
}
"""

FILES = {
    "half_sum.mlir": HALF.replace("BODY", HALF_SUM),
    "half_double.mlir": HALF.replace("BODY", HALF_DOUBLE),
    "half_shifted.mlir": HALF.replace("BODY", HALF_SHIFTED),
    "byte_quotient.mlir": QUOTIENT_OF_BYTES,
    "same.mlir": SAME, "but_one.mlir": BUT_ONE,
    "relu.mlir": RELU, "number.mlir": NUMBER, "maximum.mlir": MAXIMUM,
    "quotient.mlir": QUOTIENT, "product.mlir": PRODUCT,
    "once.mlir": function(ONCE, "3x4x5", "3"),
    "rows.mlir": function(ROWS, "3x4x5", "3"),
    "greatest.mlir": GREATEST,
    "double.mlir": DOUBLE, "square.mlir": SQUARE, "kernel.mlir": KERNEL,
    "ordered.mlir": ORDERED,
    "short.mlir": KERNEL.replace("n ceildiv 8", "n floordiv 8"),
    "layers.mlir": LAYERS, "outside.mlir": OUTSIDE, "first.mlir": FIRST,
    "double.ptx": PTX,
    "square.ptx": PTX.replace("add.rn.f32", "mul.rn.f32"),
    "launch.json": json.dumps(LAUNCH)}


def verify(tool, line, code=0):
    return json.loads(tool(f"verify {line} --json", code).stdout)


def check_equivalent(tool):
    found = verify(tool, f"relu.mlir number.mlir {FAST}")
    assert list(found) == ["verdict", "relation", "strength", "cases"], found
    assert found["verdict"] == "equivalent", found
    assert (found["relation"], found["strength"]) == ("exact", "tested"), found
    assert found["cases"] >= 100, found
    text = tool(f"verify relu.mlir number.mlir {FAST}").stdout
    assert re.fullmatch(r"equivalent: exact, tested, \d+ runs\n", text), text


def check_exhausted(tool):
    """All values of one operand of 16 bits, and of two of 8: also where BEFORE
    is undefined for some. No random number finds the one that differs."""
    found = verify(tool, "half_sum.mlir half_double.mlir")
    assert found["strength"] == "exhausted", found
    found = verify(tool, "byte_quotient.mlir byte_quotient.mlir")
    assert found["strength"] == "exhausted", found
    found = verify(tool, "same.mlir but_one.mlir", DIFFERENT)
    example = found["counterexample"]
    assert (example["before"], example["after"]) == ("-15792", "777"), example
    # Where elements depend on others, or have more values, nothing is claimed.
    for pair in ("half_shifted.mlir half_shifted.mlir",
                 "double.mlir double.mlir"):
        found = verify(tool, f"{pair} --runs 100")
        assert (found["strength"], found["cases"]) == ("tested", 100), found


def check_counterexample(tool):
    """The files are what the report says, and `run` shows it again."""
    found = verify(tool, f"relu.mlir maximum.mlir {FAST} --output-dir found",
                   DIFFERENT)
    assert found["verdict"] == "different", found
    example = found["counterexample"]
    assert (example["kind"], example["output"]) == ("value", "y"), example
    assert (example["before"], example["after"]) == ("0", "nan"), example
    index = tuple(example["index"])
    x, before, after = (tool.load("found", side, f"{name}.npy") for side, name
                        in (("in", "x"), ("before", "y"), ("after", "y")))
    assert np.isnan(x[index]) and before[index] == 0 and np.isnan(after[index])
    # All else of the input is plain.
    assert np.count_nonzero(x) == 1, x
    for side, expected in (("relu", before), ("maximum", after)):
        tool(f"run {side}.mlir --device interpreter --input x=found/in/x.npy "
             "--output-dir again")
        assert np.array_equal(tool.load("again", "y.npy"), expected,
                              equal_nan=True), side
    text = tool(f"verify relu.mlir maximum.mlir {FAST}", DIFFERENT).stdout
    assert text.startswith("different: exact, tested, "), text
    assert "\n  value: y[" in text and "] = 0, found nan\n" in text, text
    # The same seed, the same inputs.
    again = verify(tool, f"relu.mlir maximum.mlir {FAST}", DIFFERENT)
    assert again["counterexample"] == example, (again, example)


def check_fault(tool):
    """A program after that reads outside of a tensor, and one that does not
    write all elements."""
    found = verify(tool, f"first.mlir outside.mlir {FAST} --output-dir fault",
                   DIFFERENT)
    example = found["counterexample"]
    assert (example["kind"], example["before"]) == ("fault", "defined"), example
    assert "outside.mlir:" in example["after"], example
    assert not list((tool.folder / "fault" / "after").iterdir())
    finding = tool("run outside.mlir --device interpreter --input "
                   "x=fault/in/x.npy --input at=fault/in/at.npy", DIFFERENT)
    assert "outside.mlir:" in finding.stderr, finding
    # Neither side is wrong where the other one reads outside, too.
    found = verify(tool, f"outside.mlir outside.mlir {FAST}")
    assert found["verdict"] == "equivalent", found
    # A length of 64 has no rest of 8.
    found = verify(tool, f"double.mlir short.mlir {FAST}")
    assert found["verdict"] == "equivalent", found
    found = verify(tool, f"kernel.mlir short.mlir {FAST}", DIFFERENT)
    assert "never written" in found["counterexample"]["after"], found


def check_relations(tool):
    for pair, relation, code in (
            ("quotient.mlir product.mlir", "exact", DIFFERENT),
            ("quotient.mlir product.mlir", "near=1e-9", DIFFERENT),
            ("quotient.mlir product.mlir", "near=1e-6", 0),
            ("once.mlir rows.mlir", "exact", DIFFERENT),
            ("once.mlir rows.mlir", "reassociated", 0),
            ("once.mlir rows.mlir", "bounded", 0),
            ("double.mlir square.mlir", "bounded", DIFFERENT)):
        found = verify(tool, f"{pair} --relation {relation} {FAST}", code)
        expected = relation.replace("1e-9", "1e-09").replace("1e-6", "1e-06")
        assert found["relation"] == expected, (found, expected)
    assert "permitted" in found["counterexample"]["before"], found


def check_sides(tool):
    """A module against what stands for it at other levels."""
    np.save(tool.folder / "x.npy", np.zeros(64, np.float32))
    tool("compile double.mlir -o cpu.twp")
    tool("compile double.mlir --target sm_80 -o gpu.twp")
    tool("compile double.mlir --stop-after form-groups -o groups.mlir")
    tool("compile double.mlir --target sm_80 --stop-after insert-barriers "
         "-o barriers.mlir")
    sides = ["kernel.mlir", "cpu.twp", "gpu.twp", "groups.mlir",
             "barriers.mlir", "double.ptx --launch launch.json"]
    for side in sides:
        found = verify(tool, f"double.mlir {side} {FAST}")
        assert found["cases"] >= 100, (side, found)
        found = verify(tool, f"square.mlir {side} {FAST}", DIFFERENT)
        assert found["counterexample"]["kind"] == "value", (side, found)
    found = verify(tool, "double.mlir square.ptx --launch launch.json "
                   f"{FAST} --output-dir ptx", DIFFERENT)
    x, y = (tool.load("ptx", side, name) for side, name in (
        ("in", "x.npy"), ("after", "y.npy")))
    with np.errstate(all="ignore"):
        assert np.array_equal(y, x * x, equal_nan=True), (x, y)
    # One launch for both sides, or one for each.
    for launches in ("--launch launch.json", 2 * "--launch launch.json "):
        verify(tool, f"double.ptx square.ptx {launches} {FAST}", DIFFERENT)


def check_compilation(tool):
    """Every pass that changes a module is tested, to the code."""
    for model in ("relu.mlir", "kernel.mlir"):
        report = verify(tool, f"{model} --target cpu,sm_80")
        assert list(report) == ["verdict", "targets"], report
        assert report["verdict"] == "equivalent", report
        targets = [each["target"] for each in report["targets"]]
        assert targets == ["cpu", "sm_80"], targets
        for each in report["targets"]:
            assert list(each) == ["target", "verdict", "passes",
                                  "unchecked"], each
            assert each["unchecked"] == ["import of the model", "ptxas",
                                         "hardware"], each
            passes = {one["pass"]: one for one in each["passes"]}
            for one in passes.values():
                assert one["evidence"] in ("unchanged", "tested"), one
                assert one.get("cases", 64) == 64, one
            tested = [name for name, one in passes.items()
                      if one["evidence"] == "tested"]
            assert len(tested) > 10 and tested[-1] == "llvm", tested
            assert "convert-arith-to-llvm" in tested, tested
    lines = tool("verify relu.mlir").stdout.splitlines()
    assert re.fullmatch(r"cpu: equivalent, (\d+) of \d+ passes tested",
                        lines[0]), lines
    assert int(lines[0].split()[2]) == len(lines) - 1, lines
    assert lines[-1].split() == ["llvm", "exact", "64", "runs"], lines


def check_resume(tool):
    """What a file of --stop-after says runs on this machine with --resume
    alone."""
    for option, evidence in (("", "unchecked"), ("--resume", "tested")):
        report = verify(tool, f"groups.mlir --time-limit 0.5 {option}")
        last = report["targets"][0]["passes"][-1]
        assert (last["pass"], last["evidence"]) == ("llvm", evidence), last
        assert option or "with --resume alone" in last["reason"], last
    for options in ("--numerics", "--by-kernel"):
        error = tool(f"verify groups.mlir {options}", 1).stderr
        assert "which is code; give --resume" in error, error


def check_llvm(tool):
    """LLVM takes a flag at its word, which the reference does not: the pass that
    does so is named, and the function."""
    for target in ("cpu", "sm_80"):
        report = verify(tool, f"ordered.mlir --target {target} --output-dir ll",
                        DIFFERENT)
        guilty = report["targets"][0]["guilty"]
        assert (guilty["pass"], guilty["llvm_pass"], guilty["llvm_where"]) == \
            ("llvm", "early-cse", "k"), guilty
        assert 0 < guilty["llvm_number"] < guilty["llvm_count"], guilty
    text = tool("verify ll/reproducer.mlir", DIFFERENT).stdout
    assert "\n  LLVM's pass early-cse on k, " in text, text


def check_open(tool):
    """What an op leaves open each level may do in its own way."""
    zeros = np.array([[-0.0, 0.0], [0.0, -0.0]], np.float32)
    np.save(tool.folder / "zeros.npy", zeros)
    np.save(tool.folder / "least.npy", zeros[0] - np.float32(np.inf))
    report = verify(tool, "greatest.mlir --target cpu,sm_80 "
                          "--input x=zeros.npy --input y=least.npy")
    assert report["verdict"] == "equivalent", report


def check_kernels(tool):
    """A model that is too large for the reference, by its kernels."""
    x = np.random.default_rng(0).standard_normal((96, 128))
    np.save(tool.folder / "layer.npy", x.astype(np.float32))
    line = "layers.mlir --target cpu --input x=layer.npy --time-limit 20"
    report = verify(tool, line)["targets"][0]
    assert list(report) == ["target", "verdict", "kernels",
                            "unchecked"], report
    assert report["verdict"] == "equivalent", report
    names = [kernel["kernel"] for kernel in report["kernels"]]
    assert [name[:3] for name in names] == ["k0_", "k1_"], names
    for kernel in report["kernels"]:
        assert kernel["cases"] >= 1 and 0 < kernel["share"] < 1, kernel
        count = {kind: sum(one["evidence"] == kind for one in kernel["passes"])
                 for kind in ("tested", "unchanged", "unchecked")}
        assert count == {kind: kernel[kind] for kind in count}, kernel
        tested = [one["pass"] for one in kernel["passes"]
                  if one["evidence"] == "tested"]
        # From the model to its code.
        for name in ("generalize-ops", "all passes on the graph",
                     "convert-graph-to-tile", "llvm"):
            assert name in tested, kernel
    lines = tool("verify relu.mlir --by-kernel --time-limit 9").stdout
    lines = lines.splitlines()
    assert lines[0] == "cpu: equivalent, 1 of 1 kernels tested", lines
    assert lines[1].split() == ["kernel", "tested", "unchanged", "unchecked",
                                "runs", "share"], lines
    # All of a small kernel.
    assert lines[2].startswith("  k0_") and lines[2].endswith(" 100 %"), lines


def check_inputs(tool):
    """Inputs that the user gives."""
    np.save(tool.folder / "nan.npy", np.full(16, np.nan, np.float32))
    found = verify(tool, "relu.mlir --input x=nan.npy")["targets"][0]
    assert found["passes"][-1]["cases"] == 64, found
    for line, text in (
            ("z=nan.npy", "relu.mlir: error: there is no input 'z'\n"
             "  the model's inputs: x: f32[16]"),
            ("x=x.npy", "relu.mlir: error: the input is x: f32[64], expected "
             "x: f32[16]")):
        error = tool(f"verify relu.mlir --input {line}", 1).stderr
        assert text in error, error
    error = tool("verify relu.mlir number.mlir --by-kernel", 2).stderr
    assert "--by-kernel has no effect" in error, error
    error = tool("verify kernel.mlir --by-kernel", 1).stderr
    assert "only a model whose kernels are still to be made" in error, error


def check_evidence(tool):
    """What was found stays in the package, with hashes."""
    tool("compile relu.mlir --target cpu,sm_80 -o relu.twp")
    error = tool("inspect relu.twp --evidence", 1).stderr
    assert "has no evidence.json" in error, error
    tool("verify relu.mlir --evidence relu.twp")
    shown = tool("inspect relu.twp --evidence").stdout.splitlines()
    assert re.fullmatch(r"verified \S+Z by tilewright \S+", shown[0]), shown
    assert shown[1].startswith("  model relu.mlir, xxh64:"), shown
    assert shown[2] == "cpu: equivalent, 1 of 1 kernels tested", shown
    assert shown[4].endswith("   64 100 %"), shown
    assert shown[-2:] == ["  unchecked: hardware", "sm_80: not verified"], shown
    report = json.loads(tool("inspect relu.twp --evidence --json").stdout)
    assert (report["stale"], report["changed"]) == (False, []), report
    assert report["not_verified"] == ["sm_80"], report
    kernel = report["evidence"]["targets"][0]["kernels"][0]
    assert kernel["strength"] == "tested" and kernel["cases"] == 64, kernel
    # The package is what it was.
    tool("run relu.twp --device cpu")
    # Another model, and other code.
    for line, text in (("number.mlir", "is not what number.mlir compiles to"),
                       ("relu.mlir --target sm_90a", "no kernels for sm_90a")):
        error = tool(f"verify {line} --evidence relu.twp", 1).stderr
        assert text in error, error
    image = next((tool.folder / "relu.twp" / "kernels").glob("*.cpu.o"))
    image.write_bytes(image.read_bytes() + b"\0")
    shown = tool("inspect relu.twp --evidence", DIFFERENT).stdout
    name = f"kernels/{image.name}"
    assert f"stale: {name} is not what was verified\n" in shown, shown
    image.unlink()
    report = json.loads(tool("inspect relu.twp --evidence --json",
                             DIFFERENT).stdout)
    assert (report["stale"], report["changed"]) == (True, [name]), report
    check_hostile_evidence(tool)


def check_hostile_evidence(tool):
    path = tool.folder / "relu.twp" / "evidence.json"
    good = json.loads(path.read_text())
    kernel = ("targets", 0, "kernels", 0)
    for keys, value, text in (
            ((), [], "expected"),
            (("tilewright_evidence",), 2, "expected version 1"),
            (("files",), "none", "files: expected"),
            (("model", "hash"), 7, "model.hash: expected"),
            (("targets",), {}, "targets: expected a list"),
            (("more",), 1, "more"),
            ((*kernel, "verdict"), "fine", "expected one of 'equivalent'"),
            ((*kernel, "cases"), -1, "cases: expected"),
            ((*kernel, "share"), 1.5, "share: expected a number from 0 to 1"),
            ((*kernel, "passes", 0, "evidence"), None, "evidence: expected")):
        bad = json.loads(json.dumps(good))
        place = bad
        for key in keys[:-1]:
            place = place[key]
        if keys:
            place[keys[-1]] = value
        path.write_text(json.dumps(bad if keys else value))
        error = tool("inspect relu.twp --evidence", 1).stderr
        assert "evidence.json" in error and text in error, (keys, error)
        assert error.count("error:") == 1, error
    for text in ("", "{", "[" * 100000, '{"tilewright_evidence": 1e999}'):
        path.write_text(text)
        error = tool("inspect relu.twp --evidence", 1).stderr
        assert "evidence.json" in error and error.count("error:") == 1, error
    with path.open("wb") as file:
        file.truncate(2 ** 33)
    error = tool("inspect relu.twp --evidence", 1).stderr
    assert "8589934592 bytes, expected at most 67108864" in error, error


def main():
    with tempfile.TemporaryDirectory() as folder:
        tool = run_anywhere.Tool(str(pathlib.Path(sys.argv[1]).resolve()),
                                 pathlib.Path(folder))
        for name, text in FILES.items():
            (tool.folder / name).write_text(text)
        for check in (check_equivalent, check_exhausted,
                      check_counterexample, check_fault,
                      check_relations, check_sides, check_compilation,
                      check_resume, check_llvm, check_open, check_kernels,
                      check_inputs, check_evidence):
            check(tool)
    print("verify: pairs, files, relations, sides, compilations, kernels, "
          "evidence")


if __name__ == "__main__":
    main()
