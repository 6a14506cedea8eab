"""fast_math.py TOOL: what --fast-math changes. Approximations stay within the
bounds of docs/math.md, on the emulator with errors that PTX allows; flags are
of each op; what is fused and inverted; what manifests say."""

import json
import pathlib
import re
import sys
import tempfile

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "forked"))
import forked  # noqa: E402

COUNT = 4096
# Of the table "Approximations": op, operands, and the bound as (ulp, absolute),
# functions of the operand.
BOUNDS = [
    ("exp", (-1, 1), (4, 0)), ("exp", (-16, 16), (34, 0)),
    ("exp", (-87, 88), (178, 0)), ("exp2", (-126, 127.5), (3, 0)),
    ("log2", (0.5, 2), (0, 2**-22)), ("log2", (2, 1e30), (4, 0)),
    ("log", (0.5, 2), (0, 2**-22)), ("log", (2, 1e30), (6, 0)),
    ("log10", (0.5, 2), (0, 2**-22)), ("log10", (2, 1e30), (6, 0)),
    ("sqrt", (0, 1e30), (3, 0)), ("rsqrt", (1e-30, 1e30), (3, 0)),
    ("sin", (-6, 6), (0, 2**-20)), ("cos", (-6, 6), (0, 2**-20)),
    ("sin", (-300, 300), (0, 2**-14)), ("cos", (-300, 300), (0, 2**-14)),
    ("tanh", (-20, 20), (2**13, 0)),
]
ORACLES = {"rsqrt": lambda x: 1 / np.sqrt(x)}
INSTRUCTIONS = {"exp": "ex2.approx.ftz.f32", "exp2": "ex2.approx.ftz.f32",
                "log": "lg2.approx.f32", "log2": "lg2.approx.f32",
                "log10": "lg2.approx.f32", "sqrt": "sqrt.approx.f32",
                "rsqrt": "rsqrt.approx.f32", "sin": "sin.approx.f32",
                "cos": "cos.approx.f32", "tanh": "tanh.approx.f32"}


def kernel(body, element="f32"):
    """A kernel of one program: y = body(x, z), all of COUNT elements."""
    view = f"!tile.view<{COUNT}x{element}>"
    tile = f"tensor<{COUNT}x{element}>"
    body = body.replace("TILE", tile)
    return f"""
tile.kernel @k(%vx: {view}, %vz: {view}, %vy: {view}) {{
  %c0 = arith.constant 0 : index
  %x = tile.load %vx[%c0] : {view} -> {tile}
  %z = tile.load %vz[%c0] : {view} -> {tile}
  {body}
  tile.store %y, %vy[%c0] : {tile}, {view}
}}
"""


class Case:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder

    def run_tool(self, *arguments, code=0):
        done = forked.run([self.tool, *map(str, arguments)], text=True,
                          capture_output=True, check=False)
        assert done.returncode == code, (arguments, done.stderr)
        return done.stdout + done.stderr

    def compile(self, text, *options, target="sm_90a"):
        """(PTX or object, entry of the manifest)."""
        source, package = self.folder / "k.mlir", self.folder / "k.twp"
        source.write_text(text)
        self.run_tool("compile", source, "--target", target, "-o", package,
                      "--no-cache", *options)
        manifest, = json.loads(
            (package / "manifest.json").read_text())["kernels"]
        return (package / manifest["image"]).read_bytes(), manifest

    def emulate(self, ptx, manifest, x, z, seed):
        (self.folder / "k.ptx").write_bytes(ptx)
        np.save(self.folder / "x.npy", x)
        np.save(self.folder / "z.npy", z)
        (self.folder / "k.json").write_text(json.dumps({
            "entry": manifest["entry"], "grid": [1],
            "block": [manifest["block"]], "dynamicShared": manifest["shared"],
            "args": [{"buffer": "x.npy"}, {"buffer": "z.npy"},
                     {"buffer": {"shape": [COUNT], "dtype": "f32"},
                      "output": "y"}]}))
        self.run_tool("run", self.folder / "k.ptx", "--device", "emulator",
                      "--launch", self.folder / "k.json", "--seed", seed,
                      "--output-dir", self.folder)
        return np.load(self.folder / "y.npy").astype(np.float64)


def ulps(found, exact):
    """The distance in units of the last place of the exact f32."""
    unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    return np.abs(found - exact) / unit


def operands(low, high, seed):
    generator = np.random.default_rng(seed)
    if low > 0 and high > 1e10:
        return np.exp(generator.uniform(np.log(low), np.log(high),
                                        COUNT)).astype(np.float32)
    return generator.uniform(low, high, COUNT).astype(np.float32)


def check_bounds(case):
    for number, (op, (low, high), (ulp, absolute)) in enumerate(BOUNDS):
        ptx, manifest = case.compile(kernel(
            f"%y = math.{op} %x fastmath<afn> : TILE"))
        assert INSTRUCTIONS[op].encode() in ptx, op
        x = operands(low, high, number)
        exact = ORACLES.get(op, getattr(np, op, None))(x.astype(np.float64))
        for seed in (0, 1, 2):
            found = case.emulate(ptx, manifest, x, x, seed)
            wrong = (ulps(found, exact) > ulp) & (
                np.abs(found - exact) > absolute)
            assert not wrong.any(), (op, x[wrong][0], exact[wrong][0],
                                     found[wrong][0])


