"""error_bounds.py BOUNDS [--runs N] [--seed S] [--losses] [NAME...]: runs the
models of error_cases.py on random inputs, with bounds of their errors, for a CPU
and two GPUs (error-bounds.cpp). No error is above its bound, on the device or on
the reference; no bound is infinite. Prints how much greater bounds are than
errors. With --losses each model is also compiled with losses of precision
(Losses.h): most of those that matter exceed the bounds of the right one. With
names, only the models whose name contains one."""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import error_cases

LOSSES = ("narrow-f16", "narrow-bf16", "product", "term", "function", "chunk")
# Bounds may be greater than errors by so much, on average and at most.
MEAN, MOST = 50, 1000
# Of the losses that make errors 8 times as large, this many exceed the bounds.
FOUND = 0.9


def run(program, folder, case, target, options):
    stem = "".join(c if c.isalnum() else "_" for c in case.name)
    model, exact = folder / f"{stem}.mlir", folder / f"{stem}.exact.mlir"
    command = [program, model, exact, target, *case.options, *options]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if ran.returncode:
        return {"failure": ran.stderr.strip() or f"exit {ran.returncode}"}
    return json.loads(ran.stdout)


def problem(case, result):
    """What is wrong with a right model; empty if nothing is."""
    if "failure" in result:
        return result["failure"]
    if result["runs"] == 0:
        return ""  # There is nothing to lose.
    if result["undetermined"]:
        return f"undetermined in {result['undetermined']} runs"
    if result["infinite"]:
        return f"{result['infinite']} bounds of {result['elements']} infinite"
    if result["above"]:
        return f"{result['above']} errors of {result['elements']} above bounds"
    kernels = [kernel["bound"] for kernel in result["kernels"]]
    if not kernels:
        return "no kernel has errors by itself"
    if kernels[-1] > result["first_bound"] * (len(kernels) == 1 or 0.999):
        return (f"the last kernel has {kernels[-1]} of {result['first_bound']} "
                "by itself")
    ratios = result["ratios"]
    if any(ratio > MOST for ratio in ratios) and not case.is_coarse:
        return f"bounds are {max(ratios):.0f} times the errors"
    return ""


def rejection(program, folder):
    """What is wrong where there can be no bounds; empty if nothing is."""
    case = error_cases.ALL[0]
    found = run(program, folder, case, "interpreter", []).get("failure", "")
    return "" if "no pass lower-math" in found else f"for the interpreter: {found}"


class Summary:
    def __init__(self):
        self.problems = 0
        self.ratios = []
        self.losses = self.found = self.runs = 0

    def add(self, where, case, result):
        wrong = problem(case, result)
        if wrong:
            self.problems += 1
            print(f"{where}: {wrong}", flush=True)
            return
        self.runs += result["runs"]
        self.losses += result["loss_runs"]
        self.found += result["losses_found"]
        ratios = [ratio for ratio in result["ratios"] if ratio > 0]
        if ratios and not case.is_coarse:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            self.ratios.append(mean)
            print(f"  {where}: bounds are {mean:.1f} times the errors, at most "
                  f"{max(ratios):.0f}")
        if result["loss_runs"]:
            print(f"  {where}: {result['losses_found']} of "
                  f"{result['loss_runs']} losses above")

    def print(self):
        mean = math.exp(sum(map(math.log, self.ratios)) /
                        max(1, len(self.ratios)))
        print(f"{self.runs} runs, {self.problems} problems; bounds are "
              f"{mean:.1f} times the errors")
        if mean > MEAN:
            print(f"more than {MEAN} times")
            self.problems += 1
        if not self.losses:
            return
        print(f"{self.found} of {self.losses} losses are above the bounds")
        if self.found < FOUND * self.losses:
            print(f"fewer than {FOUND:.0%}")
            self.problems += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--runs", default="5")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--losses", action="store_true")
    parser.add_argument("--targets", default="cpu,sm_80,sm_89,sm_90a")
    given = parser.parse_intermixed_args()
    options = ["--runs", given.runs, "--seed", given.seed]
    jobs = []
    summary = Summary()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in error_cases.ALL:
            if given.names and not any(n in case.name for n in given.names):
                continue
            stem = "".join(c if c.isalnum() else "_" for c in case.name)
            (folder / f"{stem}.mlir").write_text(case.text)
            (folder / f"{stem}.exact.mlir").write_text(
                error_cases.twin(case.text))
            for target in case.targets:
                if target not in given.targets.split(","):
                    continue
                for loss in LOSSES if given.losses else (None,):
                    jobs.append((case, target, loss))

        def work(job):
            case, target, loss = job
            more = ["--loss", loss] if loss else []
            return run(given.program, folder, case, target, options + more)

        if not given.losses and not given.names:
            wrong = rejection(given.program, folder)
            summary.problems += bool(wrong)
            print(wrong or "  the interpreter has no bounds")
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for (case, target, loss), result in zip(jobs, pool.map(work, jobs)):
                where = f"{case.name}, {target}" + (f", {loss}" if loss else "")
                summary.add(where, case, result)
    summary.print()
    return 1 if summary.problems else 0


if __name__ == "__main__":
    sys.exit(main())
