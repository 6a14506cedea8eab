"""Runs the command line and compares what it writes."""

import json
import pathlib
import sys
import tempfile

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "forked"))
import forked  # noqa: E402


class Failure(Exception):
    """The command line failed: `code` and `text` say how."""

    def __init__(self, code, text):
        super().__init__(f"exit code {code}: {text}")
        self.code, self.text = code, text


def run(tool, model, inputs, options=(), timeout=600):
    """Runs `model` on {name: array or path}; returns a list of
    (output entry of the JSON, array)."""
    with tempfile.TemporaryDirectory() as folder:
        command = [tool, "run", str(model), "--json", "--output-dir", folder]
        for number, (name, value) in enumerate(inputs.items()):
            if isinstance(value, np.ndarray):
                path = pathlib.Path(folder) / f"input{number}.npy"
                np.save(path, value)
                value = path
            command += ["--input", f"{name}={value}"]
        result = forked.run(command + list(options), capture_output=True,
                            text=True, timeout=timeout, check=False)
        if result.returncode:
            raise Failure(result.returncode, result.stderr.strip())
        report = json.loads(result.stdout)
        return [(entry, np.load(entry["file"])) for entry in report["outputs"]]


def call(command, timeout=600):
    """Runs a command, which must succeed."""
    result = forked.run([str(word) for word in command], capture_output=True,
                        text=True, timeout=timeout, check=False)
    if result.returncode:
        raise Failure(result.returncode, result.stderr.strip())


def compile_package(tool, model, package):
    call([tool, "compile", model, "-o", package])


def check_close(label, found, expected):
    """error <= 1e-4 + 1e-3 * |expected|, same shape and dtype."""
    assert found.shape == expected.shape, \
        f"{label}: shape {found.shape}, expected {expected.shape}"
    assert found.dtype == expected.dtype, \
        f"{label}: dtype {found.dtype}, expected {expected.dtype}"
    error = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    bad = ~(error <= 1e-4 + 1e-3 * np.abs(expected))
    assert not bad.any(), \
        f"{label}: {bad.sum()} of {bad.size} elements differ, worst {error.max()}"
    print(f"{label}: {found.shape} worst error {error.max():.2e}")
