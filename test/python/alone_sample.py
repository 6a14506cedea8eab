"""alone_sample.py ROOT LIBRARY...: compiles an ONNX model and a program of
PyTorch for a CPU and for a GPU, runs both on the cpu and the emulator, and
compares numbers, where none of the libraries can be loaded."""
import io
import pathlib
import sys
import tempfile
import zipfile

import numpy as np

import tilewright as tw
from hidden import expect_hidden


def arrays(archive, kind):
    """Those of the kind `in` or `out` that an archive has with it, by name."""
    found = {}
    with zipfile.ZipFile(archive) as entries:
        for name in entries.namelist():
            parts = pathlib.Path(name).name.split(".", 1)
            if parts[0] == kind and name.endswith(".npy"):
                found[parts[1][:-len(".npy")]] = np.load(
                    io.BytesIO(entries.read(name)))
    return found


def check(source, inputs, expected):
    with tempfile.TemporaryDirectory() as folder:
        package = f"{folder}/m.twp"
        tw.compile_model(source, package, targets=["cpu", "sm_90a"])
        for name in ("cpu", "emulator"):
            outputs = tw.open(name).load_model(package).run(inputs)
            assert outputs.keys() == expected.keys(), outputs.keys()
            for key, value in expected.items():
                np.testing.assert_allclose(outputs[key], value, rtol=1e-5,
                                           atol=1e-6)
            print(source.name, "on", name, "as expected")


def main():
    root = pathlib.Path(sys.argv[1])
    expect_hidden(sys.argv[2:])
    example = root / "examples/1-run-a-model"
    x = np.load(example / "x.npy")
    # The sum of relu([2a, 2b, a - b]) for each row [a, b].
    hidden = np.stack([2 * x[:, 0], 2 * x[:, 1], x[:, 0] - x[:, 1]])
    check(example / "mlp.onnx", {"x": x}, {"y": np.maximum(hidden, 0).sum(0)})
    archive = root / "test/frontends/torch/archives/cnn.aten.pt2"
    check(archive, arrays(archive, "in"), arrays(archive, "out"))


if __name__ == "__main__":
    main()
