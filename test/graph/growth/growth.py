"""growth.py TOOL PYPI: what the kernels of graphs with shared values execute on
the emulator, at N and at 2N steps: at most 2.2 times as much. Results agree
with ONNX Runtime's. Exits with 77 (skipped) without the wheels."""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test/fuzz/onnx"))
import shared_values  # noqa: E402
import wheels  # noqa: E402

STEPS, MOST = 8, 2.2


def instructions(tool, model, x, folder):
    """What the emulator executes; the result is that of ONNX Runtime."""
    import oracle
    package, stats = folder / "m.twp", folder / "stats.json"
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    np.save(folder / "x.npy", x)
    subprocess.run([tool, "compile", folder / "m.onnx", "--target", "sm_80",
                    "-o", package], check=True, stdout=subprocess.DEVNULL,
                   timeout=120)
    done = subprocess.run(
        [tool, "run", package, "--device", "emulator", "--json", "--input",
         f"x={folder / 'x.npy'}", "--output-dir", folder / "out", "--stats",
         stats], check=True, stdout=subprocess.PIPE, text=True)
    found = np.load(json.loads(done.stdout)["outputs"][0]["file"])
    expected, = oracle.run_model(model, {"x": x})
    np.testing.assert_allclose(found, expected, rtol=1e-3,
                               atol=1e-4 * np.abs(expected).max())
    return json.loads(stats.read_text())["totals"]["warps"]


def main():
    tool, pypi = sys.argv[1:]
    if missing := wheels.use(pypi):
        print(f"skipped: {missing}")
        return 77
    random, failed = np.random.default_rng(1), False
    for name, build in shared_values.BUILDERS.items():
        shape = [shared_values.SIZE] * 2
        x = (random.integers(0, shared_values.SIZE, shape) if
             name == "own_index" else
             random.uniform(-.5, .5, shape).astype(np.float32))
        with tempfile.TemporaryDirectory() as folder:
            once, twice = (instructions(tool, build(STEPS * n), x,
                                        pathlib.Path(folder)) for n in (1, 2))
        failed |= twice > MOST * once
        print(f"{name}: {once} warp instructions, with twice the steps "
              f"{twice / once:.2f} times as many, expected {MOST} at most")
    return int(failed)


sys.exit(main())
