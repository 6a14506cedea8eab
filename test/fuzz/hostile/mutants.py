"""mutants.py --tool-dir BIN [--readers R,..] [--count N] [--seed S]: mutants of
what each reader reads, N over all readers by their weights, those of the seeds
S, S + 1, .. A mutant is made from its reader and seed alone.

Prints a line for each finding, with the seed that makes it again, then what
became of the mutants. The exit code is 1 if there is a finding.

  --keep       folder for the findings: the files, and what was run
  --sanitized  the tools have AddressSanitizer: memory is measured, not limited
  --pypi       folder of unpacked packages: models of onnx are samples, too
  --python     a Python that has the module tilewright
"""

import argparse
import pathlib
import random
import shlex
import shutil
import sys
import tempfile
import time

from caches import Caches
from capi import CApi
from databases import Databases
from language_server import LanguageServer
from mlir_files import LinalgText, Schedules, TileText
from onnx_files import Onnx, TensorProtos
from packages import Packages, Safetensors
from ptx_files import Ptx
from python_module import PythonModule
from reader import Session, Skipped
from run import MEMORY, SECONDS, judge, run
from spatial_files import SpatialFiles
from tensors import Npy

READERS = {reader.name: reader for reader in (
    Onnx, TensorProtos, LinalgText, TileText, Schedules, Packages, Safetensors,
    SpatialFiles, Ptx, Npy, Databases, Caches, CApi, PythonModule,
    LanguageServer)}


class Row:
    """What became of one reader's mutants."""

    def __init__(self):
        self.read = self.rejected = self.long = self.findings = 0
        self.peak = self.slowest = self.slowest_seed = self.seconds = 0

    def cells(self, name):
        count = self.read + self.rejected + self.long + self.findings
        return [name, count, self.read, self.rejected, self.long,
                self.findings, self.peak >> 20, f"{self.slowest:.1f}",
                self.slowest_seed, f"{self.seconds:.0f}"]


HEADS = ["reader", "mutants", "read", "rejected", "long", "findings",
         "most MiB", "slowest s", "its seed", "all s"]


def keep(session, folder, name, seed, command, outcome, problem):
    """The files of a finding, and how to see it again."""
    where = folder / f"{name}-{seed}"
    shutil.rmtree(where, ignore_errors=True)
    shutil.copytree(session.folder, where, symlinks=True)
    (where / "finding.txt").write_text(
        f"{problem}\n{shlex.join(map(str, command.arguments))}\n"
        f"exit code {outcome.code}, {outcome.seconds:.1f} s, "
        f"{outcome.peak >> 20} MiB\n{outcome.out[-4000:]}\n"
        f"{outcome.err[:20000]}")
    if command.stdin:
        (where / "stdin").write_bytes(command.stdin)


def execute(session, command, row):
    """Runs one command; (outcome, problem, whether the program is long)."""
    outcome = run(command, session.folder, session.sanitized)
    problem, is_long = judge(command, outcome), False
    if outcome.hangs and command.reads:
        # What was read may run for as long as it likes: reading may not.
        command.arguments = command.reads
        outcome = run(command, session.folder, session.sanitized)
        problem, is_long = judge(command, outcome), True
    row.peak = max(row.peak, outcome.peak)
    row.slowest = max(row.slowest, outcome.seconds)
    return outcome, problem, is_long


def test(session, reader, seed, row, given):
    """One seed of a reader; how many mutants it was."""
    session.empty()
    commands = reader.make(random.Random(f"{reader.name} {seed}"))
    count = sum(command.mutants for command in commands)
    ends = []
    for command in commands:
        slowest = row.slowest
        outcome, problem, is_long = execute(session, command, row)
        if row.slowest > slowest:
            row.slowest_seed = seed
        if problem:
            last = outcome.out.strip().splitlines()[-1:] \
                if command.mutants > 1 else ""
            print(f"finding: {reader.name} seed {seed}: {problem}"
                  f"{'; last ' + last[0] if last else ''}\n"
                  f"  {shlex.join(map(str, command.arguments))}", flush=True)
            if given.keep:
                keep(session, given.keep, reader.name, seed, command, outcome,
                     problem)
            row.findings += 1
            row.read += count - 1 if command.mutants > 1 else 0
            return count
        ends.append("long" if is_long else
                    "read" if outcome.code == 0 else "rejected")
        if command.mutants > 1:
            rejected = sum(map(int, outcome.out.rsplit("rejected", 1)[-1:]
                               [0].split()[:1] or [0]))
            row.rejected += rejected
            row.read += command.mutants - rejected
            return count
    setattr(row, ends[0], getattr(row, ends[0]) + 1)
    return count


def shares(names, count):
    """How many of `count` mutants each reader gets: one at least."""
    total = sum(READERS[name].weight for name in names)
    return {name: max(1, count * READERS[name].weight // total)
            for name in names}


def table(rows):
    lines = [HEADS] + rows
    widths = [max(len(str(line[i])) for line in lines)
              for i in range(len(HEADS))]
    for line in lines:
        print("  ".join(str(cell).ljust(width) if i == 0 else
                        str(cell).rjust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tool-dir", type=pathlib.Path, required=True)
    parser.add_argument("--readers", default=",".join(READERS))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--pypi", type=pathlib.Path)
    parser.add_argument("--python", type=pathlib.Path)
    parser.add_argument("--sanitized", action="store_true")
    given = parser.parse_args()
    names = given.readers.split(",")
    if unknown := [name for name in names if name not in READERS]:
        parser.error(f"no reader {unknown[0]}; expected {', '.join(READERS)}")
    for path in ("keep", "pypi", "python"):
        if getattr(given, path):
            # Not resolved: a Python of an environment is a link.
            setattr(given, path, getattr(given, path).absolute())
    rows, findings = [], 0
    for name, count in shares(names, given.count).items():
        with tempfile.TemporaryDirectory(prefix="mutants-") as work:
            session, row = Session(given, pathlib.Path(work)), Row()
            begin = time.monotonic()
            try:
                reader = READERS[name](session)
            except Skipped as reason:
                print(f"{name}: skipped: {reason}", flush=True)
                continue
            seed = given.seed
            while count > 0:
                count -= test(session, reader, seed, row, given)
                seed += 1
            reader.finish()
            row.seconds = time.monotonic() - begin
        rows.append(row.cells(name))
        findings += row.findings
        print(f"{name}: seeds {given.seed} to {seed - 1}", flush=True)
    table(rows)
    print(f"{findings} findings; limits: {SECONDS} s, {MEMORY >> 20} MiB")
    return 1 if findings or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
