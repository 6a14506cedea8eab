"""run_anywhere.py TOOL: models, packages and tile kernels on each device that
needs no GPU, from the command line: results, counters, findings, texts in
files."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import samples

DEVICES = ("cpu", "interpreter", "emulator")


class Tool:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder

    def __call__(self, line, code=0):
        done = subprocess.run(["bash", "-c", f'"$TOOL" {line}'], text=True,
                              cwd=self.folder, capture_output=True,
                              env={**os.environ, "TOOL": self.tool},
                              check=False, timeout=300)
        assert done.returncode == code, \
            f"tilewright {line}\nexit {done.returncode}\n{done.stdout}" \
            f"{done.stderr}"
        return done

    def load(self, *path):
        return np.load(self.folder.joinpath(*path))

    def json(self, name):
        return json.loads((self.folder / name).read_text())


def check_targets(tool):
    """A device says itself what is compiled for it."""
    x = tool.load("x23.npy")
    for device in (*DEVICES, "emulator:0", "null"):
        for model, expected in (("relu.onnx", np.maximum(x, 0)),
                                ("graph.mlir", x + x)):
            tool(f"run {model} --device {device} --input x=x23.npy "
                 f"--output-dir {device}")
            if device != "null":
                found = tool.load(device, "y.npy")
                assert np.array_equal(found, expected), (device, model, found)
    # Options may precede the model.
    tool("run --device cpu --input x=x23.npy --input-shape y=2x3 relu.onnx",
         code=1)
    tool("run --device cpu,emulator --input x=x23.npy relu.onnx")
    tool("compile --target cpu,sm_80 relu.onnx -o both.twp")
    out = tool("run relu.onnx --device emulator --target sm_80 --stats s.json")
    assert "y: f32[2,3]" in out.stdout
    assert tool.json("s.json")["kernels"][0]["target"] == "sm_80"


def check_several_devices(tool):
    out = tool(f"run double.mlir --device {','.join(DEVICES)} --input x=x24.npy"
               " --output-dir several").stdout
    assert out.count("equal to cpu's") == 2, out
    for device in DEVICES:
        assert np.array_equal(tool.load("several", device, "y.npy"),
                              2 * tool.load("x24.npy"))
    found = json.loads(tool("run double.mlir --device cpu,emulator --json "
                            "--input x=x24.npy").stdout)
    assert [run["device"] for run in found["devices"]] == ["cpu", "emulator"]
    assert found["devices"][1]["outputs"][0]["difference"] == "equal to cpu's"


def check_in_place(tool):
    """x is an input and an output, n and factor are scalars; the input's
    memory is as it was for each of several runs."""
    x = tool.load("x10.npy")
    tool("compile scale.mlir --target cpu,interpreter,sm_80 -o scale.twp")
    for device in DEVICES:
        for subject in ("scale.mlir", "scale.twp"):
            for n in (10, 3, 0):
                tool(f"run {subject} --device {device} --input x=x10.npy "
                     f"--scalar n={n} --scalar factor=-2.5 --repeat 3 "
                     "--output-dir out")
                expected = x.copy()
                # Programs of 8 elements each, enough for n.
                expected[:-(-n // 8) * 8] *= np.float32(-2.5)
                found = tool.load("out", "x.npy")
                assert np.array_equal(found, expected), (device, n, found)
    shown = tool("inspect scale.twp").stdout
    for line in ("input   x: f32[arg0.dim0]", "input   n: i64[]",
                 "input   factor: f32[]", "output  x: f32[arg0.dim0]"):
        assert line in shown, shown


SCALARS = {"i1": "true", "i8": "-3", "i16": "-300", "i32": "-70000",
           "i64": "-5000000000", "f16": "0.1", "bf16": "0.1", "f32": "0.1",
           "f64": "0.1"}
KEEP = """\
tile.kernel @keep(%v: TYPE {tile.name = "v"},
                  %y: !tile.view<1xTYPE> {tile.name = "y"})
    grid affine_map<()[VALUESone] -> (1)> {
  %c0 = arith.constant 0 : index
  %t = tile.splat %v : TYPE -> tensor<1xTYPE>
  tile.store %t, %y[%c0] : tensor<1xTYPE>, !tile.view<1xTYPE>
}
"""


def check_scalars(tool):
    """Each type arrives with its bits on each device."""
    for dtype, text in SCALARS.items():
        sizes = "v, " if dtype.startswith("i") else ""
        (tool.folder / "keep.mlir").write_text(
            KEEP.replace("TYPE", dtype).replace("VALUES", sizes))
        found = []
        for device in DEVICES:
            tool(f"run keep.mlir --device {device} --scalar v={text} "
                 "--output-dir out")
            found.append(tool.load("out", "y.npy")[0])
        value = np.float64(text) if "f" in dtype else \
            int(text == "true") if dtype == "i1" else int(text)
        if dtype == "bf16":  # As its bits: 0.1 is 0x3dcd.
            value = 0x3dcd
        elif "f" in dtype:
            value = value.astype(f"float{dtype[1:]}")
        assert all(each == value for each in found), (dtype, found, value)
    for dtype, text in (("i8", "128"), ("i1", "2"), ("i32", "1.5")):
        (tool.folder / "keep.mlir").write_text(
            KEEP.replace("TYPE", dtype).replace("VALUES", "v, "))
        tool(f"run keep.mlir --scalar v={text}", code=2)


def check_names_are_not_needed(tool):
    """Without tile.dims an output's shape is that of its own data."""
    (tool.folder / "plain.mlir").write_text(samples.double("", ""))
    for device in DEVICES:
        tool(f"run plain.mlir --device {device} --input arg0=x24.npy "
             "--input-shape arg1=2x4 --output-dir out")
        assert np.array_equal(tool.load("out", "arg1.npy"),
                              2 * tool.load("x24.npy"))


