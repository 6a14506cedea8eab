"""pairs.py TOOL INTERPRET-GRAPH [--time-limit S] [--seed N] [--sides SIDES]
[NAME...]: runs `tilewright verify` on the corpus of pairs.

- Each right rewrite is equivalent to the program before.
- Of the wrong ones at least SHARE is found.
- Each counterexample is one: the inputs in its files, run again by other means,
  give the outputs in its files, or the fault.

Prints how many were found of each class, and what was missed. With names, only
the cases whose path contains one; --sides wrong leaves out the right ones."""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

import check_pairs
import pair_cases
import pair_runs

SHARE = 0.98
# Kinds of counterexamples whose outputs are in files.
OF_OUTPUTS = ("value", "shape")
# Exit codes of `verify`: equivalent, different.
EQUIVALENT, DIFFERENT = 0, 4


@dataclasses.dataclass
class Judged:
    """What the command says of a pair, and what is wrong with it."""
    case: pair_cases.Case
    which: str
    verdict: str = "error"
    problem: str = ""
    report: dict = dataclasses.field(default_factory=dict)

    def __str__(self):
        found = self.report.get("counterexample")
        return (f"{self.case.name} ({self.which}): {self.verdict}"
                + (f": {self.problem}" if self.problem else "")
                + (f": {json.dumps(found)}" if found else ""))


def write_sides(tool, case, which, folder):
    """The files of both sides."""
    before = folder / "before.mlir"
    before.write_text(case.programs["before"])
    if pair_cases.is_scheduled(case.programs[which]):
        return before, pair_runs.stopped(tool, case, which, folder)
    after = folder / f"{which}.mlir"
    after.write_text(case.programs[which])
    return before, after


def stored_name(name):
    """The name of a tensor's file."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_"
                   for c in name)


def read_tensors(folder):
    return {path.stem: np.load(path) for path in folder.glob("*.npy")}


def same_outputs(case, found, expected):
    """What of the outputs of a run is not what the files say."""
    if isinstance(found, str):
        return f"a fault, {found}"
    if len(found) != len(expected):
        return f"{len(found)} outputs, {len(expected)} files"
    for (name, value), stored in zip(found.items(), expected):
        if value.shape != stored.shape:
            return f"{name} has shape {value.shape}, the file {stored.shape}"
        element = case.element(name)
        # Files of the same bits, up to the bits of NaN.
        if pair_cases.differing(value, stored, element, "exact").any():
            return f"{name} is not what the file says"
    return ""


def usual_numbers(case, arrays):
    """Inputs in the same shapes."""
    random = np.random.default_rng(0)
    return {argument.name: pair_cases.usual(argument,
                                            arrays[argument.name].shape, random)
            for argument in case.inputs()}


def replay_fault(runner, case, which, kind, arrays, folder):
    """As `replay`. A run does not find every fault, and not in each order: what
    a race or memory that nobody wrote leaves may be what is right, for some
    numbers. Such a fault is there for all numbers, so others may show it."""
    others = (check_pairs.witness_inputs(case) if case.schedule
              else usual_numbers(case, arrays))
    for numbers in (arrays, others):
        before = runner.run(case, "before", numbers, folder)
        if isinstance(before, str):
            return f"the program before has a fault: {before}"
        after = runner.run(case, which, numbers, folder)
        if pair_runs.difference(case, before, after) or kind == "permitted":
            return ""
    return f"there is no {kind}"


def replay(runner, case, which, found, folder):
    """Why a counterexample is none."""
    files = read_tensors(folder / "in")
    arrays = {}
    for argument, name in zip(case.inputs(), pair_cases.input_names(
            case.programs["before"])):
        if stored_name(name) not in files:
            return f"there is no file in/{name}.npy"
        arrays[argument.name] = files[stored_name(name)]
    if found["kind"] not in OF_OUTPUTS:
        return replay_fault(runner, case, which, found["kind"], arrays, folder)
    before = runner.run(case, "before", arrays, folder)
    after = runner.run(case, which, arrays, folder)
    if isinstance(before, str):
        return f"the program before has a fault: {before}"
    for side, outputs in (("before", before), ("after", after)):
        # An order of warps decides what a race leaves.
        if side == "after" and case.schedule and isinstance(outputs, str):
            continue
        stored = read_tensors(folder / side)
        expected = [stored[stored_name(name)] for name in before
                    if stored_name(name) in stored]
        problem = same_outputs(case, outputs, expected)
        if problem:
            return f"{side}: {problem}"
    if not pair_runs.difference(case, before, after):
        return "the outputs do not differ"
    return ""


def judge(runner, case, which, options):
    """Runs the command on one pair."""
    judged = Judged(case, which)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        before, after = write_sides(runner.tool, case, which, folder)
        command = [runner.tool, "verify", before, after, "--relation",
                   case.relation, "--json", "--output-dir", folder / "found",
                   *options]
        code, output, errors = pair_runs.finish(command)
        if code not in (EQUIVALENT, DIFFERENT):
            judged.problem = f"exit code {code}: {(errors + output)[:400]}"
            return judged
        judged.report = json.loads(output)
        judged.verdict = judged.report["verdict"]
        if judged.verdict == "different":
            judged.problem = replay(runner, case, which,
                                    judged.report["counterexample"],
                                    folder / "found")
    return judged


def table(wrong):
    """How many were found of each class."""
    found, all_ = collections.Counter(), collections.Counter()
    for judged in wrong:
        all_[judged.case.folder] += 1
        found[judged.case.folder] += judged.verdict == "different"
    for folder, count in sorted(all_.items()):
        print(f"  {folder:14} {found[folder]:3} of {count}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("interpreter")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--time-limit")
    parser.add_argument("--seed")
    parser.add_argument("--sides", default="right,wrong")
    arguments = parser.parse_intermixed_args()
    options = []
    for option in ("time_limit", "seed"):
        if getattr(arguments, option):
            options += [f"--{option.replace('_', '-')}",
                        getattr(arguments, option)]
    runner = pair_runs.Runner(arguments.tool, arguments.interpreter)
    pairs = [(case, which) for case in pair_cases.read_all(arguments.names)
             for which in arguments.sides.split(",")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(
            lambda pair: judge(runner, *pair, options), pairs))
    right = [judged for judged in results if judged.which == "right"]
    wrong = [judged for judged in results if judged.which == "wrong"]
    alarms = [judged for judged in right if judged.verdict != "equivalent"]
    missed = [judged for judged in wrong if judged.verdict != "different"]
    unproved = [judged for judged in results
                if judged.verdict == "different" and judged.problem]
    table(wrong)
    for title, judgements in (("not equivalent", alarms), ("missed", missed),
                              ("not replayed", unproved)):
        for judged in judgements:
            print(f"{title}: {judged}")
    print(f"{len(right) - len(alarms)} of {len(right)} right ones equivalent, "
          f"{len(wrong) - len(missed)} of {len(wrong)} wrong ones found, "
          f"{len(unproved)} not replayed")
    is_good = (results and not alarms and not unproved
               and len(missed) <= (1 - SHARE) * len(wrong))
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
