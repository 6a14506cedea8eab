#!/usr/bin/env python3
"""tune_kill.py TILEWRIGHT POINTS [SEED]: kills `tilewright tune` with SIGKILL
at POINTS random moments and resumes it. After each: the database is sound and
has what was seen in it before, in the order of a run that nobody killed, and
no process is left. In the end: the schedules of that run, none of them twice.
"""

import collections
import os
import pathlib
import random
import sqlite3
import sys
import tempfile
import time
import uuid

import tune_database
from tune_database import schedules, trials

TOOL, POINTS = sys.argv[1], int(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
# Our processes, and those that they started, have this in their environment.
MARK = f"TILEWRIGHT_TUNE_KILL={uuid.uuid4()}"


def check(what, good, found):
    if not good:
        sys.exit(f"seed {SEED}: {what}: found {str(found)[:2000]}")


def ours():
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if MARK.encode() in (process / "environ").read_bytes():
                # A zombie, with no memory left, has no environment either.
                found.append(int(process.name))
        except OSError:
            pass
    return found


def check_nobody_left():
    end = time.monotonic() + 10
    while (left := ours()) and time.monotonic() < end:
        time.sleep(0.01)
    check("processes outlive the run that started them", not left, left)


def keys(path):
    """Those in the file, which may not be there yet, or just be written."""
    try:
        return {key for _, _, _, key in trials(path)}
    except sqlite3.OperationalError:
        return set()


def check_database(path, seen, order):
    """After a kill: what `seen` was there is there, and a prefix of `order`."""
    if not path.exists():
        check("trials of a file that is gone", not seen, seen)
        return
    # As the first reader finds it, half a transaction is undone.
    tuner("list", path)
    with sqlite3.connect(path) as plain:
        answer = plain.execute("PRAGMA integrity_check").fetchone()[0]
    check("PRAGMA integrity_check", answer == "ok", answer)
    rows = trials(path)
    missing = seen - {key for _, _, _, key in rows}
    check("trials that were there are lost", not missing, missing)
    found = [schedule for _, _, schedule, _ in rows]
    check("trials are those of a run that nobody killed, up to the kill",
          found == order[:len(found)], found[-3:])
    runs = collections.defaultdict(list)
    for run, sequence, _, _ in rows:
        runs[run].append(sequence)
    for numbers in runs.values():
        check("trials of a run are numbered without a hole",
              numbers == list(range(len(numbers))), numbers)


def run_until(path, moment):
    """Starts or resumes a run and kills it after `moment` seconds. Returns
    whether it was killed, and what was seen in its database."""
    process = tuner.start("shapes.csv", "--db", path, *tune_database.SPACE,
                          "--resume")
    seen, end = set(), time.monotonic() + moment
    while (left := end - time.monotonic()) > 0 and process.poll() is None:
        seen |= keys(path)
        time.sleep(min(left, 0.01))
    process.kill()
    output, _ = process.communicate()
    check("exit code", process.returncode in (0, -9),
          (process.returncode, output))
    return process.returncode == -9, seen


def main(folder):
    start = time.monotonic()
    tuner.tune("whole.db")
    seconds = time.monotonic() - start
    order = schedules(folder / "whole.db")
    killed = finished = resumed = 0
    chance = random.Random(SEED)
    while killed < POINTS:
        path = folder / f"{finished}.db"
        isKilled, seen = run_until(path, chance.uniform(0, seconds))
        check_nobody_left()
        check_database(path, seen, order)
        killed += isKilled
        resumed += isKilled and bool(seen)
        if not isKilled:
            check("schedules in the end", schedules(path) == order,
                  len(schedules(path)))
            finished += 1
    last = folder / f"{finished}.db"
    tuner.tune(last, "--resume")
    check("schedules in the end", schedules(last) == order,
          len(schedules(last)))
    print(f"seed {SEED}: killed {killed} times, {resumed} of them with trials "
          f"seen before; {finished + 1} runs of {len(order)} trials finished")


with tempfile.TemporaryDirectory() as name:
    tuner = tune_database.Tuner(TOOL, name,
                                **dict([MARK.split("=")]))
    main(pathlib.Path(os.path.realpath(name)))