def check_counters(tool):
    tool("compile relu.onnx --target sm_80 -o relu.twp")
    for subject in ("relu.twp", "relu.onnx", "graph.mlir --input x=x23.npy"):
        out = tool(f"run {subject} --device emulator --repeat 2 --summary "
                   "--stats s.json --annotate a.txt --html p.html").stdout
        assert "in sum" in out and "of their lanes active" in out, out
        stats = tool.json("s.json")
        kernel, = stats["kernels"]
        # The first of the two runs.
        assert kernel["launches"] == stats["totals"]["launches"] == 1
        assert kernel["totals"]["bytes"]["global_written"] == 24
        assert stats["totals"]["warps"] == kernel["totals"]["warps"] > 0
        assert ".visible .entry" in (tool.folder / "a.txt").read_text()
        assert (tool.folder / "p.html").read_text().startswith("<!DOCTYPE")
    # The lines of the source, where it was compiled here.
    tool("run double.mlir --device emulator --input x=x24.npy --stats s.json")
    lines = tool.json("s.json")["kernels"][0]["source_lines"]
    assert lines[0]["file"].endswith("double.mlir")
    assert {6, 8} <= {line["line"] for line in lines[0]["lines"]}, lines


def check_sums(tool):
    """Each kernel of a model, and what they are in sum; one of them."""
    two = samples.GRAPH.replace(
        "  return", """\
  %e = tensor.empty() : tensor<3xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %s = linalg.reduce ins(%y : tensor<?x3xf32>) outs(%f : tensor<3xf32>)
      dimensions = [0] (%a: f32, %b: f32) {
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  }
  %d = tensor.empty() : tensor<3x3xf32>
  %z = linalg.broadcast ins(%s : tensor<3xf32>) outs(%d : tensor<3x3xf32>)
      dimensions = [0]
  %q = tensor.empty() : tensor<3xf32>
  %g = linalg.fill ins(%zero : f32) outs(%q : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.reduce ins(%z : tensor<3x3xf32>) outs(%g : tensor<3xf32>)
      dimensions = [1] (%a: f32, %b: f32) {
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  }
  return""").replace("return %y : tensor<?x3xf32>", "return %r : tensor<3xf32>")
    two = two.replace("(tensor<?x3xf32> {graph.name = \"y\"})",
                      "(tensor<3xf32> {graph.name = \"y\"})")
    (tool.folder / "two-steps.mlir").write_text(two)
    run = "run two-steps.mlir --device emulator --input x=x23.npy --stats s.json"
    tool(run)
    stats = tool.json("s.json")
    assert len(stats["kernels"]) > 1, stats
    for counter in ("warps", "sectors", "global_requests"):
        assert stats["totals"][counter] == sum(
            kernel["totals"][counter] for kernel in stats["kernels"])
    name = stats["kernels"][1]["kernel"]
    tool(f"{run} --kernel {name}")
    assert [k["kernel"] for k in tool.json("s.json")["kernels"]] == [name]


