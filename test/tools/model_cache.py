#!/usr/bin/env python3
"""model_cache.py TILEWRIGHT EXAMPLES POINTS [SEED]: what `tilewright compile`
keeps. Each option says the same with a cache that has everything as without
one; a process that is killed at one of POINTS random moments leaves no bad
entry; two at once make one result; Ctrl-C leaves nothing behind.
"""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOOL, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
POINTS = int(sys.argv[3])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
GRAPH = EXAMPLES / "1-run-a-model/mlp.mlir"
TARGETS = ["--target", "cpu,sm_80"]
# What a line of time says is not compared.
SECONDS = re.compile(r"\d+\.\d+|\"\w*_ms\": \S+")

# Each with what is printed, or written to `out`.
OPTIONS = [
    *(["--emit", stage]
      for stage in ["graph", "tile", "scheduled", "loops", "llvm", "asm",
                    "ptx"]),
    ["--explain-fusion"],
    ["--explain-schedule"],
    ["--check-barriers"],
    ["--print-ir-after", "assign-layouts", "-o", "out.twp"],
    ["--print-ir-after-change", "-o", "out.twp"],
    ["--verify-each", "-o", "out.twp"],
    ["--stop-after", "form-groups", "-o", "out.mlir"],
    ["--lineinfo", "-o", "out.twp"],
    ["--no-assertions", "-o", "out.twp"],
    ["--schedule", "warps=2 threads=1", "-o", "out.twp"],
    ["--kernel", "k0_linalg_generic_12", "--emit", "ptx"],
    ["--threads", "1", "-o", "out.twp"],
    ["--max-llvm-ir", "0", "-o", "out.twp"],
    ["-o", "out.twp"],
]


def check(what, good, found=""):
    if not good:
        sys.exit(f"seed {SEED}: {what}: {str(found)[:2000]}")


def content(path):
    if path.is_file():
        return path.read_bytes()
    return {str(file.relative_to(path)): file.read_bytes()
            for file in path.rglob("*") if file.is_file()}


def result(folder, options):
    """What a run printed and wrote, without times."""
    folder.mkdir()
    run = subprocess.run([TOOL, "compile", GRAPH, *TARGETS, *options],
                         cwd=folder, capture_output=True, text=True)
    text = SECONDS.sub("", run.stdout).replace(" from the cache", "")
    return run.returncode, text, SECONDS.sub("", run.stderr), content(folder)


def check_options(folder):
    cache = folder / "cache"
    for i, options in enumerate(OPTIONS):
        plain = result(folder / f"plain{i}", [*options, "--no-cache"])
        check(options, plain[0] == 0, plain)
        for j in range(2):
            kept = result(folder / f"kept{i}-{j}",
                           [*options, "--cache", cache])
            check(options, kept == plain, (kept, plain))
    # The last one is the package alone, and came from there.
    warm = subprocess.run(
        [TOOL, "compile", GRAPH, *TARGETS, "-o", folder / "warm.twp",
         "--cache", cache], capture_output=True, text=True, check=True)
    check("from the cache", "from the cache" in warm.stdout, warm.stdout)


def check_environment(folder):
    """Where it is kept if nobody says so."""
    for name, value, location in [
            ("TILEWRIGHT_CACHE_DIR", "own", "own"),
            ("XDG_CACHE_HOME", str(folder / "xdg"), "xdg/tilewright"),
            ("HOME", str(folder / "home"), "home/.cache/tilewright"),
            ("TILEWRIGHT_CACHE_DIR", "off", None)]:
        clean = {key: text for key, text in os.environ.items()
                 if key not in ("TILEWRIGHT_CACHE_DIR", "XDG_CACHE_HOME",
                                "HOME")}
        before = set(folder.rglob("*.entry"))
        subprocess.run([TOOL, "compile", GRAPH, "-o", "e.twp"], cwd=folder,
                       env={**clean, name: value}, check=True,
                       stdout=subprocess.DEVNULL)
        new = set(folder.rglob("*.entry")) - before
        check(name, bool(new) == bool(location), new)
        check(name, all(file.is_relative_to(folder / location) for file in new),
              new)


def start(folder, package, *options):
    return subprocess.Popen(
        [TOOL, "compile", GRAPH, *TARGETS, "-o", folder / package, "--cache",
         folder / "cache", *options], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def check_kills(folder, expected):
    begin = time.monotonic()
    check("compile", start(folder, "time.twp").wait() == 0)
    whole = time.monotonic() - begin
    points = random.Random(SEED)
    for _ in range(POINTS):
        shutil.rmtree(folder / "cache", ignore_errors=True)
        process = start(folder, "killed.twp")
        time.sleep(points.uniform(0, whole))
        process.kill()
        process.wait()
        if (folder / "killed.twp").exists():
            check("killed", content(folder / "killed.twp") == expected)
        check("after a kill", start(folder, "after.twp").wait() == 0)
        check("after a kill", content(folder / "after.twp") == expected)


def check_two(folder, expected):
    for _ in range(3):
        shutil.rmtree(folder / "cache", ignore_errors=True)
        both = [start(folder, "both.twp") for _ in range(2)]
        check("two at once", [process.wait() for process in both] == [0, 0])
        check("two at once", content(folder / "both.twp") == expected)
        check("two at once", not list((folder / "cache").rglob(".writing-*")))


def check_interrupt(folder):
    """With one thread and all checks it takes long enough to be met."""
    for name, number in [("int", signal.SIGINT), ("term", signal.SIGTERM)]:
        stopped = folder / name
        stopped.mkdir()
        process = subprocess.Popen(
            [TOOL, "compile", GRAPH, "--target",
             "cpu,sm_80,sm_86,sm_89,sm_90a", "--no-cache", "--verify-each",
             "--threads", "1", "-o", stopped / "m.twp"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        # Once the signal is blocked it is a wish.
        status = pathlib.Path(f"/proc/{process.pid}/status")
        bit = 1 << (number - 1)
        while process.poll() is None:
            blocked = re.search(r"SigBlk:\s*(\w+)", status.read_text())
            if int(blocked[1], 16) & bit:
                break
        process.send_signal(number)
        message = process.communicate()[1]
        check(name, process.returncode == 130, (process.returncode, message))
        check(name, "given up on request in" in message, message)
        check(name, not list(stopped.iterdir()), list(stopped.iterdir()))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expected = result(folder / "expected",
                           ["-o", "out.twp", "--no-cache"])[3]
        expected = {path.removeprefix("out.twp/"): text
                    for path, text in expected.items()}
        check_options(folder)
        check_environment(folder)
        check_kills(folder, expected)
        check_two(folder, expected)
        check_interrupt(folder)


main()
