#!/usr/bin/env python3
"""ci.py TILEWRIGHT CC ROUNDS [TRIALS]: `tune compare --ci` on real
measurements. In each round a kernel is measured TRIALS times into each of three
files, in turns: before, after, and after by a clock that makes it 20 % slower.
The second must pass, the third must not.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[2] / "test" / "tools"
sys.path.insert(0, str(TESTS))
import tune_database  # noqa: E402

TOOL, CC, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
TRIALS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
# One thread: two on a machine with other work measure that work. Warm caches:
# data in a cache that other cores or guests share takes half as long again in
# one process as in the next.
RUN = ["ci.csv", "--threads", "1", "--warm", "--trials", "1", "--db"]
PASS, FINDING = 0, 4


def compare(tuner, after):
    process = tuner.start("compare", "before.db", after, "--ci", "--json")
    entry = json.loads(process.communicate(timeout=60)[0])[0]
    return process.returncode, entry


def main(folder):
    source = pathlib.Path(__file__).with_name("slow_clock.c")
    subprocess.run([CC, "-shared", "-fPIC", "-O2", source, "-o",
                    folder / "slow.so", "-ldl"], check=True)
    tuner = tune_database.Tuner(TOOL, folder)
    slow = tune_database.Tuner(TOOL, folder,
                               LD_PRELOAD=str(folder / "slow.so"))
    (folder / "ci.csv").write_text("gemm,192,192,192\n", encoding="utf-8")
    names = ("before.db", "after.db", "slow.db")
    passed = found = 0
    for number in range(ROUNDS):
        for name in names:
            (folder / name).unlink(missing_ok=True)
        for _ in range(TRIALS):
            for name in names:
                (slow if name == "slow.db" else tuner)(*RUN, name)
        same, noise = compare(tuner, "after.db")
        slower, planted = compare(tuner, "slow.db")
        passed += same == PASS
        found += slower == FINDING
        print(f"round {number + 1}: noise {noise['ratio']:.3f}, exit {same}; "
              f"planted 20 %: {planted['ratio']:.3f}, exit {slower}",
              flush=True)
    print(f"noise passed {passed} of {ROUNDS}, 20 % was found in {found} of "
          f"{ROUNDS}, of {TRIALS} trials each")
    return 0 if passed == found == ROUNDS else 1


with tempfile.TemporaryDirectory() as name_of_folder:
    sys.exit(main(pathlib.Path(name_of_folder)))
