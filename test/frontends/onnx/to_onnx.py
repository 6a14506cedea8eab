"""to_onnx.py PYPI IN.onnxtxt OUT.onnx: makes a model of ONNX's text syntax, in
which the text tests of the importer are written. PYPI holds unpacked wheels."""

import pathlib
import sys

folder, text, output = sys.argv[1:]
for name in ("onnx", "ml_dtypes", "protobuf", "typing_extensions"):
    sys.path.insert(0, str(pathlib.Path(folder) / name))
import onnx  # noqa: E402
import onnx.parser  # noqa: E402

model = onnx.parser.parse_model(pathlib.Path(text).read_text())
onnx.checker.check_model(model, full_check=True)
onnx.save(model, output)
