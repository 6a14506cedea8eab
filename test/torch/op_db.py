"""Judges the operators by PyTorch's own samples, torch.testing's op_db.

Each entry's first three samples of f32 (of its first type, if it has no f32),
and one sample of each further type, go through two doors:

  compile  torch.compile(backend="tilewright", strict), as one graph
  pt2      torch.export.export, torch.export.save, and the archive compiled

The results are compared with eager PyTorch: shapes, types, integers, booleans
and NaN exactly, and floats with the tolerances of torch.testing times 8 (times
2 for floats of 16 bits). What is beyond that is right, too, if it is not
farther from the result in f64 than twice eager's distance, element by element
or at most. Strides are compared where torch.compile promises them, which is
where the backend "aot_eager" has eager's, too. Of sorts and their kin, which
may return the index of any of equal elements, the elements are compared.

Verdicts of a sample and a door:

  right
  wrong          other values, shapes, types or strides
  unsupported    an error names the operator, or what of it is not supported
  failed         any other error of ours, at import or in the run
  crash          the process ended, or took longer than --time-limit
  not exported   PyTorch cannot make one graph of it
  incomparable   random numbers, uninitialized memory, or no tensors

A door's verdict on an entry is the worst of its samples; samples that are not
exported or incomparable count only if there are no others. An entry is whole if
it is right by both doors.

Results are appended to --results, a line of JSON per entry. Entries that are
there are skipped, so that an interrupted run goes on. `--table FILE` writes the
page docs/pytorch-operators.md from the results.

  op_db.py [--results FILE] [--entries REGEX] [--again VERDICT,...]
           [--types all|first] [--jobs N] [--time-limit S] [--table FILE]
           [--at-least N]"""
from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
import warnings

VERDICTS = ["crash", "wrong", "failed", "unsupported", "right", "not exported",
            "incomparable"]
DOORS = ["compile", "pt2"]
# Entries whose results are not determined, and are not tagged so.
UNDETERMINED = {
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty",
    "new_empty_strided", "resize_", "resize_as_",
}
# Operators that return the indices of any of equal elements.
UNSTABLE = {"argsort", "kthvalue", "median", "mode", "nanmedian", "sort",
            "topk"}
# Entries a child process judges before it ends.
CHUNK = 40


def worst(verdicts):
    judged = [v for v in verdicts
              if VERDICTS.index(v) <= VERDICTS.index("right")]
    return min(judged or verdicts, key=VERDICTS.index)


# The child process: judges entries by their numbers.

def judge_entries(numbers, types):
    from op_db_judge import Judge
    judge = Judge(types)
    for number in numbers:
        print(json.dumps({"begin": number}), flush=True)
        print(json.dumps(judge.entry(number)), flush=True)


def list_entries():
    from torch.testing._internal.common_methods_invocations import op_db
    print(json.dumps([name_of(entry) for entry in op_db]))


def name_of(entry):
    variant = entry.variant_test_name
    return f"{entry.name}.{variant}" if variant else entry.name


# The parent process.

