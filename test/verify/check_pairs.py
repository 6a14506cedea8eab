"""check_pairs.py TOOL INTERPRET-GRAPH [--all] [NAME...]: checks the corpus of
pairs itself, without `tilewright verify`. Of each case

- usual numbers at usual sizes do not show the wrong rewrite: a pair that they
  show is no measure of a search;
- the witness shows it, and not the right one;
- extremes do not show the right one, where the program before is defined.

A race of a scheduled kernel is there for any numbers: only an order of its
warps or copies shows it, so usual numbers are not tried.

With --all there are more seeds. With names, only the cases whose path contains
one."""

import collections
import concurrent.futures
import os
import pathlib
import sys
import tempfile

import numpy as np

import pair_cases
import pair_runs

# How many seeds of usual numbers, and of extremes.
FEW, ALL = (1, 1), (3, 6)
# Sizes of what is dynamic, for extremes, one for each seed.
ODD_SIZES = (17, 1, 7, 3, 0, 33)


def inputs_for(case, key, seed, size, make):
    """An array for each input: stated by the case, or made."""
    random = np.random.default_rng(seed)
    stated = case.values[key] if key else {}
    sizes, arrays = {}, {}
    for argument in case.inputs():
        if argument.name not in stated:
            continue
        values = pair_cases.evaluate(stated[argument.name], argument, random)
        arrays[argument.name] = values
        sizes.update((label, length) for label, length
                     in zip(argument.shape, values.shape)
                     if isinstance(label, str))
    for argument in case.inputs():
        if argument.name not in arrays:
            shape = pair_cases.shape_of(
                argument, lambda label: sizes.get(label, size))
            arrays[argument.name] = make(argument, shape, random)
    # Arguments match by position, too: in the order of the program.
    return {argument.name: arrays[argument.name] for argument in case.inputs()}


def compare(case, runner, arrays, folder, names=("right", "wrong")):
    """What differs of each program from the one before; None where the program
    before is not defined."""
    before = runner.run(case, "before", arrays, folder)
    if isinstance(before, str):
        return None
    return [pair_runs.difference(case, before,
                                 runner.run(case, name, arrays, folder))
            for name in names]


def usual(case, runner, folder, seeds):
    for seed in range(seeds):
        size = pair_cases.SIZES[seed]
        arrays = inputs_for(case, "friendly", seed, size, pair_cases.usual)
        names = ("right",) if case.schedule else ("right", "wrong")
        found = compare(case, runner, arrays, folder, names)
        if found is None:
            yield f"not defined for usual numbers (seed {seed})"
            continue
        for name, text in zip(names, found):
            if text:
                yield f"usual numbers show the {name} one: {text}"


def witness_inputs(case):
    # No special numbers are needed to show a race.
    key = "witness" if case.values["witness"] else "friendly"
    return inputs_for(case, key, 0, pair_cases.SIZES[0], pair_cases.usual)


def witness(case, runner, folder):
    found = compare(case, runner, witness_inputs(case), folder)
    if found is None:
        yield "not defined for the witness"
        return
    if found[0]:
        yield f"the witness shows the right one: {found[0]}"
    if not found[1]:
        yield "the witness does not show the wrong one"


def extremes(case, runner, folder, seeds):
    if case.schedule:
        return
    for seed in range(seeds):
        arrays = inputs_for(case, None, seed, ODD_SIZES[seed],
                            pair_cases.extremes)
        found = compare(case, runner, arrays, folder, ("right",))
        if found and found[0]:
            yield f"extremes show the right one (seed {seed}): {found[0]}"


def check(case, runner, seeds):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        problems = [*usual(case, runner, folder, seeds[0]),
                    *witness(case, runner, folder),
                    *extremes(case, runner, folder, seeds[1])]
    return [f"{case.name}: {problem}" for problem in problems]


def main():
    names = [word for word in sys.argv[3:] if word != "--all"]
    seeds = ALL if "--all" in sys.argv else FEW
    runner = pair_runs.Runner(sys.argv[1], sys.argv[2])
    cases = pair_cases.read_all(names)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: check(case, runner, seeds), cases))
    problems = [problem for result in results for problem in result]
    for problem in problems:
        print(problem)
    classes = collections.Counter(case.folder for case in cases)
    print(f"{len(cases)} cases in {len(classes)} classes, "
          f"{len(problems)} problems")
    sys.exit(1 if problems or not cases else 0)


if __name__ == "__main__":
    main()
