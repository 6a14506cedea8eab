#!/usr/bin/env python3
"""Where the time of the tests goes, in seconds of CPU.

  test_times.py BUILD [--match REGEX] [--jobs N] [--json FILE] [--markdown FILE]

Runs each test of a build folder, N at a time (1), fixtures first, and measures
the CPU time of its process and all that this waits for: ctest knows only how long
a test took, which depends on what ran beside it. Prints the sums of labels, of
groups (what a name has before its first '.' or '-', and of a name with a '.' all
before it) and the slowest tests. Exits with 1 where a test fails.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SKIPPED = 77


@dataclasses.dataclass
class Test:
    name: str
    label: str
    command: list
    properties: dict
    cpu: float = 0
    wall: float = 0
    verdict: str = ""

    @property
    def group(self):
        return (self.name.split(".")[0] if "." in self.name
                else self.name.split("-")[0] + "-")


def tests_of(build, match):
    """Groups of tests: fixtures' setups come before, their cleanups after, all
    others."""
    done = subprocess.run(["ctest", "--test-dir", build,
                           "--show-only=json-v1"], capture_output=True,
                          text=True, check=True)
    order = {"FIXTURES_SETUP": -1, "FIXTURES_CLEANUP": 1}
    found = []
    for each in json.loads(done.stdout)["tests"]:
        properties = {item["name"]: item["value"]
                      for item in each.get("properties", [])}
        if "command" in each and re.search(match, each["name"]):
            found.append(Test(each["name"],
                              properties.get("LABELS", ["none"])[0],
                              each["command"], properties))
    rank = lambda test: sum(order[key] for key in test.properties
                            if key in order)
    return [list(group) for _, group in
            itertools.groupby(sorted(found, key=rank), rank)]


def run(test):
    environment = {**os.environ, "TILEWRIGHT_CACHE_DIR": "off"}
    for item in test.properties.get("ENVIRONMENT", []):
        name, value = item.split("=", 1)
        environment[name] = value
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(
            test.command, cwd=test.properties.get("WORKING_DIRECTORY"),
            env=environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        test.wall = time.monotonic() - start
        test.cpu = usage.ru_utime + usage.ru_stime
        output.seek(0)
        text = output.read().decode(errors="replace")
    skip = test.properties.get("SKIP_REGULAR_EXPRESSION", [])
    if code == test.properties.get("SKIP_RETURN_CODE", SKIPPED) or \
            any(re.search(each, text, re.MULTILINE) for each in skip):
        test.verdict = "skipped"
    else:
        # ctest then reads the output alone.
        pattern = test.properties.get("PASS_REGULAR_EXPRESSION")
        good = code == 0 if pattern is None else \
            any(re.search(each, text, re.MULTILINE) for each in pattern)
        wanted = not test.properties.get("WILL_FAIL", False)
        test.verdict = "passed" if good == wanted else "failed"
    return test


def sums(tests, key):
    found = collections.defaultdict(lambda: [0, 0.0])
    for test in tests:
        found[key(test)][0] += 1
        found[key(test)][1] += test.cpu
    return sorted(found.items(), key=lambda item: -item[1][1])


def table(tests):
    total = sum(test.cpu for test in tests)
    verdicts = collections.Counter(test.verdict for test in tests)
    yield (f"{len(tests)} tests, {total:,.0f} s of CPU: " + ", ".join(
        f"{count} {verdict}" for verdict, count in verdicts.items()))
    for title, key, most in (("label", lambda test: test.label, 99),
                             ("group", lambda test: test.group, 40)):
        yield f"\n| {title} | tests | CPU s |\n|---|---:|---:|"
        for name, (count, cpu) in sums(tests, key)[:most]:
            yield f"| {name} | {count} | {cpu:.1f} |"
    yield "\n| test | CPU s | s |\n|---|---:|---:|"
    for test in sorted(tests, key=lambda test: -test.cpu)[:40]:
        yield f"| {test.name} | {test.cpu:.1f} | {test.wall:.1f} |"
    for test in tests:
        if test.verdict == "failed":
            yield f"\nfailed: {test.name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--match", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()
    groups = tests_of(options.build, options.match)
    tests = [test for group in groups for test in group]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        done = (test for group in groups for test in pool.map(run, group))
        for number, test in enumerate(done, 1):
            print(f"{number} of {len(tests)} {test.name}: {test.verdict}, "
                  f"{test.cpu:.1f} s", file=sys.stderr)
    text = "\n".join(table(tests)) + "\n"
    print(text, end="")
    if options.markdown:
        options.markdown.write_text(text)
    if options.json:
        options.json.write_text(json.dumps(
            [{"name": test.name, "label": test.label, "cpu": test.cpu,
              "wall": test.wall, "verdict": test.verdict}
             for test in tests], indent=1) + "\n")
    return 1 if any(test.verdict == "failed" for test in tests) else 0


if __name__ == "__main__":
    sys.exit(main())
