"""spatial_products.py BENCH PYPI [TOOL]: what bench/spatial.py counts, on models whose
counts are known. With TOOL, its smallest row is run, after one that has no model: that
is an error of this row, and of no other. Exits with 77 without ONNX Runtime."""

import pathlib
import re
import subprocess
import sys

BENCH = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(BENCH))
import spatial  # noqa: E402
import spatial_models  # noqa: E402
from cpu_models import onnx_modules  # noqa: E402

try:
    ONNX, _ = onnx_modules(pathlib.Path(sys.argv[2]))
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def count(make):
    return spatial_models.count_products(ONNX, make(ONNX)[0])


def check_counts():
    assert count(spatial_models.swiglu(3, 5, 7)) == 3 * 3 * 5 * 7
    # Four products by weights, scores and mixing.
    assert count(spatial_models.attention(6, 8, 2)) == 4 * 6 * 8 * 8 + 2 * 36 * 8
    # The published figure is 4.09 G.
    assert count(spatial_models.resnet50()) == 4089184256
    graph = spatial_models.Graph(ONNX)
    x = graph.input(1, 4, 9, 9)
    grouped = graph.node("Conv", x, graph.random(6, 2, 3, 3, scale=1), group=2,
                         strides=[2, 2], pads=[1] * 4)
    flat = graph.node("Reshape", grouped, graph.constant([25, 6]))
    turned = graph.node("Gemm", flat, graph.random(7, 25, scale=1), transA=1,
                        transB=1)
    assert spatial_models.count_products(ONNX, graph.model(turned)[0]) == (
        25 * 6 * 2 * 9 + 6 * 7 * 25)


def check_use():
    machine = {"units": [{"kind": "mxm", "count": 2}, {"kind": "mem"},
                         {"kind": "mxm"}],
               "mxm": {"planes": {"v": 2, "grade": "assumed"}, "rows": 8,
                       "columns": 4, "types": {"f16": 3}}}
    assert spatial.mxm_use(machine, "f16", 6 * 8 * 4 * 10, 60) == 0.5


def check_rows(tool):
    done = subprocess.run(
        [sys.executable, BENCH / "spatial.py", tool, sys.argv[2], "--rows",
         "bert,ffn"], capture_output=True, text=True)
    # Without --models there is no BERT.
    assert done.returncode == 1, done
    assert "| BERT, 4 layers | | | needs --models | error |" in done.stdout
    found = re.search(r"\| ffn \| 339.7 \| ([0-9,]+) \| ([0-9,]+) \|",
                      done.stdout)
    assert found, done
    cycles, bound = (int(text.replace(",", "")) for text in found.groups())
    assert 2926 <= bound <= cycles, done.stdout


if __name__ == "__main__":
    check_counts()
    check_use()
    if len(sys.argv) > 3:
        check_rows(sys.argv[3])