def check_division(case):
    ptx, manifest = case.compile(kernel(
        "%y = arith.divf %x, %z fastmath<afn> : TILE"))
    assert b"div.full.f32" in ptx and b"div.approx" not in ptx
    x, z = operands(1e-18, 1e18, 1), operands(1e-18, 1e18, 2)
    z[:4] = np.float32([2**127, 1.5 * 2**126, 2**-126, 1])
    x[:4] = np.float32([2**120, 2**120, 2**-20, 3])
    for seed in (0, 1):
        found = case.emulate(ptx, manifest, x, z, seed)
        assert ulps(found, x.astype(np.float64) / z).max() <= 2
    inverse, _ = case.compile(kernel(
        "%one = arith.constant dense<1.0> : TILE\n"
        "%y = arith.divf %one, %x fastmath<afn> : TILE"))
    assert b"rcp.approx.ftz.f32" in inverse and b"div." not in inverse


def check_flags_are_of_ops(case):
    """An exact and an approximate function in one kernel; f64 and the CPU are
    exact."""
    both, manifest = case.compile(kernel(
        "%a = math.exp %x fastmath<afn> : TILE\n"
        "%b = math.exp %z : TILE\n%y = arith.addf %a, %b : TILE"))
    exact, plain = case.compile(kernel(
        "%a = math.exp %x : TILE\n"
        "%b = math.exp %z : TILE\n%y = arith.addf %a, %b : TILE"))
    assert b"ex2.approx" in both and both.count(b"fma.rn.f32") > 0
    assert b"approx" not in exact and "fast_math" not in plain
    assert exact.count(b"fma.rn.f32") == 2 * both.count(b"fma.rn.f32")
    assert manifest["fast_math"] == "afn"
    wide, _ = case.compile(kernel("%y = math.exp %x fastmath<afn> : TILE",
                                  "f64"))
    assert b"approx" not in wide
    text = kernel("%y = math.exp %x fastmath<afn> : TILE")
    on_cpu, _ = case.compile(text, target="cpu")
    assert on_cpu == case.compile(text.replace(" fastmath<afn>", ""),
                                  target="cpu")[0]


SUMS = """
%p = arith.mulf %x, %z : TILE
%q = arith.subf %x, %p : TILE
%r = arith.mulf %q, %z : TILE
%y = arith.addf %r, %x : TILE
"""


def check_contraction(case):
    """Only with the flag, and never left to ptxas: each addition and product
    says how it rounds."""
    exact, _ = case.compile(kernel(SUMS))
    fused, manifest = case.compile(kernel(SUMS), "--fast-math=contract")
    assert b"fma.rn.f32" not in exact and b"fma.rn.f32" in fused
    assert manifest["fast_math"] == "contract"
    assert not re.search(rb"\b(?:mul|add|sub)\.(?:f32|f16|bf16|f64)", fused)
    x, z = operands(-4, 4, 5), operands(-4, 4, 6)
    wide = x.astype(np.float64), z.astype(np.float64)
    q = (wide[0] - wide[0] * wide[1]).astype(np.float32).astype(np.float64)
    found = case.emulate(fused, manifest, x, z, 0)
    assert np.array_equal(found, (q * wide[1] + wide[0]).astype(np.float32))
    # Another reader needs the product.
    shared, _ = case.compile(kernel(
        "%p = arith.mulf %x, %z : TILE\n%q = arith.addf %p, %x : TILE\n"
        "%y = arith.mulf %p, %q : TILE"), "--fast-math=contract")
    assert b"fma.rn.f32" not in shared


def check_reciprocals(case):
    """x / broadcast(y) has one reciprocal for all."""
    body = ("%s = tile.reduce %z axis 0 {\n^bb0(%a: f32, %b: f32):\n"
            "  %m = arith.maximumf %a, %b : f32\n  tile.yield %m : f32\n"
            f"}} : TILE -> tensor<f32>\n"
            "%w = tile.reshape %s : tensor<f32> -> tensor<1xf32>\n"
            f"%v = tile.broadcast %w : tensor<1xf32> -> TILE\n"
            "%y = arith.divf %x, %v : TILE")
    exact, _ = case.compile(kernel(body))
    shared, manifest = case.compile(kernel(body), "--fast-math=arcp")
    both, _ = case.compile(kernel(body), "--fast-math")
    assert exact.count(b"div.rn.f32") > 1 and b"div." not in shared
    assert shared.count(b"rcp.rn.f32") == 1
    assert b"div." not in both and b"rcp.approx" in both
    x, z = operands(-4, 4, 7), operands(1, 4, 8)
    found = case.emulate(shared, manifest, x, z, 0)
    assert ulps(found, x.astype(np.float64) / z.max()).max() <= 1.5
    root, _ = case.compile(kernel(
        "%a = math.sqrt %z : TILE\n%y = arith.divf %x, %a : TILE"), "--fast-math")
    assert b"rsqrt.approx" in root and b"div." not in root
    by_three, _ = case.compile(kernel(
        "%c = arith.constant dense<3.0> : TILE\n%y = arith.divf %x, %c : TILE"),
        "--fast-math=arcp")
    assert b"div." not in by_three


def check_mistakes(case):
    text = case.folder / "k.mlir"
    text.write_text(kernel("%y = math.exp %x : TILE"))
    said = case.run_tool("compile", text, "-o", case.folder / "k.twp",
                         "--fast-math=afm", code=2)
    assert "afm" in said and "did you mean 'afn'" in said, said
    case.compile(text.read_text())
    said = case.run_tool("run", case.folder / "k.twp", "--fast-math", code=2)
    assert "compiled already" in said, said


def main():
    for check in (check_bounds, check_division, check_flags_are_of_ops,
                  check_contraction, check_reciprocals, check_mistakes):
        with tempfile.TemporaryDirectory() as folder:
            check(Case(sys.argv[1], pathlib.Path(folder)))
    print("approximations, fused sums and reciprocals are as documented")


main()
