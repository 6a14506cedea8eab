"""Runs one command on a mutant, within limits, and judges how it ended."""

import dataclasses
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time

# A command that takes longer hangs.
SECONDS = 20
# Each command must do with this. The address space is what is limited: that is
# exact, counts what was reserved and not yet touched, and needs no watching.
# Sanitizers reserve terabytes for their shadow: with them it is the largest
# resident size, read when the command ends; a limit of the sanitizer keeps
# the machine safe until then.
MEMORY = 4 << 30
# What is written, so that a mutant that asks for large outputs fills no disk.
FILE_SIZE = 256 << 20
# An error may quote a name of the input, and the longest edge has 70,000
# bytes; a whole file is no clear error.
MOST_OUTPUT = 1 << 18
# 0: read; 1: rejected; 2: the command line is wrong; 4: a checker's finding.
CODES = (0, 1, 2, 4)
SANITIZER_CODE = 99
ERROR = re.compile(r"(?:^|[:\s])error: ")
REPORT = re.compile(r"ERROR: (?:Address|Leak|Thread|Memory)Sanitizer|: runtime error: "
                    r"|Traceback \(most recent call last\)|Assertion `"
                    r"|PLEASE submit a bug report|LLVM ERROR|terminate called")


@dataclasses.dataclass
class Command:
    """What is run on a mutant, and how it may end."""
    arguments: list
    stdin: bytes = None
    codes: tuple = CODES
    # More that is wrong with an outcome, in a sentence, or None.
    check: object = None
    # As many mutants are read by one process.
    mutants: int = 1
    # What says that a program, once it was read, may run for as long as it
    # likes: a command that only reads it.
    reads: list = None
    # One error in all of standard error: not of servers.
    errors: bool = True
    # An error is also data on standard output.
    json: bool = False
    environment: dict = None


@dataclasses.dataclass
class Outcome:
    code: int
    out: str
    err: str
    seconds: float
    peak: int  # bytes, resident
    hangs: bool = False


def environment(sanitized):
    given = dict(os.environ, TILEWRIGHT_CACHE_DIR="off",
                 PYTHONDONTWRITEBYTECODE="1", LC_ALL="C.UTF-8")
    if sanitized:
        given["ASAN_OPTIONS"] = (
            "allocator_may_return_null=1:allow_user_poisoning=0:"
            f"detect_stack_use_after_return=1:exitcode={SANITIZER_CODE}:"
            f"hard_rss_limit_mb={2 * MEMORY >> 20}")
        given["UBSAN_OPTIONS"] = ("print_stacktrace=1:halt_on_error=1:"
                                  f"exitcode={SANITIZER_CODE}")
    return given


def run(command, folder, sanitized):
    """Runs it in `folder`, with a folder of its own for temporary files."""
    def limit():
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # An error of a write, instead of a signal.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, \
            tempfile.TemporaryFile() as given:
        given.write(command.stdin or b"")
        given.seek(0)
        begin = time.monotonic()
        process = subprocess.Popen(
            [str(a) for a in command.arguments], stdin=given, stdout=out,
            stderr=err, cwd=folder, preexec_fn=limit, start_new_session=True,
            env={**environment(sanitized), **(command.environment or {})})
        hung = threading.Event()

        def stop():
            hung.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(SECONDS, stop)
        timer.start()
        # Not Popen.wait, which forgets what was used.
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(8 << 20).decode(errors="replace"))
    return Outcome(process.returncode, *texts, seconds, usage.ru_maxrss * 1024,
                   hung.is_set())


def errors_of(text):
    return [line for line in text.splitlines() if ERROR.search(line)]


def _wrong_errors(command, outcome):
    """A command that fails has one error; one that succeeds has none."""
    found = len(errors_of(outcome.err))
    if found > 1:
        return f"{found} errors"
    if outcome.code == 0 and found:
        return "an error with exit code 0"
    if outcome.code in (1, 2) and not found:
        return f"exit code {outcome.code} without an error"
    if command.json and outcome.code == 1:
        try:
            given = json.loads(outcome.out)["diagnostics"]
        except (ValueError, KeyError, TypeError) as error:
            return f"--json without diagnostics: {error!r}"
        # Data has what stands below the line of the error, too.
        if not any(d["severity"] == "error" for d in given):
            return "--json without an error"
    return None


def judge(command, outcome):
    """What is wrong with how it ended, in a few words, or None."""
    report = REPORT.search(outcome.err)
    if outcome.hangs:
        return f"hangs: no end after {SECONDS} s"
    if outcome.code < 0:
        return f"ended by {signal.Signals(-outcome.code).name}"
    if outcome.code == SANITIZER_CODE or report:
        return "a report: " + (report.group() if report else "no text")
    if outcome.code not in command.codes:
        return f"exit code {outcome.code}"
    if outcome.peak > MEMORY:
        return f"{outcome.peak >> 20} MiB, expected at most {MEMORY >> 20}"
    if len(outcome.err) > MOST_OUTPUT:
        return f"{len(outcome.err)} bytes on standard error"
    if command.errors and (wrong := _wrong_errors(command, outcome)):
        return wrong
    return command.check(outcome) if command.check else None
