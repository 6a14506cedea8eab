"""levels.py TOOL [--targets T,...] [--time S] [--seed N] [NAME...]: compiles the
modules of test/graph/modules and lets `tilewright verify` judge each pass. The
compiler is held to be right: a pass that is blamed, an error and a crash are
problems. Prints them, and how often each pass was tested; passes without a
verdict with the reason. With names, only the cases whose operations or form
contain one; with --time, in a random order as many as S seconds allow.

  --linalg FIRST:COUNT   random modules of test/fuzz/linalg instead
  --onnx FIRST:COUNT     random graphs of test/fuzz/onnx; --pypi has the wheels
  --files FILE...        these models"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import programs

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "forked"))
import forked  # noqa: E402

# A blamed pass costs up to a minute for a smaller program.
TIMEOUT = 120
# Ops that the reference does not know, as in graph/reference/corpus.py, and models
# that the compiler does not take: such a module is an error that says so.
NOT_YET = ("linalg.winograd_filter_transform",
           "must be known when the model is imported")
# Passes that are blamed rightly: (pass, what it did, why it stays so).
KNOWN = (
    ("flatten-control-flow", "graph.size: the size is -",
     "docs/mlir.md: a lower bound from elements is no negative number"),
)
# What is said of a model that is too slow on the reference.
TOO_SLOW = "ends in none of"


class Tally:
    """What is known after some runs."""

    def __init__(self):
        self.runs = self.problems = self.skipped = self.known = 0
        self.tested = collections.Counter()
        self.inputs = collections.Counter()
        self.unchecked = collections.Counter()

    def problem(self, where, text):
        self.problems += 1
        print(f"{where}: {text}", flush=True)

    def add(self, passes):
        for each in passes:
            name = each["pass"].split(":")[0]
            if each["evidence"] == "tested":
                self.tested[name] += 1
                self.inputs[name] += each["cases"]
            elif each["evidence"] == "unchecked":
                reason = each["reason"].splitlines()[0]
                # Without the name of the file.
                reason = reason.split(".mlir: ")[-1][:160]
                self.unchecked[name, reason] += 1

    def print(self):
        for name, count in sorted(self.tested.items()):
            print(f"  {name}: {count} times, {self.inputs[name]} runs")
        for (name, reason), count in sorted(self.unchecked.items()):
            print(f"  unchecked {name}: {count} times: {reason}")


def blame_text(verdict):
    guilty = verdict["guilty"]
    found = {key: value for key, value in verdict["counterexample"].items()
             if key != "inputs"}
    return (f"{guilty['pass']} does not keep '{guilty['relation']}': "
            f"{json.dumps(found)[:600]}")


def check(options, program, target, folder, tally):
    """One program for one target."""
    name, path, inputs = program
    where = f"{name}: {target}"
    tally.runs += 1
    command = [options.tool, "verify", str(path), "--target", target, "--json",
               "--seed", str(options.seed),
               "--time-limit", str(options.level_time),
               "--output-dir", str(folder / f"{path.stem}-{target}")]
    for input_name, file in inputs.items():
        command += ["--input", f"{input_name}={file}"]
    try:
        result = forked.run(command, capture_output=True, text=True,
                            timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        tally.skipped += 1
        print(f"{where}: no verdict in {TIMEOUT} s", flush=True)
        return
    if not result.stdout.strip().startswith("{"):
        if result.returncode > 0 and any(text in result.stderr
                                         for text in (*NOT_YET, TOO_SLOW)):
            tally.skipped += 1
            return
        tally.problem(where, f"exit {result.returncode}: "
                             f"{result.stderr.strip()}")
        return
    for verdict in json.loads(result.stdout)["targets"]:
        # A kernel that is equal to another one has no passes of its own.
        for part in verdict.get("kernels", [verdict]):
            tally.add(part.get("passes", []))
        if verdict["verdict"] == "equivalent":
            continue
        text = blame_text(verdict)
        if any(name in text and what in text for name, what, _ in KNOWN):
            tally.known += 1
        else:
            tally.problem(where, text)


def seeds(text):
    first, count = map(int, text.split(":"))
    return range(first, first + count)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--targets", default="cpu,sm_80,sm_90a")
    parser.add_argument("--time", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--level-time", type=float, default=0.5,
                        help="seconds for each level: most take far less, for "
                             "64 runs")
    parser.add_argument("--linalg", type=seeds)
    parser.add_argument("--onnx", type=seeds)
    parser.add_argument("--pypi")
    parser.add_argument("--files", type=pathlib.Path, nargs="+")
    parser.add_argument("--folder", help="where modules and counterexamples "
                                         "are left")
    return parser.parse_intermixed_args()


def source_of(arguments, folder):
    if arguments.linalg:
        return programs.linalg(folder, arguments.linalg)
    if arguments.onnx:
        return programs.onnx(folder, arguments.onnx, arguments.pypi)
    if arguments.files:
        return ((path.name, path, {}) for path in arguments.files)
    return programs.modules(folder, arguments.names)


def main():
    arguments = parse()
    tally, start = Tally(), time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.folder or temporary)
        folder.mkdir(exist_ok=True)
        jobs = [(program, target)
                for program in source_of(arguments, folder)
                for target in arguments.targets.split(",")]
        if arguments.time:
            random.Random(arguments.seed).shuffle(jobs)
        for program, target in jobs:
            if arguments.time and time.monotonic() - start > arguments.time:
                break
            check(arguments, program, target, folder, tally)
    tally.print()
    print(f"{tally.runs} of {len(jobs)} programs and targets, "
          f"{tally.skipped} not known to the reference or too slow, "
          f"{tally.known} known differences, {tally.problems} problems")
    sys.exit(1 if tally.problems or not tally.runs else 0)


if __name__ == "__main__":
    main()
