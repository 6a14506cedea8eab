"""Compiles the trained models of strangers with the sizes that they leave open,
once, runs each on several sizes beside ONNX Runtime, and compares results and
times, in one run.

    bench/wheels.py TOOL PYPI FOLDER... [--threads N] [--sizes N]

TOOL is build/bin/tilewright, PYPI the folder .cache/pypi that scripts/test
fills, a FOLDER what a wheel with models was unpacked to. Of sizes those are taken
that ONNX Runtime runs. Of an ensemble, X_1.onnx, X_2.onnx, .., the first is run. The least time of each counts. Prints a table for
bench/results: the greatest difference of an output, over its greatest element,
and our time over ONNX Runtime's, for each size.
"""

import pathlib
import re
import subprocess
import tempfile
import time

import numpy as np

from cpu_models import onnx_modules, peer_parser, time_ours

# Inputs of one number.
NUMBERS = {"sr": 16000, "fmin": 46.875, "fmax": 2093.75}
SIZES = [16, 64, 100, 160, 1, 3, 8, 32, 48, 96, 128, 224, 256, 320, 512, 576,
         640, 1024, 1280, 4000, 16000]
LONGEST_S = 5
MOST_ELEMENTS = 1 << 20


def is_batch(given, position):
    if given.name == "state":
        return True
    name = str(given.shape[position] or "").lower()
    return "batch" in name or (
        position == 0 and len(given.shape) > 1 and
        (name in ("", "n", "b") or len(given.shape) == 4))


def value_of(generator, given, size, batch, width=None):
    """`width`: of rows whose length is open; none: `size`."""
    shape = [d if isinstance(d, int) and d > 0 else
             batch if is_batch(given, position) else size
             for position, d in enumerate(given.shape)]
    if width and len(shape) > 1 and not isinstance(given.shape[-1], int):
        shape[-2:] = [size, width]
    if not shape and given.name in NUMBERS:
        kind = np.int64 if "int" in given.type else np.float32
        return np.array(NUMBERS[given.name], kind)
    if "len" in given.name.lower() and "int" in given.type:
        return np.full(shape, size, np.int32 if "int32" in given.type
                       else np.int64)
    if "mask" in given.name.lower():
        return np.ones(shape, bool if "bool" in given.type else
                       np.float32 if "float" in given.type else np.int64)
    if "float16" in given.type:
        return (generator.standard_normal(shape) * .3).astype(np.float16)
    if "double" in given.type:
        return generator.standard_normal(shape) * .3
    if "float" in given.type:
        return (generator.standard_normal(shape) * .3).astype(np.float32)
    if "bool" in given.type:
        return generator.random(shape) < .5
    kind = given.type[len("tensor("):-1]
    return generator.integers(0, 3, shape).astype(kind)


def inputs_of(session, wanted, width=None):
    """Inputs that ONNX Runtime runs in a reasonable time, of several sizes."""
    found = []
    isOpen = any(not isinstance(d, int) for given in session.get_inputs()
                 for d in given.shape)
    for number, size in enumerate(SIZES if isOpen else SIZES[:1]):
        batch = 1 if number % 2 == 0 else 2
        generator = np.random.default_rng(size)
        feed = {given.name: value_of(generator, given, size, batch, width)
                for given in session.get_inputs()}
        if max(array.size for array in feed.values()) > MOST_ELEMENTS:
            continue
        try:
            start = time.perf_counter()
            results = session.run(None, feed)
        except Exception:  # pylint: disable=broad-except
            continue  # Not a size of the model.
        if time.perf_counter() - start < LONGEST_S:
            name = f"{size} x {width}" if width else f"{batch} x {size}"
            found.append((name if isOpen else "fixed", feed, results))
        if len(found) == wanted:
            break
    return found


def any_inputs_of(onnx, path, session, wanted):
    """As inputs_of; where few sizes run, with rows as long as some weights."""
    best = inputs_of(session, wanted)
    widths = {d for weight in onnx.load(path).graph.initializer
              for d in weight.dims if 1 < d <= 4096}
    for width in sorted(widths) if not best else []:
        found = inputs_of(session, wanted, width)
        if len(found) > len(best):
            best = found
    return best


