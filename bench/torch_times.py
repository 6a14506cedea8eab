#!/usr/bin/env python3
"""Models and functions of PyTorch on the CPU: ours against eager and Inductor.

  torch_times.py TOOL --work DIR [--models [NAME ..]] [--rows] [--threads N ..]
           [--no-inductor] [--markdown FILE]

--models (all of torch_models.py, without names) runs torch_case.py once for each
model and number of threads: eager, Inductor (default and freezing) and ours (by
torch.compile, frozen, and the package of a .pt2 archive) by turns in one process. --rows
times operators along one row of 10^3 to 10^6 elements and those at indices, as archives,
against eager.

A case that is done is a line of DIR/models.jsonl or DIR/rows.jsonl, and is not run again.
--markdown writes tables of all lines. Times of calls are the CPU time of all threads, of
the best call; of two threads the wall's, too. Results are compared with eager's: within
1e-3 of the largest element, integers exactly. Exits with 1 where one differs or fails.
Run it by the Python of an environment with torch, torchvision, transformers, onnx,
onnxscript and tilewright. (A script torch.py would hide the module torch.)
"""

import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
OURS = ("ours", "ours, frozen", "ours, .pt2")
THEIRS = ("eager", "Inductor", "Inductor, frozen")
ROW_ELEMENTS = (10**3, 10**4, 10**5, 10**6)


def read_lines(file):
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text().splitlines()]


def run_case(file, words, folder):
    """Appends what a case prints; whether it did."""
    folder.mkdir(parents=True)
    # Inductor's cache of one case is not that of another.
    result = subprocess.run(
        [sys.executable, HERE / "torch_case.py", *map(str, words), "--work",
         folder], check=False, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor")})
    shutil.rmtree(folder)
    lines = result.stdout.splitlines()
    if not lines or not lines[-1].startswith("{"):
        return False
    with file.open("a") as output:
        output.write(lines[-1] + "\n")
    return True


def run_all(options, kind, cases):
    """Runs the cases that have no line: of each a key, and words. The lines."""
    file, failed = options.work / f"{kind}.jsonl", []
    for key, words in cases:
        if key in [line["key"] for line in read_lines(file)]:
            continue
        print(key, flush=True)
        if not run_case(file, [options.tool, *words, "--key", key],
                        options.work / "case"):
            failed.append(key)
    return read_lines(file), failed


def ratio(line, ours, theirs, clock):
    """How many times faster ours is."""
    if theirs not in line["call"]:
        return None
    return line["call"][theirs][clock] / line["call"][ours][clock]


def mean(values):
    values = [value for value in values if value]
    if not values:
        return None
    return math.exp(sum(map(math.log, values)) / len(values))


def text(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def table(heads, rows):
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


PAIRS = (("ours", "Inductor"), ("ours, frozen", "Inductor"),
         ("ours, .pt2", "Inductor"), ("ours, frozen", "Inductor, frozen"),
         ("ours", "eager"))


def call_table(lines, threads, clock):
    """Milliseconds of a call, and ratios. `clock` 0: of the wall, 1: of the CPU."""
    lines = [line for line in lines if line["threads"] == threads]
    ratios = [[ratio(line, *pair, clock) for pair in PAIRS] for line in lines]
    rows = [[line["model"],
             *(text(line["call"][name][clock] * 1e3 if name in line["call"]
                    else None) for name in THEIRS + OURS), *map(text, each)]
            for line, each in zip(lines, ratios)]
    rows.append(["geometric mean", *[""] * 6,
                 *(text(mean(each)) for each in zip(*ratios))])
    heads = ["model", *(f"{name} ms" for name in THEIRS + OURS),
             *(f"{theirs} / {ours}" for ours, theirs in PAIRS)]
    yield (f"{threads} thread{'s'[:threads - 1]}, "
           f"{'CPU' if clock else 'wall'} time of a call")
    yield ""
    yield from table(heads, rows)


def first_table(lines):
    """CPU seconds of the first call: in all, Dynamo and AOTAutograd, the rest."""
    def row(line):
        for name in ("ours", "ours, frozen", "Inductor", "Inductor, frozen"):
            if name not in line["first"]:
                yield from ("", "")
                continue
            total, part = (line["first"][name][key][1]
                           for key in ("total", "part"))
            yield from (text(total - part, 1), text(part, 1))
        first = line["first"]
        yield text(first["Inductor"]["part"][1] / first["ours"]["part"][1]
                   if "Inductor" in first else None, 1)
    heads = ["model", "threads"]
    for name in ("ours", "ours, frozen", "Inductor", "Inductor, frozen"):
        heads += [f"{name}: Dynamo, AOTAutograd", "compiler"]
    yield "CPU seconds of the first call"
    yield ""
    yield from table(heads + ["compiler: Inductor / ours"],
                     [[line["model"], str(line["threads"]), *row(line)]
                      for line in lines])


def compile_table(lines):
    def row(line):
        pt2, onnx = (line["compile"].get(kind) for kind in ("pt2", "onnx"))
        limit = 1.3 * line["weights"] + 400e6
        return [line["model"], str(line["threads"]), text(pt2["seconds"][1], 1),
                text(onnx and onnx["seconds"][1], 1),
                text(onnx and pt2["seconds"][1] / onnx["seconds"][1]),
                f"{line['weights'] / 1e6:.0f}", f"{pt2['peak'] / 1e6:.0f}",
                text(pt2["peak"] / limit)]
    yield "`tilewright compile`: CPU seconds, and the peak of its memory"
    yield ""
    yield from table(["model", "threads", ".pt2 s", "ONNX s", ".pt2 / ONNX",
                      "weights MB", "peak MB",
                      "peak / (1.3 weights + 400 MB)"], map(row, lines))


def rows_table(lines):
    yield from table(
        ["case", "eager ms", "ours ms", "eager / ours"],
        [[line["key"], *(text(line["call"][name][1] * 1e3, 3)
                         for name in ("eager", "ours, .pt2")),
          text(ratio(line, "ours, .pt2", "eager", 1))] for line in lines])


def tables(options, models, rows):
    for threads in sorted({line["threads"] for line in models}):
        yield from call_table(models, threads, 1)
        if threads > 1:
            yield from call_table(models, threads, 0)
    if models:
        yield from first_table(models)
        yield from compile_table(models)
    if rows:
        yield from rows_table(rows)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(options.work / "case", ignore_errors=True)
    sys.path.insert(0, str(HERE))
    import torch_models
    more = ["--no-inductor"] if options.no_inductor else ["--onnx"]
    models, failed = run_all(options, "models", [
        (f"{name}, {threads}", [name, "--threads", threads, *more])
        for threads in options.threads
        for name in options.models or torch_models.MODELS]
        if options.models is not None else [])
    rows, failed_rows = run_all(options, "rows", [
        (f"{name}, {elements:,}", [name, "--row", elements, "--no-inductor"])
        for elements in ROW_ELEMENTS for name in torch_models.rows(1)]
        if options.rows else [])
    lines = "\n".join(tables(options, models, rows))
    print(lines)
    if options.markdown:
        options.markdown.write_text(lines)
    wrong = failed + failed_rows + [
        f"{line['key']}: {each}" for line in models + rows
        for each in line["wrong"]]
    if wrong:
        print("failed or differs:", *wrong, sep="\n  ", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
