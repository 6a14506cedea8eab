"""ocr.py TOOL PYPI det|rec|cls: one package of a PP-OCR model at three image
sizes, against ONNX Runtime. Exits with 77 (skipped) without the wheels."""

import pathlib
import sys
import tempfile

import numpy as np

import tool

SHAPES = {
    "det": [(1, 3, 96, 96), (1, 3, 160, 224), (2, 3, 128, 64)],
    "rec": [(1, 3, 48, 320), (1, 3, 48, 96), (3, 3, 48, 171)],
    "cls": [(1, 3, 48, 192), (2, 3, 48, 192), (5, 3, 48, 192)],
}

binary, pypi, part = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
models = list((pypi / "rapidocr-onnxruntime").rglob(f"*_{part}_infer.onnx"))
sys.path.insert(0, str(pypi / "onnxruntime"))
try:
    import onnxruntime
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not models:
    print(f"skipped: no {part} model in {pypi}")
    sys.exit(77)

session = onnxruntime.InferenceSession(str(models[0]))
generator = np.random.default_rng(0)
with tempfile.TemporaryDirectory() as folder:
    package = pathlib.Path(folder) / "model.twp"
    tool.compile_package(binary, models[0], package)
    for shape in SHAPES[part]:
        x = generator.uniform(-1, 1, shape).astype(np.float32)
        expected = session.run(None, {"x": x})
        outputs = tool.run(binary, package, {"x": x})
        for (entry, found), reference in zip(outputs, expected, strict=True):
            tool.check_close(f"{shape} {entry['name']}", found, reference)
