"""fuzz.py TOOL [--pypi PYPI] [--count N] [--seed S] [--replay SEED] ...: random
ONNX graphs, compared with ONNX Runtime. docs: README.md here."""

import argparse
import collections
import os
import pathlib
import sys
import time

import pool
import wheels


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--pypi")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replay", type=int)
    parser.add_argument("--symbolic", type=float, default=0.5)
    parser.add_argument("--device", default="cpu",
                        choices=["cpu", "interpreter", "emulator"])
    parser.add_argument("--target")
    parser.add_argument("--only", help="operators, by commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", type=pathlib.Path,
                        help="a folder for reduced failures")
    parser.add_argument("--all", action="store_true",
                        help="save reduced refusals too")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    return parser.parse_args()


def one_seed(seed, options):
    """[(constants, verdict, operators)] and the generator's statistics."""
    import device
    import generate
    statistics = generate.Statistics()
    only = options.only.split(",") if options.only else None
    cases = generate.case_from_seed(seed, options.symbolic, only, statistics)
    runner = device.Device(options.tool, options.device, options.target)
    results = []
    for case in cases:
        verdict = runner.judge(case)
        wanted = ("wrong", "crash", "hang") + (("refused",) if options.all
                                               else ())
        if options.save and verdict.kind in wanted:
            save(case, runner, verdict, options.save, seed)
        results.append((verdict, case.operators))
    return results, statistics


def save(case, runner, verdict, folder, seed):
    """Reduces a failure and writes it; returns its description."""
    import case as cases
    import opinion
    import reduce
    case = reduce.reduce(case, runner, verdict)
    verdict = runner.judge(case)
    stem = folder / f"{verdict.kind}-{seed}"
    case.save(stem)
    text = f"{cases.describe(case)}\n{verdict.kind}: {verdict.text}\n"
    if verdict.kind == "wrong":
        text += opinion.opinion(case, verdict) + "\n"
    stem.with_suffix(".txt").write_text(text)
    return text


def main():
    options = parse()
    missing = wheels.use(options.pypi)
    if missing:
        print(f"skipped: {missing}")
        return 77
    if options.replay is not None:
        return replay(options)
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    counts, reasons, covered = (collections.Counter(), {},
                                collections.Counter())
    tried, added, rejected = (collections.Counter() for _ in range(3))
    seeds = range(options.seed, options.seed + options.count)
    until = start + options.seconds if options.seconds else None
    died = []
    for seed, answer in pool.run(one_seed, seeds, options, options.jobs,
                                 until):
        if answer is None:
            died.append(seed)
            continue
        results, statistics = answer
        tried.update(statistics.tried)
        added.update(statistics.added)
        rejected.update(statistics.reasons)
        for verdict, operators in results:
            counts[verdict.kind] += 1
            if verdict.kind == "match":
                covered.update(operators)
            else:
                reasons.setdefault(verdict.reason, []).append(seed)
            if verdict.kind in ("wrong", "crash", "hang"):
                print(f"seed {seed}: {verdict.kind}: {verdict.text}",
                      flush=True)
    if died:
        print("the oracle died:", died)
    for reason, where in sorted(reasons.items(), key=lambda r: -len(r[1])):
        print(f"{len(where):5} {reason}   seeds {where[:4]}")
    print("covered:", dict(covered.most_common()))
    print("not covered:", [name for name in tried if not covered[name]])
    print("oracle refused:")
    for (name, text), count in rejected.most_common(25):
        print(f"  {count} of {tried[name]} {name}: {text}")
    total = sum(counts.values())
    print(f"{total} graphs: " + ", ".join(f"{counts[k]} {k}" for k in (
        "match", "refused", "wrong", "crash", "hang")),
        f"in {time.monotonic() - start:.0f} s")
    return 4 if counts["wrong"] + counts["crash"] + counts["hang"] else 0


def replay(options):
    import case
    import device
    import generate
    only = options.only.split(",") if options.only else None
    runner = device.Device(options.tool, options.device, options.target)
    for found in generate.case_from_seed(options.replay, options.symbolic,
                                         only):
        print(case.describe(found))
        verdict = runner.judge(found)
        print(f"assignment {verdict.assignment}: {verdict.kind} "
              f"{verdict.text}")
        if options.save and verdict.kind != "match":
            options.save.mkdir(parents=True, exist_ok=True)
            print("reduced to\n" + save(found, runner, verdict, options.save,
                                        options.replay))
    return 0


if __name__ == "__main__":
    sys.exit(main())
