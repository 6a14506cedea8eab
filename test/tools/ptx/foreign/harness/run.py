"""The command line of scripts/foreign-kernels."""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import importlib
import json
import os
import pathlib
import pkgutil
import subprocess
import sys
import time

import numpy as np

from . import build, case as cases, compare, ptx as ptx_text

ROOT = build.HERE.parents[3]
SKIP = 77  # ctest's SKIP_RETURN_CODE


@dataclasses.dataclass
class Result:
    name: str
    target: str
    verdict: str  # pass, wrong, refused, failed, skipped
    detail: str = ""
    seconds: float = 0.0
    digest: str = ""  # of the PTX


class Settings:
    """What to run with, from the command line."""

    def __init__(self, arguments):
        self.tilewright = arguments.tilewright
        self.device = arguments.device
        self.check = arguments.check
        self.timeout = arguments.timeout
        self.folder = arguments.build_dir.resolve()

    def folder_of(self, case, target):
        return self.folder / "runs" / f"{case.name}.{target}"

    def compile(self, case, target):
        return build.compile(case, target, self.folder / "ptx")


def load_cases():
    import cases as package
    for module in sorted(pkgutil.iter_modules(package.__path__),
                         key=lambda module: module.name):
        importlib.import_module(f"cases.{module.name}")


def write_launch(launch, folder):
    """Writes L.json and the inputs; returns its path."""
    files = {}
    for index, buffer in launch.buffers():
        if buffer.array is not None:
            files[index] = f"argument{index}.npy"
            np.save(folder / files[index], buffer.array)
    return {"grid": list(ptx_text.three(launch.grid)),
            "block": list(ptx_text.three(launch.block)),
            "cluster": list(ptx_text.three(launch.cluster)),
            "dynamicShared": launch.shared,
            "args": [argument.json(files.get(index)) for index, argument
                     in enumerate(launch.arguments)]}


def check(case, ptx, entry, target, launch):
    """What is wrong before anything runs: the launch against the PTX, ptxas
    against the PTX, references against their second formulations."""
    wrong = ptx_text.problems(ptx.read_text(), entry, launch)
    names = {buffer.name: buffer.dtype for _, buffer in launch.buffers()
             if buffer.name}
    if set(names) != set(launch.expected):
        wrong.append(f"outputs {sorted(names)}, "
                     f"expected {sorted(launch.expected)}")
    for name, expectation in launch.expected.items():
        if expectation.again:
            problem = compare.second_opinion(expectation, names[name])
            if problem:
                wrong.append(f"reference of {name}: {problem}")
    try:
        build.assemble(case.tool, ptx, target)
    except build.Failure as failure:
        wrong.append(str(failure))
    return wrong


def execute(settings, ptx, launch, folder):
    """(verdict, detail) of running a kernel and judging its outputs."""
    outputs = folder / "outputs"
    outputs.mkdir(exist_ok=True)
    for old in outputs.iterdir():
        old.unlink()
    command = [settings.tilewright, "run", ptx, "--device", settings.device,
               "--launch", folder / "L.json", "--output-dir", outputs]
    try:
        done = subprocess.run([str(part) for part in command], check=False,
                              capture_output=True, text=True,
                              timeout=settings.timeout)
    except subprocess.TimeoutExpired:
        return "failed", f"no end after {settings.timeout} s"
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip()
        return ("refused" if done.returncode == 1 else "failed",
                f"exit code {done.returncode}: {said}")
    for _, buffer in launch.buffers():
        if not buffer.name:
            continue
        file = outputs / f"{buffer.name}.npy"
        if not file.is_file():
            return "failed", f"{file.name} was not written"
        problem = compare.judge(launch.expected[buffer.name], np.load(file),
                                buffer.dtype)
        if problem:
            return "wrong", f"{buffer.name}: {problem}"
    return "pass", ""


def run_one(settings, case, target):
    """Checks or runs a kernel that has been compiled."""
    result = Result(case.name, target, "failed")
    begin = time.monotonic()
    ptx, facts = settings.compile(case, target)
    launch = case.launch()
    if case.tool == "triton":
        from . import triton_compile
        launch = triton_compile.complete(launch, facts)
    entry = facts.get("name", case.entry)
    folder = settings.folder_of(case, target)
    folder.mkdir(parents=True, exist_ok=True)
    plan = dict({"entry": entry}, **write_launch(launch, folder))
    (folder / "L.json").write_text(json.dumps(plan, indent=1) + "\n")
    result.digest = hashlib.sha256(ptx.read_bytes()).hexdigest()
    if settings.check:
        wrong = check(case, ptx, entry, target, launch)
        result.verdict = "wrong" if wrong else "pass"
        result.detail = "; ".join(wrong)
    else:
        result.verdict, result.detail = execute(settings, ptx, launch, folder)
    result.seconds = time.monotonic() - begin
    return result


