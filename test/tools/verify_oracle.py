"""verify_oracle.py TOOL PYPI: `tilewright verify MODEL.onnx --oracle onnxruntime`.
A module onnxruntime of our own, in which NumPy computes relu.onnx, right or
wrong, shows what is reported; the wheel, if PYPI has it, that it is asked as
this module is."""

import json
import os
import pathlib
import sys
import tempfile

import numpy as np

import run_anywhere
import samples
from bad_input import interface, model, node  # noqa: E402

DIFFERENT = 4
ORACLE = "--oracle onnxruntime=$PYTHON"

SIDE = 700
# Twelve times the same: more than the reference does in a second.
LARGE = model([node("Relu", [f"t{n}" if n else "x"],
                    [f"t{n + 1}" if n < 11 else "y"], f"n{n}")
               for n in range(12)],
              [interface("x", [SIDE, SIDE])], [interface("y", [SIDE, SIDE])])
# For ONNX Runtime itself: y = softmax(tanh(x w)), i = its greatest elements.
LAYER = model([node("MatMul", ["x", "w"], ["a"], "p"),
               node("Tanh", ["a"], ["b"], "t"),
               node("Softmax", ["b"], ["y"], "s"),
               node("ArgMax", ["y"], ["i"], "m")],
              [interface("x", ["N", 6]), interface("w", [6, 5])],
              [interface("y", ["N", 5]), interface("i", [1, 5], 7)])

# What the script uses of ONNX Runtime, for y = relu(x). KIND is in the
# environment.
FAKE = """\
import os
import signal

import numpy as np

__version__ = "0.0"
kind = os.environ["KIND"]
if kind == "absent":
    raise ModuleNotFoundError("No module named 'onnxruntime'",
                              name="onnxruntime")
print("what a library prints is no answer")


def set_default_logger_severity(level):
    pass


class SessionOptions:
    pass


class GraphOptimizationLevel:
    ORT_DISABLE_ALL = 0


class Value:
    def __init__(self, name, type):
        self.name, self.type = name, type


class InferenceSession:
    def __init__(self, path, options, providers):
        assert options.graph_optimization_level == 0
        if kind == "rejects":
            raise RuntimeError("no such operator: Relu")

    def get_inputs(self):
        return [Value("x", "tensor(bfloat16)" if kind == "type"
                      else "tensor(float)")]

    def get_outputs(self):
        return [Value("z" if kind == "name" else "y", "tensor(float)")]

    def run(self, names, feeds):
        assert names == ["y"] and list(feeds) == ["x"], (names, feeds)
        x = feeds["x"]
        if kind == "dies" and not os.path.exists("died"):
            open("died", "w").close()
            os.kill(os.getpid(), signal.SIGFPE)
        if kind == "fails":
            raise RuntimeError("not today")
        y = np.maximum(x, 0)
        if kind == "near":
            y = y * np.float32(1 + 2e-6)
        if kind == "wrong":
            y = np.where(x > 5, y * np.float32(1 + 1e-4), y)
        if kind == "far":
            y = np.where(x > 1, y * np.float32(1.01), y)
        if kind == "nan":
            y = np.where(np.isnan(x), np.float32(0), y)
        if kind == "shape":
            y = y[:, :1]
        return [y.astype(np.float64) if kind == "double" else y]
"""


def verify(tool, kind, line="", code=0, model="relu.onnx"):
    os.environ["KIND"] = kind
    return tool(f"verify {model} {ORACLE} --time-limit 1 {line}", code)


def report(tool, kind, line="", code=0, model="relu.onnx"):
    return json.loads(
        verify(tool, kind, f"{line} --json", code, model).stdout)


def check_equivalent(tool):
    """The report says by whom the import was judged, and no longer that nobody
    did."""
    for kind in ("right", "near", "nan"):
        found = report(tool, kind)
        assert list(found) == ["verdict", "import", "targets"], found
        judged = found["import"]
        assert judged.pop("cases") > 20, found
        assert judged == {"oracle": "onnxruntime 0.0", "verdict": "equivalent",
                          "relation": "bounded", "evidence": "tested"}, judged
        assert found["targets"][0]["unchecked"] == ["ptxas", "hardware"], found
        assert found["targets"][0]["passes"], found
    lines = verify(tool, "right").stdout.splitlines()
    assert lines[0].startswith("import: equivalent, bounded, "), lines
    assert lines[0].endswith(" runs of onnxruntime 0.0"), lines
    # A process that ends says nothing of these inputs, and others go on.
    found = report(tool, "dies")["import"]
    assert found["cases"] >= 1, found
    assert (tool.folder / "died").exists()