class Child:
    """A process that judges entries, and its lines as they come."""

    def __init__(self, arguments):
        self.process = subprocess.Popen(
            [sys.executable, __file__, *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=dict(
                os.environ, OMP_NUM_THREADS="1", PYTHONWARNINGS="ignore"))
        self.lines = queue.Queue()
        self.errors = collections.deque(maxlen=20)
        for target in (self._read, self._read_errors):
            threading.Thread(target=target, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            if line.startswith("{") or line.startswith("["):
                self.lines.put(json.loads(line))
        self.lines.put(None)

    def _read_errors(self):
        self.errors.extend(self.process.stderr)

    def next(self, seconds):
        """The next line; nothing if the process has ended or is too slow."""
        try:
            return self.lines.get(timeout=seconds)
        except queue.Empty:
            return None

    def end(self):
        self.process.kill()
        return self.process.wait()


def crashed(name, why):
    sample = {"door": None, "type": "", "sample": 0, "verdict": "crash",
              "detail": why}
    return {"entry": name, "samples": [dict(sample, door=d) for d in DOORS]}


def judge_chunk(numbers, names, options, write):
    """A crash is the verdict on the entry that was being judged."""
    while numbers:
        child = Child(["--child", json.dumps(numbers), "--types",
                       options.types])
        current = None
        while numbers:
            line = child.next(options.time_limit)
            if line is None:
                break
            if "begin" in line:
                current = line["begin"]
                continue
            write(line)
            numbers = [n for n in numbers if n != current]
            current = None
        hangs = child.process.poll() is None
        code = child.end()
        if not numbers:
            return
        if current is None:
            if not hangs and code != 0:
                sys.exit("error: a child process could not begin:\n" +
                         "".join(child.errors))
            current = numbers[0]
        why = (f"took more than {options.time_limit} s" if hangs else
               f"ended with {code}: {''.join(list(child.errors)[-3:])}")
        write(crashed(names[current], why))
        numbers = [n for n in numbers if n != current]


def read_results(path):
    """The last result of each entry."""
    results = {}
    if path.exists():
        for line in path.read_text().splitlines():
            result = json.loads(line)
            results[result["entry"]] = result
    return results


def verdict_of(result, door):
    return worst([s["verdict"] for s in result["samples"] if s["door"] == door]
                 or ["incomparable"])


def is_whole(result):
    return all(verdict_of(result, door) == "right" for door in DOORS)


def judge(options, path):
    names = Child(["--list"]).next(300)
    if names is None:
        sys.exit("error: torch.testing's op_db cannot be imported")
    results = read_results(path)
    wanted = []
    for number, name in enumerate(names):
        if not re.search(options.entries, name):
            continue
        known = results.get(name)
        if known and not (options.again and any(
                verdict_of(known, door) in options.again for door in DOORS)):
            continue
        wanted.append(number)
    lock = threading.Lock()
    start = time.monotonic()
    count = 0

    def write(result):
        nonlocal count
        with lock, open(path, "a") as file:
            file.write(json.dumps(result) + "\n")
            count += 1
            print(f"{count}/{len(wanted)} {time.monotonic() - start:.0f} s  "
                  f"{result['entry']}: " + ", ".join(
                      f"{d} {verdict_of(result, d)}" for d in DOORS), flush=True)

    chunks = [wanted[i:i + CHUNK] for i in range(0, len(wanted), CHUNK)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda chunk: judge_chunk(chunk, names, options, write),
                      chunks))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--results", default="op_db.jsonl")
    parser.add_argument("--entries", default="")
    parser.add_argument("--again", type=lambda text: text.split(","))
    parser.add_argument("--types", choices=["all", "first"], default="all")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--time-limit", type=int, default=180)
    parser.add_argument("--table")
    parser.add_argument("--at-least", type=int)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.list:
        return list_entries()
    if options.child:
        return judge_entries(json.loads(options.child), options.types)
    path = pathlib.Path(options.results)
    judge(options, path)
    results = read_results(path)
    counts = collections.Counter(
        (door, verdict_of(result, door)) for result in results.values()
        for door in DOORS)
    for door in DOORS:
        print(f"{door}: " + ", ".join(f"{counts[door, v]} {v}" for v in VERDICTS
                                      if counts[door, v]))
    whole = sum(map(is_whole, results.values()))
    print(f"{whole} of {len(results)} entries are whole")
    if options.table:
        from op_db_table import write_table
        write_table(results, options.table)
    bad = [name for name, result in results.items() for door in DOORS
           if verdict_of(result, door) in ("crash", "wrong", "failed")]
    if options.at_least is not None and (bad or whole < options.at_least):
        sys.exit(f"error: expected at least {options.at_least} whole entries "
                 "and none that crashes, fails or is wrong; these are: " +
                 ", ".join(sorted(set(bad))))


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