def compile_all(settings, work, pool):
    """What the compilers said to the units that they refused. Triton's are
    compiled one after the other: it is not meant for several threads."""
    units = {build.unit(case, target): (case, target)
             for case, target in work}

    def failure(item):
        try:
            settings.compile(*item)
        except build.Failure as said:
            return str(said)
        return None
    futures = {name: pool.submit(failure, item) for name, item
               in units.items() if item[0].tool == "nvcc"}
    said = {name: failure(item) for name, item in units.items()
            if item[0].tool == "triton"}
    said.update((name, future.result()) for name, future in futures.items())
    return said


def run_all(settings, work, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        said = compile_all(settings, work, pool)

        def one(item):
            refusal = said[build.unit(*item)]
            if refusal:
                return Result(item[0].name, item[1], "failed", refusal)
            return run_one(settings, *item)
        yield from pool.map(one, work)


def print_result(result, width):
    line = f"{result.name:{width}} {result.target:7} {result.verdict:8}"
    print(f"{line} {result.seconds:6.2f} s" if result.seconds else line,
          flush=True)
    if result.detail and result.verdict != "skipped":
        lines = result.detail.splitlines()
        more = [f"... {len(lines) - 8} more lines"] if len(lines) > 8 else []
        print("    " + "\n    ".join(lines[:8] + more))


def why_not(settings):
    """Why nothing can run, or None. A program without a list of devices is
    taken at its word."""
    try:
        done = subprocess.run([settings.tilewright, "devices"],
                              capture_output=True, text=True, check=False)
    except OSError as error:
        return f"{settings.tilewright}: {error.strerror}"
    name = settings.device.split(":")[0]
    if done.returncode or name in done.stdout.split():
        return None
    return f"{settings.tilewright} has no device {settings.device}"


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="foreign-kernels",
        description="Runs kernels made by nvcc and Triton on a device of "
        "Tilewright and compares with NumPy.",
        epilog="Exit codes: 0 good, 1 a kernel is wrong, 2 wrong usage, 77 "
        "nothing could run (no tool, or no such device).")
    parser.add_argument("--tilewright", type=pathlib.Path,
                        default=ROOT / "build/bin/tilewright",
                        metavar="PATH",
                        help="the command that runs kernels")
    parser.add_argument("--device", default="emulator")
    parser.add_argument("--build-dir", type=pathlib.Path,
                        default=ROOT / "build/foreign-kernels",
                        help="where PTX, inputs and outputs go")
    parser.add_argument("--only", action="append", metavar="PATTERN",
                        help="cases whose name holds this regular expression")
    parser.add_argument("--target", action="append",
                        choices=cases.ALL, help="all of a case's by default")
    parser.add_argument("--check", action="store_true",
                        help="run nothing: check launches against the PTX, "
                        "PTX with ptxas, references with second formulations")
    parser.add_argument("--list", action="store_true", help="name the cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=300,
                        help="seconds for one kernel")
    return parser.parse_args(argv)


def write_manifest(settings, results):
    """What ran: one entry a kernel and target, in BUILD-DIR/manifest.json."""
    by_name = {case.name: case for case in cases.CASES}
    entries = [dict(dataclasses.asdict(result),
                    tool=by_name[result.name].tool,
                    source=by_name[result.name].source,
                    options=repr(by_name[result.name].options))
               for result in results]
    settings.folder.mkdir(parents=True, exist_ok=True)
    (settings.folder / "manifest.json").write_text(json.dumps(
        {"device": None if settings.check else settings.device,
         "tools": {tool: build.version(tool) for tool in ("nvcc", "triton")},
         "kernels": entries}, indent=1) + "\n")


def main(argv=None):
    arguments = parse(argv)
    load_cases()
    wanted = cases.selected(arguments.only)
    if arguments.list:
        for case in wanted:
            print(f"{case.name:34} {case.tool:7} {' '.join(case.targets)}")
        return 0
    settings = Settings(arguments)
    os.environ.setdefault("TRITON_CACHE_DIR",
                          str(settings.folder / "triton-cache"))
    if not wanted:
        print(f"error: no case matches {arguments.only}", file=sys.stderr)
        return 2
    missing = None if settings.check else why_not(settings)
    if missing:
        print(f"skipped: {missing}")
        return SKIP
    width = max(len(case.name) for case in wanted)
    work, results = [], []
    for case in wanted:
        for target in case.targets:
            if arguments.target and target not in arguments.target:
                continue
            if build.version(case.tool):
                work.append((case, target))
            else:
                results.append(Result(case.name, target, "skipped",
                                      f"{case.tool} is not here"))
    for result in results:
        print(f"{result.name:{width}} {result.target:7} skipped: "
              f"{result.detail}")
    for result in run_all(settings, work, arguments.jobs):
        print_result(result, width)
        results.append(result)
    write_manifest(settings, results)
    return summarize(results)


def summarize(results):
    counts = collections.Counter(result.verdict for result in results)
    kernels = {result.name for result in results
               if result.verdict == "pass"}
    print(f"{len(kernels)} kernels: " + ", ".join(
        f"{counts[verdict]} {verdict}" for verdict in
        ("pass", "wrong", "refused", "failed", "skipped")))
    if counts["wrong"] + counts["refused"] + counts["failed"]:
        return 1
    return 0 if counts["pass"] else SKIP
