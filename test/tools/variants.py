"""variants.py TOOL: a kernel with rows of open size has a variant for rows that
allow wide accesses. It runs where its guards hold, on each device, with the same
results; the others run the plain one."""

import json
import pathlib
import sys
import tempfile

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "forked"))
import forked  # noqa: E402

# y = x + bias, of f16: without the variant, 16 bits are loaded at a time.
MODEL = """
func.func @main(%x: tensor<?x?xf16> {graph.name = "x", graph.dims = ["M", "N"]},
                %bias: tensor<?xf16> {graph.name = "bias", graph.dims = ["N"]})
    -> (tensor<?x?xf16> {graph.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf16>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias : tensor<?x?xf16>, tensor<?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %s = arith.addf %a, %b : f16
    linalg.yield %s : f16
  } -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}
"""


class Case:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        self.package = folder / "bias.twp"
        (folder / "bias.mlir").write_text(MODEL)
        self.run_tool("compile", folder / "bias.mlir", "--target",
                      "cpu,sm_90a", "-o", self.package, "--no-cache")
        self.manifest = json.loads((self.package / "manifest.json").read_text())

    def run_tool(self, *arguments):
        done = forked.run([self.tool, *map(str, arguments)], text=True,
                          capture_output=True, check=False)
        assert done.returncode == 0, (arguments, done.stderr)

    def kernels(self, target):
        return [kernel for kernel in self.manifest["kernels"]
                if kernel["target"] == target]

    def run(self, device, rows, columns):
        """Runs and checks the result; the emulator's totals."""
        generator = np.random.default_rng(columns)
        x = generator.standard_normal((rows, columns)).astype(np.float16)
        bias = generator.standard_normal(columns).astype(np.float16)
        np.save(self.folder / "x.npy", x)
        np.save(self.folder / "bias.npy", bias)
        stats = self.folder / "stats.json"
        counted = ["--stats", stats] if device == "emulator" else []
        self.run_tool("run", self.package, "--device", device, "--input",
                      f"x={self.folder / 'x.npy'}", "--input",
                      f"bias={self.folder / 'bias.npy'}", "--output-dir",
                      self.folder, *counted)
        y = np.load(self.folder / "y.npy")
        assert np.array_equal(y, x + bias), (device, rows, columns)
        return json.loads(stats.read_text())["totals"] if counted else None


def check_package(case):
    wide, plain = case.kernels("sm_90a")
    assert wide["name"] == plain["name"]
    assert wide["image"].endswith(".sm_90a.wide.ptx"), wide["image"]
    added = set(wide["guards"]) - set(plain["guards"])
    assert "mod(arg0.dim1, 8) == 0" in added, wide["guards"]
    assert set(plain["guards"]) <= set(wide["guards"])
    assert len(case.kernels("cpu")) == 1


def check_runs(case):
    wide = case.run("emulator", 33, 128)
    ragged = case.run("emulator", 33, 130)
    assert wide["global_requests"] * 4 < ragged["global_requests"], (wide, ragged)
    # As much is moved.
    assert wide["bytes"]["global_read"] < ragged["bytes"]["global_read"] * 1.1
    for columns in (8, 120, 127, 1):
        case.run("emulator", 5, columns)
        case.run("cpu", 5, columns)


def check_order(case):
    """With the plain variant first, none is ever taken after it."""
    manifest = dict(case.manifest)
    wide, plain = case.kernels("sm_90a")
    others = [kernel for kernel in manifest["kernels"]
              if kernel["target"] != "sm_90a"]
    manifest["kernels"] = others + [plain, wide]
    (case.package / "manifest.json").write_text(json.dumps(manifest))
    first = case.run("emulator", 33, 128)
    manifest["kernels"] = others + [wide, plain]
    (case.package / "manifest.json").write_text(json.dumps(manifest))
    assert case.run("emulator", 33, 128)["global_requests"] * 4 <= \
        first["global_requests"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        case = Case(sys.argv[1], pathlib.Path(folder))
        for check in (check_package, check_runs, check_order):
            check(case)
    print("each launch takes the variant that its sizes allow")


main()
