"""modules.py TOOL [NAME...]: runs the modules of cases_*.py through the command
line, on the cpu, the interpreter and, some, the emulator, and compares with
NumPy; those of rejections.py are rejected. With names, only the cases whose operations or form
contain one."""

import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

import cases
# The page lists the cases in this order.
import cases_generic
import cases_named
import cases_windows
import cases_tensor
import cases_control
import cases_producers
import cases_edges
import cases_rows
import rejections

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "forked"))
import forked  # noqa: E402

ALL = (cases_generic, cases_named, cases_windows, cases_tensor,
       cases_control, cases_producers, cases_edges, cases_rows)


def run(tool, case, device, folder):
    """The outputs of the module, in order, or the error's text."""
    path = folder / "m.mlir"
    path.write_text(case.text)
    command = [tool, "run", str(path), "--device", device, "--json",
               "--output-dir", str(folder)]
    for number, value in enumerate(case.inputs):
        file = folder / f"in{number}.npy"
        np.save(file, value)
        command += ["--input", f"input{number}={file}"]
    result = forked.run(command, capture_output=True, text=True,
                        timeout=120, check=False)
    if result.returncode:
        return f"exit {result.returncode}: {result.stderr.strip()}"
    report = json.loads(result.stdout)
    return [np.load(entry["file"]) for entry in report["outputs"]]


def difference(found, expected):
    """What is wrong with the outputs; empty if nothing is."""
    if isinstance(found, str):
        return found
    if len(found) != len(expected):
        return f"{len(found)} outputs, expected {len(expected)}"
    for number, (a, b) in enumerate(zip(found, expected)):
        b = np.asarray(b)
        if a.shape != b.shape:
            return f"output {number}: shape {a.shape}, expected {b.shape}"
        if a.dtype != b.dtype:
            return f"output {number}: {a.dtype}, expected {b.dtype}"
        tolerance = 1e-4 if a.dtype.kind == "f" else 0
        close = np.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
        if not close.all():
            at = tuple(np.argwhere(~close)[0])
            return (f"output {number}: {(~close).sum()} of {a.size} elements "
                    f"differ, at {at} {a[at]}, expected {b[at]}")
    return ""


def check(tool, case):
    problems = []
    expected = cases.tuple_of(case.expected(*case.inputs))
    for device in case.devices:
        with tempfile.TemporaryDirectory() as folder:
            found = run(tool, case, device, pathlib.Path(folder))
        problem = difference(found, expected)
        if problem:
            problems.append(f"{case.ops}: {case.form}: {device}: {problem}")
    return problems


def check_rejected(tool, rejection):
    with tempfile.TemporaryDirectory() as folder:
        found = run(tool, rejection, "cpu", pathlib.Path(folder))
    if isinstance(found, str) and found.startswith("exit 1: ") and \
            rejection.message in found:
        return []
    return [f"rejection: {rejection.form}: expected exit 1 and "
            f"'{rejection.message}', found {found}"]


def main():
    tool, names = sys.argv[1], sys.argv[2:]
    rejected = [r for r in rejections.REJECTIONS
               if not names or any(n in r.form for n in names)]
    chosen = [case for case in cases.CASES
              if not names or any(n in case.ops + " " + case.form
                                  for n in names)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: check(tool, case), chosen))
        results += pool.map(lambda r: check_rejected(tool, r), rejected)
    problems = [problem for result in results for problem in result]
    for problem in problems:
        print(problem)
    runs = sum(len(case.devices) for case in chosen)
    print(f"{len(chosen)} modules in {runs} runs, {len(rejected)} rejected, "
          f"{len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
