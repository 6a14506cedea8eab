"""What the tests of real runs of `tilewright tune` share: running it, and
looking into its databases with nothing but SQLite."""

import json
import os
import pathlib
import sqlite3
import subprocess

# A kernel and a part of its space so small that a trial takes milliseconds.
TABLE = "op,M,N,K\ngemm,32,32,32\n"
SPACE = ["--only", "rows,unroll", "--strategy", "exhaustive", "--time", "0"]


class Tuner:
    """Runs TOOL in `folder`, where it keeps its scratch files, too."""

    def __init__(self, tool, folder, **environment):
        self.tool = pathlib.Path(tool).resolve()
        self.folder = pathlib.Path(folder)
        self.environment = dict(os.environ, TMPDIR=str(folder), **environment)
        (self.folder / "shapes.csv").write_text(TABLE, encoding="utf-8")

    def start(self, *arguments):
        return subprocess.Popen(
            [self.tool, "tune", *map(str, arguments)], cwd=self.folder,
            env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def __call__(self, *arguments, expected=0):
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=300)
        if process.returncode != expected:
            raise SystemExit(f"tune {arguments}: expected exit {expected}, "
                             f"found {process.returncode}\n{output}")
        return output

    def tune(self, database, *arguments):
        return self("shapes.csv", "--db", database, *SPACE, *arguments)

    def best(self, database):
        return json.loads(self("best", database, "--json"))


def trials(path):
    """(run, sequence, schedule, key) of what a search tried, in the order of
    time; without the measurement that confirms a run's best."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as plain:
        return plain.execute(
            "SELECT trials.run, sequence, schedule, trials.key FROM trials "
            "WHERE origin <> 'confirmation' ORDER BY trials.rowid").fetchall()


def schedules(path):
    return [schedule for _, _, schedule, _ in trials(path)]
