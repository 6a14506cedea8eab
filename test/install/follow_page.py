"""follow_page.py PAGE PREFIX WORK CLONE: does word for word what a page says,
in an empty folder.

Blocks of a page: ```LANGUAGE FILE is the file's contents; ```sh are commands,
run with $TILEWRIGHT set to PREFIX and its programs first on the PATH; ```console
is what the commands before it print last, where `...` stands for anything
within a line, and alone for any lines. ```sh clone are commands for a clone of
the repository that take too long to be run here: it is checked that what they
name exists. A command that ends in `# needs PROGRAM` is run where that is
installed.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

CLONE = "clone"


class Problem(Exception):
    pass


def expected_text(contents):
    """The pattern of a console block."""
    lines = []
    for line in contents.splitlines(keepends=True):
        lines.append("(?:.*\n)*" if line == "...\n" else
                     ".*".join(map(re.escape, line.split("..."))))
    return re.compile("".join(lines) + r"\Z")


def runnable(contents):
    kept = []
    for line in contents.splitlines():
        needs = re.search(r"# needs (\S+)$", line)
        if needs and not shutil.which(needs.group(1)):
            print(f"not run, {needs.group(1)} is not installed: {line}")
            continue
        kept.append(line)
    return "\n".join(kept) + "\n"


def run(contents, work, prefix):
    with tempfile.TemporaryDirectory() as own:
        # A page's python3 is this one, which has NumPy, whatever PATH has; no
        # link, of which a virtual environment would remember the folder.
        python = pathlib.Path(own) / "python3"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n',
                          encoding="utf-8")
        python.chmod(0o755)
        environment = dict(os.environ, TILEWRIGHT=str(prefix),
                           PATH=f"{prefix}/bin:{own}:{os.environ['PATH']}")
        done = subprocess.run(["bash", "-e", "-c", runnable(contents)],
                              cwd=work, env=environment, text=True,
                              capture_output=True, timeout=1200)
    if done.returncode:
        raise Problem(f"exit {done.returncode}\n{contents}{done.stdout}"
                      f"{done.stderr}")
    return done.stdout


# Commands for a clone, and how to check whether they can run.
def ask_file(words):
    return ["test", "-e", words[0]]


# The folder of single sources has the targets and tests of `build`.
def ask_ninja(words):
    if words[2] not in ("build", "build-dev"):
        raise Problem(f"an unknown folder: {shlex.join(words)}")
    return ["ninja", "-C", "build", "-t", "query", *(words[3:] or ["all"])]


def ask_ctest(words):
    words = ["build" if word == "build-dev" else word for word in words]
    return [*words, "-N", "--no-tests=error"]


def ask_cmake(words):
    if "--preset" not in words:
        raise Problem(f"only presets are known: {shlex.join(words)}")
    preset = words[words.index("--preset") + 1]
    return ["bash", "-c", f"cmake --list-presets | grep -qw {preset}"]


ASK = {"ninja": ask_ninja, "ctest": ask_ctest, "cmake": ask_cmake,
       "clang-format-22": lambda words: ["clang-format-22", "--version"],
       "python3": lambda words: ask_file(words[1:])}


def could_run(contents, clone):
    for line in contents.splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        question = ASK.get(words[0], ask_file)(words)
        done = subprocess.run(question, cwd=clone, text=True,
                              capture_output=True, timeout=300)
        if done.returncode:
            raise Problem(f"{line}\n{shlex.join(question)} fails\n"
                          f"{done.stdout}{done.stderr}")


def follow(text, prefix, work, clone):
    """The number of blocks with commands."""
    blocks = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", text, re.M | re.S)
    # Files first: a page may explain one after the command that builds it.
    for language, name, contents in blocks:
        if name and name != CLONE:
            (work / name).write_text(contents, encoding="utf-8")
    printed, commands = "", 0
    for language, name, contents in blocks:
        if language == "sh":
            commands += 1
            if name == CLONE:
                could_run(contents, clone)
            else:
                printed = run(contents, work, prefix)
        elif language == "console" and not expected_text(
                contents).search(printed):
            raise Problem(f"expected\n{contents}found\n{printed}")
    return commands


def main():
    page, prefix, work, clone = (pathlib.Path(a).resolve()
                                 for a in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        commands = follow(page.read_text(encoding="utf-8"), prefix, work, clone)
    except Problem as problem:
        print(f"{page}: {problem}")
        return 1
    print(f"{page}: {commands} blocks of commands followed")
    return 0 if commands else 1


if __name__ == "__main__":
    sys.exit(main())
