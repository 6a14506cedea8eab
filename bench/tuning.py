#!/usr/bin/env python3
"""tuning.py TILEWRIGHT SHAPES.csv [--time 10m] [--random 500] [--threads N]
[-o RESULT.json]: what tuning gains over the default, shape by shape, and how
good the model's first choices are.

Of each shape, in this order, on the device cpu:
  gain    the default time over the best schedule's that `tune` finds in
          --time (the pair that confirms it at the end of the run)
  random  the best of --random random schedules
  top 10  the best of the model's ten first choices over the best of all
The databases stay in --keep FOLDER, if that is given.
"""

import argparse
import datetime
import json
import pathlib
import platform
import sqlite3
import subprocess
import sys
import tempfile


def run(tool, shape, database, *options):
    """One run of the tuner on one line of the table; its report."""
    table = database.with_suffix(".csv")
    table.write_text(shape + "\n", encoding="utf-8")
    result = subprocess.run(
        [tool, "tune", table, "--db", database, "--json", *options],
        capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{shape}: {result.stderr}")
    return json.loads(result.stdout)


def costs(database):
    """By schedule, the time relative to the default's: medians of pairs,
    multiplied along the chain of incumbents. What led to the last of them
    looked best by chance, too; all but the default's are scaled so that the
    last has the ratio of the pair that confirms it."""
    rows = sqlite3.connect(database).execute(
        "select schedule, against, ratio, origin from trials where "
        "verdict = 'ok' order by sequence").fetchall()
    cost = {rows[0][0]: 1.0}
    scale = 1.0
    for schedule, against, ratio, origin in rows:
        if origin == "confirmation":
            scale = ratio / cost[schedule]
        else:
            cost.setdefault(schedule, cost[against or schedule] * ratio)
    return {schedule: each * (1.0 if schedule == rows[0][0] else scale)
            for schedule, each in cost.items()}


def best_tried(database):
    """The least cost of all but the default schedule."""
    first = sqlite3.connect(database).execute(
        "select schedule from trials where sequence = 0").fetchone()[0]
    return min(cost for schedule, cost in costs(database).items()
               if schedule != first)


def measure(tool, shape, folder, arguments):
    name = shape.replace(",", "-")
    common = ["--threads", str(arguments.threads), "--seed",
              str(arguments.seed)]
    tuned = run(tool, shape, folder / f"{name}.tuned.db", "--time",
                arguments.time, *common)
    task = tuned["tasks"][0]
    entry = {"shape": shape, "default_us": task["default"] / 1e3,
             "gain": task["default"] / task["best"],
             "schedule": task["schedule"], "trials": tuned["trials"],
             "trials_per_second": tuned["trials"] / tuned["seconds"],
             "measuring": tuned["measuring_seconds"] / tuned["seconds"]}
    if arguments.random:
        at_random = folder / f"{name}.random.db"
        first = folder / f"{name}.model.db"
        run(tool, shape, at_random, "--time", "0", "--strategy", "random",
            "--trials", str(arguments.random + 1), *common)
        run(tool, shape, first, "--time", "0", "--strategy", "model",
            "--trials", "11", *common)
        entry["random_gain"] = 1 / best_tried(at_random)
        entry["top10_over_random"] = (best_tried(first) /
                                      best_tried(at_random))
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("shapes", type=pathlib.Path)
    parser.add_argument("--time", default="10m")
    parser.add_argument("--random", type=int, default=500)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()
    lines = [line.strip() for line in
             arguments.shapes.read_text(encoding="utf-8").splitlines()]
    shapes = [line for line in lines if line and not line.startswith("#")]
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        entries = []
        for shape in shapes:
            entry = measure(arguments.tool, shape, folder, arguments)
            entries.append(entry)
            top = entry.get("top10_over_random")
            print(f"{shape:32} default {entry['default_us']:9.1f} us  "
                  f"gain {entry['gain']:.2f}x  "
                  + (f"top 10 {top:.3f} of the best of {arguments.random}  "
                     if top else "")
                  + f"{entry['trials']} trials, "
                  f"{100 * entry['measuring']:.0f} % measuring", flush=True)
    good = [e for e in entries if e.get("top10_over_random", 9) <= 1.05]
    print(f"{len(good)} of {len(entries)} shapes: the model's top 10 are within "
          "5 % of the best random schedule" if arguments.random else "")
    if arguments.output:
        version = subprocess.run([arguments.tool, "--version"],
                                 capture_output=True, text=True).stdout.strip()
        arguments.output.write_text(json.dumps(
            {"date": datetime.date.today().isoformat(), "version": version,
             "machine": platform.processor() or platform.machine(),
             "time": arguments.time, "random": arguments.random,
             "threads": arguments.threads, "shapes": entries}, indent=1)
            + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
