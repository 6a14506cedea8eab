"""node_cases.py TOOL PYPI [--at-least N] [--expanded N] [--one-in N] [--list FILE]
[--device D | --machine M [--precision P]] [NAME...]: onnx's node cases through the
command line, by the suite's own rule (rtol 1e-3, atol 1e-7, same shape and dtype);
with --expanded, one in N of those that write an operator as its function, whose
result another case has. A case passes, or is rejected with one message and exit
code 1; anything else fails the test. Exits with 77 without the wheel.

With --machine, a case is mapped, verified and simulated: its sums have another
order, so that the absolute tolerance is 1e-5, and for factors of 16 bits
(--precision) 2e-2 of the greatest element."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

import numpy as np

import protobuf
import tool


# Recorded outputs that have rounding noise where the exact value is 0: absolute
# tolerances that replace the suite's.
RECORDED_NOISE = {"test_dft_inverse": 2.4e-7, "test_dft_inverse_opset19": 2.4e-7}


def widen(array, dtype):
    """The values of a small float type, which NumPy does not know."""
    bits = array.astype(np.uint32)
    if dtype == "bf16":
        return (bits << 16).view(np.float32)
    if dtype == "f8E5M2":
        return (bits << 8).astype(np.uint16).view(np.float16) \
            .astype(np.float32)
    if dtype == "f8E8M0FNU":
        return np.where(bits == 255, np.nan, np.exp2(bits.astype(float) - 127))
    exponents, mantissas, bias = (4, 3, 7) if dtype == "f8E4M3FN" else (2, 1, 1)
    sign = np.where(bits >> (exponents + mantissas) & 1, -1.0, 1.0)
    exponent = (bits >> mantissas & ((1 << exponents) - 1)).astype(float)
    fraction = (bits & ((1 << mantissas) - 1)) / (1 << mantissas)
    value = np.where(exponent == 0, fraction * 2.0 ** (1 - bias),
                     (1 + fraction) * np.exp2(exponent - bias))
    if dtype == "f8E4M3FN":
        value = np.where((bits & 127) == 127, np.nan, value)
    return sign * value


def run_mapped(binary, model, inputs, arguments):
    """The outputs of a model that is mapped on a machine."""
    with tempfile.TemporaryDirectory() as folder:
        schedule = pathlib.Path(folder) / "x.tws"
        for command in ([binary, "map", model, "--machine", arguments.machine,
                         "--precision", arguments.precision, "-o", schedule,
                         "--effort", "0"],
                        [binary, "verify", schedule]):
            tool.call(command, timeout=120)
        return tool.run(binary, schedule, inputs, timeout=120)


def compare(entry, found, expected, rtol, atol):
    if entry["dtype"] != expected.dtype:
        return f"dtype {entry['dtype']}, expected {expected.dtype}"
    reference = expected.array
    if found.shape != reference.shape:
        return f"shape {found.shape}, expected {reference.shape}"
    if expected.dtype in ("bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN",
                          "f8E8M0FNU"):
        found = widen(found, expected.dtype)
        reference = widen(reference, expected.dtype)
    if not np.allclose(found.astype(np.float64), reference.astype(np.float64),
                       rtol=rtol, atol=atol, equal_nan=True):
        return "values differ"
    return None


def tolerances(folder, arguments, reference):
    """Relative, absolute."""
    if not arguments.machine:
        return 1e-3, RECORDED_NOISE.get(folder.name, 1e-7)
    if arguments.precision == "f32" or not reference.size:
        return 1e-3, 1e-5
    magnitudes = np.abs(reference.astype(np.float64))
    return 0, 2e-2 * max(1e-3, magnitudes[np.isfinite(magnitudes)].max(initial=0))


def run_case(binary, folder, arguments):
    """("pass" | "rejected" | "wrong" | "crash", detail)"""
    data = folder / "test_data_set_0"
    model = folder / "model.onnx"
    inputs = {}
    for number, entry in enumerate(protobuf.model_inputs(model.read_bytes())):
        path = data / f"input_{number}.pb"
        # Of optional values only those that are there are given.
        if path.exists() and not (
                entry.is_optional and
                not protobuf.read_elements(path.read_bytes())):
            inputs[entry.name + ("[]" if entry.is_sequence else "")] = path
    try:
        if arguments.machine:
            outputs = run_mapped(binary, model, inputs, arguments)
        else:
            outputs = tool.run(binary, model, inputs,
                               ["--device", arguments.device], timeout=120)
    except tool.Failure as failure:
        good = failure.code == 1 and \
            re.match(r"([^\n]+: )?error: ", failure.text)
        return ("rejected" if good else "crash"), str(failure)
    except subprocess.TimeoutExpired:
        return "crash", "no end after 120 s"
    values = [value for number, entry in
              enumerate(protobuf.model_outputs(model.read_bytes()))
              for value in protobuf.read_values(
                  entry, (data / f"output_{number}.pb").read_bytes())]
    names = [name for name, _ in values]
    if [entry["name"] for entry, _ in outputs] != names:
        return "wrong", f"the outputs are not {', '.join(names)}"
    for (entry, found), (_, expected) in zip(outputs, values):
        if expected is None:
            return "wrong", "an output of a type that has no dtype here"
        problem = compare(entry, found, expected,
                          *tolerances(folder, arguments, expected.array))
        if problem:
            return "wrong", f"{entry['name']}: {problem}"
    return "pass", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("pypi", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--at-least", type=int, default=0)
    parser.add_argument("--expanded", type=int, default=1)
    parser.add_argument("--list")
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--machine")
    parser.add_argument("--precision", default="f32")
    arguments = parser.parse_args()
    root = arguments.pypi / "onnx/onnx/backend/test/data/node"
    if not root.exists():
        print(f"skipped: {root} is absent")
        return 77
    cases = sorted(path for path in root.iterdir()
                   if not arguments.names or path.name in arguments.names)
    cases = [path for path in cases if "_expanded" not in path.name
             or zlib.crc32(path.name.encode()) % arguments.expanded == 0]
    cases = [path for path in cases
             if zlib.crc32(path.name.encode()[::-1]) % arguments.one_in == 0]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(
            lambda case: run_case(arguments.tool, case, arguments), cases))
    counts = collections.Counter(verdict for verdict, _ in results)
    lines = [f"{case.name}\t{verdict}\t{detail}".replace("\n", " | ")
             for case, (verdict, detail) in zip(cases, results)]
    if arguments.list:
        pathlib.Path(arguments.list).write_text("\n".join(lines) + "\n")
    for line, (verdict, _) in zip(lines, results):
        if verdict in ("wrong", "crash"):
            print(line)
    print(", ".join(f"{counts[name]} {name}"
                    for name in ("pass", "rejected", "wrong", "crash")))
    bad = counts["wrong"] + counts["crash"]
    return 1 if bad or counts["pass"] < arguments.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