def check_findings(tool):
    """Reading far outside: exit code 4, at the line of the source."""
    np.save(tool.folder / "at.npy", np.array([1 << 20], np.int64))
    for device in ("emulator", "interpreter"):
        done = tool(f"run pick.mlir --device {device} --input x=x10.npy "
                    "--input at=at.npy", code=4)
        assert done.stderr.startswith("pick.mlir:9:"), done.stderr
        assert done.stderr.count("error: ") == 1
    finding, = json.loads(
        tool("run pick.mlir --device emulator --json --input x=x10.npy "
             "--input at=at.npy", code=4).stdout)["findings"]
    assert finding["code"] == "out-of-bounds" and finding["kernel"] == "pick"
    assert finding["source_line"] == 9 and finding["line"] > 0
    # Without --lineinfo a package has the lines of its PTX.
    tool("compile pick.mlir --target sm_80 -o pick.twp")
    done = tool("run pick.twp --device emulator --input x=x10.npy "
                "--input at=at.npy", code=4)
    assert "kernel 'pick'" in done.stderr and "lane 0" in done.stderr
    tool("compile pick.mlir --target sm_80 --lineinfo -o pick.twp")
    done = tool("run pick.twp --device emulator --input x=x10.npy "
                "--input at=at.npy", code=4)
    assert done.stderr.startswith("pick.mlir:9:"), done.stderr


def check_no_kernels(tool):
    """A model that only hands its input on."""
    (tool.folder / "same.mlir").write_text(
        samples.GRAPH.replace("return %y", "return %x"))
    for device in ("cpu", "emulator --summary"):
        tool(f"run same.mlir --device {device} --input x=x23.npy "
             "--output-dir out")
        assert np.array_equal(tool.load("out", "y.npy"), tool.load("x23.npy"))
    tool("compile same.mlir --emit tile --kernel k", code=1)


def check_texts(tool):
    for stage, words in (("tile", "tile.kernel @double"),
                         ("scheduled", "tilegpu"), ("ptx", ".entry double")):
        line = f"compile double.mlir --target sm_80 --emit {stage}"
        printed = tool(line).stdout
        tool(f"{line} -o text")
        assert (tool.folder / "text").read_text() == printed
        assert words in printed, printed
    # PTX is no text of the cpu's.
    ptx = tool("compile double.mlir --target cpu,sm_80 --emit ptx").stdout
    assert ptx.count(".target") == 1 and "%rax" not in ptx
    assert "double" not in tool(
        "compile two.mlir --kernel scale --emit tile").stdout.split("grid")[0]
    tool("compile two.mlir --kernel double -o two.twp")
    tool("run two.twp --input x=x24.npy --output-dir out")
    tool("run two.mlir --kernel double --input x=x24.npy --output-dir out")
    assert np.array_equal(tool.load("out", "y.npy"), 2 * tool.load("x24.npy"))
    one = tool("compile two-steps.mlir --emit tile").stdout
    name = one.split("tile.kernel @")[2].split("(")[0]
    only = tool(f"compile two-steps.mlir --emit tile --kernel {name}").stdout
    assert only.count("tile.kernel") == 1 and f"@{name}(" in only


def main():
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(os.path.abspath(sys.argv[1]), pathlib.Path(folder))
        samples.write(tool.folder)
        for check in (check_targets, check_several_devices, check_in_place,
                      check_scalars, check_names_are_not_needed, check_counters,
                      check_sums, check_findings,
                      check_no_kernels, check_texts):
            check(tool)
            print(check.__name__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
