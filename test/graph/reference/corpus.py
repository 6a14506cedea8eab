"""corpus.py TOOL INTERPRET-GRAPH [NAME...]: runs the modules of
test/graph/modules, and random ones of test/fuzz/linalg, on the reference of
graphs: as they are, against NumPy, and as graph passes leave them, against what
they were before. With names, only the cases whose operations or form contain
one."""

import concurrent.futures
import os
import pathlib
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "modules"))
import cases  # noqa: E402
import modules  # noqa: E402, the import adds all cases

sys.path.append(str(HERE.parents[1] / "forked"))
import forked  # noqa: E402

sys.path.append(str(HERE.parents[1] / "fuzz" / "linalg"))
import generate  # noqa: E402

# Passes in the order of the pipeline. Each module is run behind one of them, in
# turn, and behind the last one.
STOPS = ("inline-functions", "flatten-control-flow", "scalars-to-tensors",
         "decompose-linalg", "expand-sorts", "rewrite-sizes", "read-sizes",
         "inserts-to-scatters", "lower-tensor-ops", "lower-slices",
         "lower-reshapes", "generalize-ops", "fold-constants",
         "capture-scalars", "indices-to-integers", "split-results",
         "normalize-generics", "push-gathers", "move-reshapes",
         "split-reductions", "define-content", "inits-to-inputs",
         "move-concats", "resolve-sizes", "squeeze-slices", "form-groups")
# From here on sums of floats may have another order: elements are those that
# the module permits. Before, they have the same bits.
SPLITS = STOPS.index("split-reductions")
# NumPy's numbers may differ by so much, relatively or absolutely.
TOLERANCE = 1e-4
# Of large modules so many elements of each result are computed.
SAMPLE = 40
LARGE = 8000
# So many random modules, each fifth with sizes of 0.
RANDOM = 40
# Ops that the reference does not know, and why. An entry that is known fails.
NOT_YET = {
    "linalg.winograd_filter_transform":
        "its matrices are a table that MLIR has in the pass that lowers it",
}


class Sets:
    """Of the elements of a result, what is permitted in any order of sums."""

    def __init__(self, file):
        self.least, self.greatest, self.kind = (
            np.load(file.with_suffix(f".{part}.npy"))
            for part in ("least", "greatest", "nan"))

    def lack(self, found, computed):
        """By element, whether it is not permitted."""
        with np.errstate(invalid="ignore"):
            is_inside = (found >= self.least) & (found <= self.greatest)
        if found.dtype.kind == "f":
            is_inside |= np.isnan(found) & (self.kind > 0)
        return different_bits(found, computed) & ~is_inside & (self.kind < 2)


def interpret(program, case, path, folder, options=()):
    """The results, and masks of what was computed; or the error's text."""
    command = [program, str(path), "--output-dir", str(folder), *options]
    is_large = any(np.asarray(value).size > LARGE for value in case.inputs)
    if is_large:
        command += ["--sample", str(SAMPLE)]
    for number, value in enumerate(case.inputs):
        file = folder / f"in{number}.npy"
        np.save(file, value)
        command += ["--input", f"input{number}={file}"]
    result = forked.run(command, capture_output=True, text=True, timeout=120,
                        check=False)
    if result.returncode:
        return f"exit {result.returncode}: {result.stderr.strip()}"
    found, number = [], 0
    while (file := folder / f"output{number}.npy").exists():
        value = np.load(file)
        mask = (np.load(file.with_suffix(".sampled.npy")) == 1 if is_large
                else np.ones(value.shape, bool))
        found.append((value, mask))
        file.unlink()
        number += 1
    return found


def different_bits(a, b, _=None):
    """By element; any NaN is as good as another, -0 is not 0."""
    if a.dtype.kind != "f":
        return a != b
    return ~((np.isnan(a) & np.isnan(b)) |
             ((a == b) & (np.signbit(a) == np.signbit(b))))


def is_far(a, b, _=None):
    tolerance = TOLERANCE if a.dtype.kind == "f" else 0
    return ~np.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def difference(found, expected, differ):
    """What is wrong with the results; empty if nothing is. `differ` tells by
    element, of a result and its number, what differs."""
    if isinstance(found, str):
        return found
    if len(found) != len(expected):
        return f"{len(found)} results, expected {len(expected)}"
    for number, ((a, mask), b) in enumerate(zip(found, expected)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return (f"result {number}: {a.dtype}{a.shape}, expected "
                    f"{b.dtype}{b.shape}")
        differs = mask & differ(a, b, number)
        if differs.any():
            at = tuple(np.argwhere(differs)[0])
            return (f"result {number}: {differs.sum()} of {mask.sum()} "
                    f"elements differ, at {at} {a[at]}, expected {b[at]}")
    return ""


def check(tool, program, number, case):
    problems = []

    def note(where, problem):
        if problem:
            problems.append(f"{case.ops}: {case.form}: {where}: {problem}")

    expected = [np.asarray(value) for value in
                cases.tuple_of(case.expected(*case.inputs))]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = folder / "m.mlir"
        path.write_text(case.text)
        before = interpret(program, case, path, folder,
                           ["--freedom", "order"])
        for op, reason in NOT_YET.items():
            if op in case.text:
                is_known = not isinstance(before, str) or op not in before
                note("as it is", f"{op} is known, though '{reason}'"
                     if is_known else "")
                return problems
        note("as it is", difference(before, expected, is_far))
        if isinstance(before, str):
            return problems
        before = [value for value, _ in before]
        sets = [Sets(folder / f"output{n}.npy") for n in range(len(before))]
        for stop in {STOPS[number % len(STOPS)], STOPS[-1]}:
            after = folder / "after.mlir"
            result = forked.run(
                [tool, "compile", str(path), "--stop-after", stop, "-o",
                 str(after)], capture_output=True, text=True, timeout=120,
                check=False)
            if result.returncode:
                note(stop, result.stderr.strip())
                continue
            found = interpret(program, case, after, folder)
            note(stop, difference(
                found, before, different_bits if STOPS.index(stop) < SPLITS
                else lambda a, b, n: sets[n].lack(a, b)))
    return problems


def random_cases():
    for seed in range(RANDOM):
        made = generate.Generator(seed, empty=seed % 5 == 0).run()
        yield cases.Case("random module", f"seed {seed}", made.text(),
                         [argument.data for argument in made.arguments()],
                         lambda *_, made=made: tuple(made.expected()), ())


def main():
    tool, program, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    every = [*cases.CASES, *random_cases()]
    chosen = [(number, case) for number, case in enumerate(every)
              if not names or any(n in case.ops + " " + case.form
                                  for n in names)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda each: check(tool, program, *each),
                                chosen))
    problems = [problem for result in results for problem in result]
    for problem in problems:
        print(problem)
    print(f"{len(chosen)} modules, {len(problems)} problems")
    sys.exit(1 if problems or not chosen else 0)


if __name__ == "__main__":
    main()
