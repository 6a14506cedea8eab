"""What the modules of the formats share."""

import pathlib
import shutil
import subprocess

from run import Command, environment

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]


class Skipped(Exception):
    """A reader cannot run here: why."""


class Session:
    """Where the tools and folders are. `folder` is the mutant's and empty at
    its start; `samples` stays for the run."""

    def __init__(self, given, work):
        self.tools = given.tool_dir.resolve()
        self.tool = self.tools / "tilewright"
        self.pypi, self.python = given.pypi, given.python
        self.seed, self.sanitized = given.seed, given.sanitized
        self.folder, self.samples = work / "mutant", work / "samples"
        self.samples.mkdir(parents=True)

    def empty(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def program(self, name):
        path = self.tools / name
        if not path.exists():
            raise Skipped(f"there is no {name} in {self.tools}")
        return path

    def has_compiler(self):
        done = subprocess.run([self.tool, "compile", "none.mlir"],
                              capture_output=True, text=True, check=False)
        return "without the compiler" not in done.stderr

    def prepare(self, *command):
        """Runs what makes a sample, which must succeed; its output."""
        done = subprocess.run([str(c) for c in command], cwd=self.samples,
                              capture_output=True, text=True, timeout=300,
                              check=False, env=environment(self.sanitized))
        if done.returncode:
            raise Skipped(f"{' '.join(map(str, command))}: {done.stderr[:300]}")
        return done.stdout


class Reader:
    """A kind of input. `weight` is its share of all mutants."""
    name, weight, needs_compiler = "", 1, False

    def __init__(self, session):
        self.session = session
        if self.needs_compiler and not session.has_compiler():
            raise Skipped("this build has no compiler")
        self.prepare()

    def prepare(self):
        """Makes the samples."""

    def make(self, random):
        """Writes one mutant, from `random` alone, into the session's folder;
        returns the commands that read it."""
        raise NotImplementedError

    def finish(self):
        """After the last mutant."""

    def tool(self, *arguments, **options):
        return Command([self.session.tool, *arguments], **options)

    def write(self, name, data):
        path = self.session.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path
