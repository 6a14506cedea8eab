#!/usr/bin/env python3
"""tune_shards.py TILEWRIGHT: three shards, merged, are one run; on databases
of real runs, merging is associative, commutative and idempotent."""

import itertools
import pathlib
import shutil
import sqlite3
import sys
import tempfile

import tune_database
from tune_database import schedules

SHARDS = 3
problems = []


def check(what, good, found):
    if not good:
        problems.append(f"{what}: found {str(found)[:1000]}")


def check_shards(tuner, folder):
    """The trials of shards are those of one run, the default's in each."""
    tuner.tune("whole.db")
    shards = [f"shard{i}.db" for i in range(1, SHARDS + 1)]
    for i, shard in enumerate(shards, 1):
        tuner.tune(shard, "--shard", f"{i}/{SHARDS}")
    tuner("merge", "all.db", *shards)
    whole = schedules(folder / "whole.db")
    found = [schedules(folder / shard) for shard in shards]
    check("each shard begins with the default",
          {part[0] for part in found} == {whole[0]}, [p[0] for p in found])
    others = sum((part[1:] for part in found), [])
    check("no schedule is in two shards", len(set(others)) == len(others),
          len(others))
    check("shards are of one size",
          max(map(len, found)) - min(map(len, found)) <= 1,
          [len(part) for part in found])
    check("schedules of shards", set(others) == set(whole[1:]), len(others))
    best, one = tuner.best("all.db"), tuner.best("whole.db")
    check("one best of the merged shards, of the task that the one run has",
          [t["task"] for t in best] == [t["task"] for t in one], best)
    check("the best of the merged shards was tried by the one run",
          best[0]["best"]["schedule"] in whole, best)
    check("default", best[0]["default"]["schedule"] == whole[0], best)
    return shards


def check_merging(tuner, shards):
    """Any order, any grouping, any number of times."""
    expected = tuner("export", "all.db")
    for i, order in enumerate(itertools.permutations(shards)):
        tuner("merge", f"order{i}.db", *order)
        check(f"merged as {order}", tuner("export", f"order{i}.db") == expected,
              order)
    a, b, c = shards
    tuner("merge", "ab.db", a, b)
    tuner("merge", "ab-c.db", "ab.db", c)
    tuner("merge", "bc.db", b, c)
    tuner("merge", "a-bc.db", a, "bc.db")
    for name in ("ab-c.db", "a-bc.db"):
        check(name, tuner("export", name) == expected, "another export")
    tuner("merge", "all.db", *shards, "all.db", a)
    check("merged again", tuner("export", "all.db") == expected, "more rows")


def check_same_best(tuner, folder):
    """One run's rows, dealt to three files: merged, these are that run, and
    so is their best."""
    parts = [f"part{i}.db" for i in range(SHARDS)]
    for i, part in enumerate(parts):
        shutil.copy(folder / "whole.db", folder / part)
        with sqlite3.connect(folder / part) as plain:
            plain.execute("DELETE FROM trials WHERE rowid % ? <> ?",
                          (SHARDS, i))
    tuner("merge", "dealt.db", *parts)
    check("the export of a run that was dealt out and merged",
          tuner("export", "dealt.db") == tuner("export", "whole.db"), parts)
    check("its best", tuner.best("dealt.db") == tuner.best("whole.db"), parts)


with tempfile.TemporaryDirectory() as name:
    TUNER = tune_database.Tuner(sys.argv[1], name)
    check_merging(TUNER, check_shards(TUNER, pathlib.Path(name)))
    check_same_best(TUNER, pathlib.Path(name))
print("\n".join(problems) or "three shards are one run")
sys.exit(1 if problems else 0)
