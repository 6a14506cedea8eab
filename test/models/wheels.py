"""wheels.py TOOL PYPI PACKAGE: the trained models in the wheel of a package,
through the command line, against ONNX Runtime on random inputs of several
sizes. Exits with 77 without the wheel."""

import collections
import pathlib
import sys

import numpy as np

import tool

# Sizes of dynamic dimensions by name, "*" for all others, "greatest" for the
# greatest element of integer inputs; "values" has inputs.
VAD = [{"*": batch, "sequence": samples, "values": {"sr": rate}}
       for batch, samples, rate in ((1, 576, 16000), (2, 576, 16000),
                                    (3, 288, 8000))]
FRAMES = [{"*": 1, "frames": frames} for frames in (20, 40, 63)]
SIZES = {
    "silero_vad.onnx": VAD,
    "silero_vad_op18_ifless.onnx": VAD,
    "silero_vad_half.onnx": VAD[:2],
    "silero_vad_16k_op15.onnx": VAD[:2],
    "openwakeword/resources/models/silero_vad.onnx":
        [{"*": batch, "sequence": samples, "values": {"sr": 16000}}
         for batch, samples in ((1, 1536), (2, 512), (1, 1024))],
    "melspectrogram.onnx": [{"*": batch, "samples": samples}
                            for batch, samples in ((1, 1280), (2, 1280),
                                                   (1, 4000))],
    "320n.onnx": [{"*": batch, "height": size, "width": size}
                  for batch, size in ((1, 320), (2, 256), (1, 352))],
    "rxnmap.onnx": [{"*": length, "greatest": 2} for length in (3, 8, 20)],
    "common.onnx": [{"*": width} for width in (64, 128, 200)],
    "PP-OCRv6_det_small.onnx": [
        {"*": batch, "DynamicDimension.1": height, "DynamicDimension.2": width}
        for batch, height, width in ((1, 96, 96), (1, 160, 224), (2, 128, 64))],
    "PP-OCRv6_rec_small.onnx": [{"*": batch, "DynamicDimension.1": width}
                                for batch, width in ((1, 320), (1, 96),
                                                     (3, 171))],
    "ch_ppocr_mobile_v2.0_cls_mobile.onnx": [{"*": batch, "?": size}
                                             for batch, size in ((1, 48),
                                                                 (2, 96),
                                                                 (3, 160))],
    "plcmos_v2.onnx": FRAMES,
    "Run_1663829550_Stage_0.onnx": FRAMES,
    "Run_1663915512_Stage_0.onnx": FRAMES,
    "Run_1668423760_Stage_0.onnx": FRAMES,
}
BATCHES = [{"*": batch} for batch in (1, 2, 3)]
# Models that must be rejected, and what of the message says why.
REJECTED = {"common_old.onnx": "com.microsoft.DynamicQuantizeLSTM"}


def sizes_of(path):
    for name, sizes in reversed(SIZES.items()):
        if str(path).endswith(f"/{name}"):
            return sizes
    return BATCHES


def make_input(generator, given, sizes):
    """An array for an input of a session; unnamed dimensions of a signal are
    its samples."""
    if given.name in sizes.get("values", {}):
        return np.array(sizes["values"][given.name], np.int64)
    shape = []
    for position, size in enumerate(given.shape):
        name = size
        if size is None and given.name == "input" and position == 1:
            name = "sequence"
        shape.append(size if isinstance(size, int)
                     else sizes.get(name, sizes["*"]))
    if "float" in given.type:
        return (generator.standard_normal(shape) * .3).astype(np.float32)
    dtype = np.int64 if "int64" in given.type else np.int32
    greatest = sizes.get("greatest", 5)
    return generator.integers(1, greatest, shape, dtype, endpoint=True)


def check(binary, path, session, sizes):
    generator = np.random.default_rng(1)
    feed = {given.name: make_input(generator, given, sizes)
            for given in session.get_inputs()}
    expected = session.run(None, feed)
    outputs = tool.run(binary, path, feed)
    shapes = ", ".join(str(array.shape) for array in feed.values())
    for (entry, found), reference in zip(outputs, expected):
        tool.check_close(f"{path.name} on {shapes}: {entry['name']}", found,
                         np.asarray(reference))


def main():
    binary, pypi, package = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    models = sorted((pypi / package).rglob("*.onnx"))
    sys.path.insert(0, str(pypi / "onnxruntime"))
    try:
        import onnxruntime
    except ImportError:
        models = []
    if not models:
        print(f"skipped: {pypi / package} or ONNX Runtime is absent")
        return 77
    counts = collections.Counter()
    for path in models:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"])
        if path.name in REJECTED:
            try:
                check(binary, path, session, sizes_of(path)[0])
            except tool.Failure as failure:
                assert failure.code == 1 and \
                    REJECTED[path.name] in failure.text, failure
                print(f"{path.name}: rejected, {REJECTED[path.name]}")
                continue
            raise AssertionError(f"{path.name} runs: take it out of REJECTED")
        fixed = all(isinstance(size, int) for given in session.get_inputs()
                    for size in given.shape)
        for sizes in sizes_of(path)[:1 if fixed else None]:
            check(binary, path, session, sizes)
            counts["runs"] += 1
        counts["models"] += 1
    print(f"{counts['models']} models, {counts['runs']} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