def difference(results, expected):
    """The greatest, over the greatest element of the output."""
    most = 0.
    for found, wanted in zip(results, expected):
        wanted = np.asarray(wanted)
        if found.shape != wanted.shape:
            return f"shape {found.shape}, expected {wanted.shape}"
        if wanted.size and wanted.dtype.kind in "fiub":
            wanted, found = wanted.astype(np.float64), found.astype(np.float64)
            scale = max(np.nanmax(np.abs(wanted)), 1e-6)
            same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
            wrong = np.abs(np.where(same, 0, found) - np.where(same, 0, wanted))
            most = max(most, float(np.max(wrong)) / scale)
    return f"{most:.0e}"


def outputs_of(tool, package, feed, folder, threads):
    command = [tool, "run", package, "--threads", str(threads), "--output-dir",
               folder / "out"]
    for number, (name, array) in enumerate(feed.items()):
        path = folder / f"in{number}.npy"
        np.save(path, array)
        command += ["--input", f"{name}={path}"]
    done = subprocess.run([str(part) for part in command], check=False,
                          capture_output=True, text=True)
    return done.stderr.strip() if done.returncode else None


def measure(arguments, session, package, feed, folder):
    ours, theirs = [], []
    for _ in range(3):
        ours.append(time_ours(arguments, package, feed, folder, 5)[0])
        for _ in range(5):
            start = time.perf_counter()
            session.run(None, feed)
            theirs.append((time.perf_counter() - start) * 1e3)
    return min(ours) / min(theirs)


def try_model(arguments, onnx, onnxruntime, path, folder):
    """What the table says of it, and the ratios."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options)
    except Exception as error:  # pylint: disable=broad-except
        return f"| ONNX Runtime: {str(error)[:80]} | |", []
    start = time.perf_counter()
    package = folder / "m.twp"
    done = subprocess.run([arguments.tool, "compile", path, "-o", package],
                          check=False, capture_output=True, text=True)
    seconds = f"{time.perf_counter() - start:.1f} s"
    if done.returncode:
        return f"| {done.stderr.strip()[:300]} | |", []
    cells, ratios = [], []
    for size, feed, expected in any_inputs_of(onnx, path, session,
                                              arguments.sizes):
        if error := outputs_of(arguments.tool, package, feed, folder,
                               arguments.threads):
            cells.append(f"{size}: {error[:200]}")
            continue
        found = [np.load(folder / "out" / (output.name.replace("/", "_") +
                                           ".npy"))
                 for output in session.get_outputs()]
        ratios.append(measure(arguments, session, package, feed, folder))
        cells.append(f"{size}: {difference(found, expected)}, "
                     f"{ratios[-1]:.2f}")
    return f"| {seconds} | {'; '.join(cells)} |", ratios


def main():
    parser = peer_parser(__doc__)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--sizes", type=int, default=3)
    arguments = parser.parse_args()
    onnx, onnxruntime = onnx_modules(arguments.pypi)
    print("| model | compiles | size: difference, ratio |\n|---|---:|---|")
    everything, seen = [], set()
    for wheel in arguments.folders:
        for path in sorted(wheel.rglob("*.onnx")):
            # Members of an ensemble differ in their weights alone.
            kind = (path.parent, re.sub(r"_\d+$", "", path.stem))
            if kind in seen:
                continue
            seen.add(kind)
            with tempfile.TemporaryDirectory() as text:
                row, ratios = try_model(arguments, onnx, onnxruntime, path,
                                        pathlib.Path(text))
            print(f"| {wheel.name} {path.name} {row}", flush=True)
            everything += ratios
    if everything:
        mean = np.exp(np.mean(np.log(everything)))
        print(f"\n{len(everything)} runs, geometric mean of the ratios "
              f"{mean:.2f}, greatest {max(everything):.2f}")


if __name__ == "__main__":
    main()
