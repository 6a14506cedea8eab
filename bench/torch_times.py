#!/usr/bin/env python3
"""Models and functions of PyTorch: ours against eager and Inductor on the CPU.

  torch_times.py TOOL [--rows] [--models [NAME ..]] [--threads N ..] [--no-inductor]
           [--markdown FILE]

Exports each model, compiles the archive with TOOL (tilewright), and times calls
of the package in the same run as calls of eager PyTorch and of Inductor, by turns:
the medians of the times of a call. --rows times operators along one row of 10^3
to 10^6 elements and those at indices, --models the models of torch_models.py
(all, without names). Compares each result with eager's: within a relative 1e-3,
of integers exactly. Exits with 1 where one differs or does not compile.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

import torch_models

TURNS = 5


class Package:
    """The package of an exported model, run by the command line."""

    def __init__(self, tool, model, arguments, folder):
        self.tool, self.folder = tool, folder
        program = torch.export.export(model, arguments)
        torch.export.save(program, folder / "model.pt2")
        start = time.perf_counter()
        self.call("compile", folder / "model.pt2", "--target", "cpu", "-o",
                  folder / "model.twp")
        self.compile_seconds = time.perf_counter() - start
        self.inputs = []
        for name, value in zip(program.graph_signature.user_inputs, arguments):
            np.save(folder / f"{name}.npy", value.numpy())
            self.inputs += ["--input", f"{name}={folder / name}.npy"]

    def call(self, *words):
        result = subprocess.run([self.tool, *map(str, words)], check=False,
                                capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(result.stderr.strip())
        return result.stdout

    def run(self, threads, repeat):
        """Seconds of a call, and the outputs."""
        out = self.folder / "out"
        report = json.loads(self.call(
            "run", self.folder / "model.twp", *self.inputs, "--json",
            "--repeat", repeat, "--threads", threads, "--output-dir", out))
        outputs = [np.load(entry["file"]) for entry in report["outputs"]]
        return report["run_ms"]["median"] / 1e3, outputs


def seconds_of(function, arguments, repeat):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def flat(value):
    if torch.is_tensor(value):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for part in value for t in flat(part)]
    return flat(list(value.values()))


def is_same(found, expected):
    expected = expected.numpy()
    if expected.dtype.kind != "f":
        return np.array_equal(found, expected)
    scale = np.abs(expected).max(initial=1e-6)
    return np.allclose(found, expected, rtol=1e-3, atol=1e-3 * scale,
                       equal_nan=True)


def measure(tool, model, arguments, threads, with_inductor, repeat):
    """Medians in milliseconds by who ran, and what is wrong."""
    torch.set_num_threads(threads)
    runners = {"eager": model}
    if with_inductor:
        runners["Inductor"] = torch.compile(model)
    times = {name: [] for name in (*runners, "ours")}
    with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
        package = Package(tool, model, arguments, pathlib.Path(folder))
        expected = flat(model(*arguments))
        for runner in runners.values():
            runner(*arguments)
        for _ in range(TURNS):
            for name, runner in runners.items():
                times[name].append(seconds_of(runner, arguments, repeat))
            seconds, outputs = package.run(threads, repeat)
            times["ours"].append(seconds)
        wrong = [number for number, (found, wanted)
                 in enumerate(zip(outputs, expected))
                 if not is_same(found, wanted)]
    medians = {name: 1e3 * statistics.median(each)
               for name, each in times.items()}
    medians["compile s"] = package.compile_seconds
    return medians, f"outputs {wrong} differ" if wrong else ""


def cases(options):
    if options.rows:
        for elements in (10**3, 10**4, 10**5, 10**6):
            for name, (model, arguments) in torch_models.rows(elements).items():
                yield f"{name}, {elements:,}", model, arguments, 20, False
    if options.models is not None:
        for name, make in torch_models.MODELS.items():
            if not options.models or name in options.models:
                model, arguments = make()
                yield (name, model.eval(), arguments, 5,
                       not options.no_inductor)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--threads", nargs="+", type=int, default=[1])
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()
    torch.manual_seed(0)
    lines = ["| case | threads | eager ms | Inductor ms | ours ms | eager / ours "
             "| Inductor / ours | compile s |", "|---|---|---|---|---|---|---|---|"]
    print(*lines, sep="\n")
    failed = False
    for name, model, arguments, repeat, with_inductor in cases(options):
        for threads in options.threads:
            try:
                found, wrong = measure(options.tool, model, arguments, threads,
                                       with_inductor, repeat)
            except RuntimeError as error:
                found, wrong = {}, str(error)
            failed |= bool(wrong)
            if not found:
                print(f"{name}: {wrong}", file=sys.stderr)
                continue
            ours = found["ours"]
            other = found.get("Inductor")
            lines.append(
                f"| {name} | {threads} | {found['eager']:.3f} | "
                f"{'' if other is None else f'{other:.3f}'} | {ours:.3f} | "
                f"{found['eager'] / ours:.2f} | "
                f"{'' if other is None else f'{other / ours:.2f}'} | "
                f"{found['compile s']:.1f} |{' **' + wrong + '**' if wrong else ''}")
            print(lines[-1], flush=True)
    if options.markdown:
        options.markdown.write_text("\n".join(lines) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