def check_different(tool):
    found = report(tool, "wrong", "--output-dir found", DIFFERENT)
    assert found["verdict"] == "different" and not found["targets"], found
    assert found["import"]["verdict"] == "different", found
    assert found["guilty"] == {"pass": "import", "relation": "bounded"}, found
    example = found["counterexample"]
    x, before, after = (tool.load("found", *path) for path in (
        ("in", "x.npy"), ("before", "y.npy"), ("after", "y.npy")))
    index = tuple(example["index"])
    assert x[index] > 5 and np.count_nonzero(x) == 1, x
    assert after[index] == x[index] != before[index], (before, after)
    assert float(example["before"]) > float(example["after"].split(",")[0])
    text = verify(tool, "wrong", code=DIFFERENT).stdout
    assert "\nguilty: import, which is bounded\n  value: y[" in text, text
    found = report(tool, "shape", code=DIFFERENT)
    assert found["counterexample"]["kind"] == "shape", found


def check_large(tool):
    """What a large model compiles to runs in its place."""
    found = report(tool, "right", model="large.onnx")
    assert found["import"]["verdict"] == "equivalent", found
    assert found["import"]["reason"].startswith("too large"), found
    assert found["targets"][0]["kernels"], found
    # The passes are judged, too: they may be what is wrong.
    found = report(tool, "far", code=DIFFERENT, model="large.onnx")
    assert found["guilty"]["pass"] == "import", found
    assert found["targets"][0]["verdict"] == "equivalent", found


def check_unchecked(tool):
    for kind, reason in (
            ("type", "the input 'x' is f32, for ONNX Runtime "
             "tensor(bfloat16)"),
            ("name", "ONNX Runtime has no output 'y'")):
        found = report(tool, kind)
        assert found["import"] == {
            "oracle": "onnxruntime", "verdict": "unchecked",
            "relation": "bounded", "evidence": "unchecked",
            "reason": reason}, found
        assert found["targets"][0]["unchecked"][0] == "import of the model"
    text = verify(tool, "name").stdout
    assert text.startswith("import: unchecked: ONNX Runtime has no"), text


def check_errors(tool):
    for kind, words in (
            ("absent", ["has no module 'onnxruntime'", "-m pip install"]),
            ("rejects", ["relu.onnx: error: ONNX Runtime does not take the "
                         "model\n  no such operator: Relu"]),
            ("fails", ["onnxruntime 0.0: runs on none of ", "not today"]),
            ("double", ["the output 'y' is f64, expected f32"])):
        error = verify(tool, kind, code=1).stderr
        assert error.count("error:") == 1, error
        assert all(word in error for word in words), (kind, error)
    for line, code, text in (
            ("relu.onnx --oracle onnxruntime=no-python", 1,
             "cannot start no-python"),
            ("relu.onnx --oracle onnxruntime=/bin/false", 1,
             "ended with exit code 1"),
            ("relu.onnx --oracle onnxruntime=/bin/echo", 1, "is not JSON"),
            ("graph.mlir --oracle onnxruntime", 1, "graph.mlir: error: "
             "--oracle onnxruntime judges the import of an ONNX model"),
            ("relu.onnx --oracle torch", 2, "found 'torch'"),
            ("relu.onnx relu.onnx --oracle onnxruntime", 2,
             "--oracle has no effect")):
        error = tool(f"verify {line}", code).stderr
        assert text in error, (line, error)


def check_evidence(tool):
    tool("compile relu.onnx -o relu.twp")
    verify(tool, "right", "--evidence relu.twp")
    shown = tool("inspect relu.twp --evidence").stdout
    assert "\nimport: equivalent, bounded, " in shown, shown
    assert "unchecked: import" not in shown, shown
    kept = json.loads(tool("inspect relu.twp --evidence --json").stdout)
    assert kept["evidence"]["import"]["oracle"] == "onnxruntime 0.0", kept


def check_wheel(tool, pypi):
    """The same by ONNX Runtime itself."""
    folder = pypi / "onnxruntime"
    if not folder.is_dir():
        return "without the wheel"
    os.environ["PYTHONPATH"] = str(folder)
    for name in ("relu.onnx", "layer.onnx"):
        found = report(tool, "", model=name)["import"]
        assert found["verdict"] == "equivalent", found
        assert found["cases"] >= 5, found
    return found["oracle"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        tool = run_anywhere.Tool(str(pathlib.Path(sys.argv[1]).resolve()),
                                 pathlib.Path(folder))
        samples.write(tool.folder)
        (tool.folder / "large.onnx").write_bytes(LARGE)
        (tool.folder / "layer.onnx").write_bytes(LAYER)
        (tool.folder / "fake").mkdir()
        (tool.folder / "fake/onnxruntime.py").write_text(FAKE)
        os.environ["PYTHON"] = sys.executable
        os.environ["PYTHONPATH"] = str(tool.folder / "fake")
        for check in (check_equivalent, check_different, check_large,
                      check_unchecked, check_errors, check_evidence):
            check(tool)
        oracle = check_wheel(tool, pathlib.Path(sys.argv[2]))
    print(f"verify --oracle: reports, differences, errors, evidence; {oracle}")


if __name__ == "__main__":
    main()
