"""fuzz.py TOOL [options]: random ONNX graphs, compared with ONNX Runtime.

    fuzz.py TOOL --count 3000 --seed 1 --save DIR    reduced failures in DIR
    fuzz.py TOOL --replay 17 --save DIR              one seed, shown

Exits with 4 where a graph is wrong, crashes, hangs or is rejected without a
reason in rejections.txt, 77 without the wheels. README.md here says more."""

import argparse
import os
import pathlib
import sys
import time

import pool
import wheels

# This tests the compiler, not its cache.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"


TRAITS = {"large": "sizes that several programs of a kernel share",
          "shared": "values that are read at several indices, step by step",
          "extreme": "attributes near the ends of 64 bits",
          "empty": "many sizes of 0"}


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--pypi", help="the folder of unpacked wheels")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--replay", type=int, help="this seed alone")
    parser.add_argument("--symbolic", type=float, default=0.5,
                        help="share of graphs with symbolic sizes")
    parser.add_argument("--device", default="cpu",
                        choices=["cpu", "interpreter", "emulator"])
    parser.add_argument("--target", help="of the emulator: sm_80, sm_90a")
    parser.add_argument("--only", type=lambda text: text.split(","),
                        help="operators to draw from, by commas")
    for trait, text in TRAITS.items():
        parser.add_argument(f"--{trait}", action="append_const", dest="traits",
                            const=trait, default=[], help=text)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", type=pathlib.Path,
                        help="a folder for reduced failures")
    parser.add_argument("--all", action="store_true",
                        help="reduce and save rejections too")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--not-yet", help="a list of seeds that fail today")
    parser.add_argument("--update", action="store_true",
                        help="write that list")
    parser.add_argument("--quiet", action="store_true",
                        help="counts and failures only")
    return parser.parse_args()


def cases_of(seed, options, statistics=None):
    import generate
    return generate.case_from_seed(seed, options.symbolic, options.only,
                                   statistics, options.traits)


def runner_of(options):
    import device
    return device.Device(options.tool, options.device, options.target)


def one_seed(seed, options):
    """[(verdict, operators)] and the generator's statistics."""
    import device
    import generate
    statistics = generate.Statistics()
    runner, results = runner_of(options), []
    for case in cases_of(seed, options, statistics):
        if case.by_run and options.device == "emulator":
            continue  # A model is run on it from a package only.
        verdict = runner.check(case)
        wanted = device.FAULTS + (("rejected",) if options.all else ())
        if options.save and verdict.kind in wanted:
            save(case, runner, verdict, options.save, seed)
        results.append((verdict, case.operators))
    return results, statistics


def save(case, runner, verdict, folder, seed):
    """Reduces a failure and writes it; returns its description."""
    import case as cases
    import opinion
    import reduce
    small = reduce.reduce(case, runner, verdict)
    found = runner.check(small)
    stem = folder / f"{found.kind}-{seed}"
    small.save(stem)
    text = f"{cases.describe(small)}\n{found.kind}: {found.text}\n"
    if found.kind == "wrong":
        text += opinion.opinion(small, found) + "\n"
    stem.with_suffix(".txt").write_text(text)
    return text


def replay(options):
    import case as cases
    runner = runner_of(options)
    for case in cases_of(options.replay, options):
        print(cases.describe(case))
        verdict = runner.check(case)
        print(f"assignment {verdict.assignment}: {verdict.kind} "
              f"{verdict.text}")
        if options.save and verdict.kind != "match":
            print("reduced to\n" + save(case, runner, verdict, options.save,
                                        options.replay))
    return 0


def verdict_of(report, options):
    """The exit code, by the list of what fails today if there is one."""
    import known
    not_yet = known.NotYet(options.not_yet) if options.not_yet else \
        known.NotYet("")
    if options.update:
        not_yet.update(report.failed, report.ran)
        return 0
    new, good = not_yet.problems(report.failed, report.ran)
    for seed in new:
        print(f"seed {seed}: {report.failed[seed]}")
    for seed in good:
        print(f"seed {seed} passes: take it out of {options.not_yet} "
              "(--update)")
    if len(report.died) > 3 + len(report.ran) / 100:
        print(f"{len(report.died)} of {len(report.ran)} seeds ended their "
              "process, expected one of 100 at most")
        return 4
    return 4 if new or good else 0


def main():
    options = parse()
    missing = wheels.use(options.pypi)
    if missing:
        print(f"skipped: {missing}")
        return 77
    import report
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
    if options.replay is not None:
        return replay(options)
    start = time.monotonic()
    found = report.Report()
    seeds = range(options.seed, options.seed + options.count)
    until = start + options.seconds if options.seconds else None
    for seed, answer in pool.run(one_seed, seeds, options, options.jobs,
                                 until):
        found.add(seed, answer)
    if not options.quiet:
        found.show()
    code = verdict_of(found, options)
    print(found.summary(), f"in {time.monotonic() - start:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
