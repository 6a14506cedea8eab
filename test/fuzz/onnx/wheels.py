"""Makes the wheels that `scripts/test` unpacks importable. Import it, and call
`use`, before any other module here."""

import pathlib
import sys

PACKAGES = ("onnx", "onnxruntime", "ml_dtypes", "protobuf", "typing_extensions")


def use(pypi):
    """Puts the wheels in front of sys.path; returns what is missing, or None.
    Without a folder, the packages of this Python are taken."""
    if pypi:
        sys.path[:0] = [str(pathlib.Path(pypi) / name) for name in PACKAGES]
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except (ImportError, AttributeError) as error:
        return str(error)
    return None
