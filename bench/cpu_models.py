"""Times whole models on the CPU device beside ONNX Runtime, in one run.

    bench/cpu_models.py TOOL PYPI [--models DIR] [--threads N] [--out DIR]

TOOL is build/bin/tilewright, PYPI the folder .cache/pypi that scripts/test
fills. Each model is run in turn by both, several times, alternating, and the
least time of each counts; the ratio is ours / theirs. Writes a JSON file with
date, machine and versions, and prints the table.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np

# This measures the compiler, not its cache.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "test/models"))
import protobuf  # noqa: E402  pylint: disable=wrong-import-position


def peer_parser(description):
    """The arguments of a benchmark beside ONNX Runtime."""
    parser = argparse.ArgumentParser(
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("pypi", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    return parser


def onnx_modules(pypi):
    """onnx and onnxruntime, from the wheels there."""
    for package in ("onnx", "ml_dtypes", "protobuf", "typing_extensions",
                    "onnxruntime"):
        sys.path.insert(0, str(pypi / package))
    import onnx  # pylint: disable=import-outside-toplevel
    import onnxruntime  # pylint: disable=import-outside-toplevel
    return onnx, onnxruntime


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def light_inputs(model):
    entry = protobuf.model_inputs(model.read_bytes())[0]
    count = int(np.prod(entry.shape))
    values = (np.arange(count) / count).astype(np.float32)
    return {entry.name: values.reshape(entry.shape)}


def find_models(arguments):
    """(name, path, inputs)"""
    light = arguments.pypi / "onnx/onnx/backend/test/data/light"
    for path in sorted(light.glob("light_*.onnx")):
        yield path.stem, path, light_inputs(path)
    generator = np.random.default_rng(0)
    ocr = arguments.pypi / "rapidocr-onnxruntime"
    for part, shape in (("det", (1, 3, 320, 320)), ("rec", (1, 3, 48, 320)),
                        ("cls", (1, 3, 48, 192))):
        for path in ocr.rglob(f"*_{part}_infer.onnx"):
            yield (f"ppocr_{part}", path,
                   {"x": generator.uniform(-1, 1, shape).astype(np.float32)})
    for path in sorted(arguments.models.glob("*/model.onnx")
                       if arguments.models else []):
        inputs = {file.name[3:-4]: np.load(file)
                  for file in path.parent.glob("in.*.npy")}
        yield path.parent.name, path, inputs


def time_ours(arguments, package, inputs, folder, repeat):
    command = [arguments.tool, "run", package, "--json", "--threads",
               arguments.threads, "--repeat", repeat]
    for number, (name, array) in enumerate(inputs.items()):
        path = folder / f"{number}.npy"
        np.save(path, array)
        command += ["--input", f"{name}={path}"]
    result = subprocess.run([str(part) for part in command], check=True,
                            capture_output=True, text=True)
    report = json.loads(result.stdout)
    return report["run_ms"]["min"], report["peak_bytes"]


def measure(arguments, onnxruntime, name, path, inputs):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options)
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        package = folder / "model.twp"
        start = time.perf_counter()
        subprocess.run([arguments.tool, "compile", path, "-o", package],
                       check=True, stdout=subprocess.DEVNULL)
        compile_seconds = time.perf_counter() - start
        ours, theirs, peak = [], [], 0
        for _ in range(3):
            for _ in range(4):
                start = time.perf_counter()
                session.run(None, inputs)
                theirs.append((time.perf_counter() - start) * 1e3)
            least, peak = time_ours(arguments, package, inputs, folder, 5)
            ours.append(least)
    row = {"model": name, "compile_s": round(compile_seconds, 2),
           "ours_ms": round(min(ours), 3), "onnxruntime_ms":
           round(min(theirs), 3), "ratio": round(min(ours) / min(theirs), 2),
           "peak_mb": round(peak / 1e6, 1)}
    print("{model:24} {compile_s:7} s {ours_ms:10} ms {onnxruntime_ms:10} ms"
          "   x{ratio:<6} {peak_mb:8} MB".format(**row), flush=True)
    return row


def main():
    parser = peer_parser(__doc__)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent / "results")
    arguments = parser.parse_args()
    _, onnxruntime = onnx_modules(arguments.pypi)
    print(f"{'model':24} {'compile':>9} {'ours':>13} {'ONNX Runtime':>13}")
    rows = [measure(arguments, onnxruntime, *model)
            for model in find_models(arguments)]
    today = datetime.date.today().isoformat()
    version = subprocess.run([arguments.tool, "--version"], check=True,
                             capture_output=True, text=True).stdout.strip()
    result = {"date": today, "cpu": cpu_name(), "threads": arguments.threads,
              "ours": version, "onnxruntime": onnxruntime.__version__,
              "rows": rows}
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"cpu-models-{today}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
