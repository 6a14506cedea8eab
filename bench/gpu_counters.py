#!/usr/bin/env python3
"""Kernels of ours and of Triton: what their machine code issues.

  gpu_counters.py TOOL [--target sm_80,sm_90a] [--relatives | --more | --matrix |
                  --attention | --convolution] [--case NAME ..] [--json FILE]
                  [--markdown FILE]
  gpu_counters.py TOOL --steady [--types] [--schedule TEXT] [--target sm_80]

Compiles each known case (counter_cases/families.py), or with --relatives each
of their relatives instead (counter_cases/relatives.py), or with --more those
that gather, scatter and select (counter_cases/more.py), or with --matrix
products of matrices (counter_cases/matrix.py), or with --attention attentions
(counter_cases/attention.py), or with --convolution convolutions
(counter_cases/convolution.py), as an ONNX model with TOOL (tilewright, its
default schedule, --fast-math), and in Triton with each of several tiles and
numbers of warps; counts a sample of the blocks of launches of real size on the
emulator (sass.py), and scales that to the grid. The candidate of Triton with the
fewest issue slots, then sectors, stands for it. Except for products of matrices,
attentions and convolutions it must have at least 2 warps a block and 2 blocks a
multiprocessor; a note says where ours has fewer. Both results are compared with
NumPy for few rows. NAME selects the cases of all lists that begin with it. Exits
with 1 where a result is wrong or missing, and with 77 where Triton, SciPy, ONNX,
ptxas or nvdisasm is missing.

--steady prints what one step of a product's loop costs a warp, for a tile of
128 x 128 x 32 and 8 warps: ours with the schedule TEXT, and Triton's with 3
stages (counter_cases/steady.py); with --types of f32 by precision, i8 and f64,
from sm_89 on of 8-bit floats.
"""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

# This measures compilers, not their caches.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"
# What Triton 3.9 does without it, but for a warning.
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

# (title, field of Counters, the share of Triton's instructions that is added to
# both sides of the ratio; None: no ratio). It keeps the ratio of small counts,
# or of none, near 1.
COLUMNS = [("issue slots", "issue_slots", 0.01),
           ("PTX instructions", "instructions", 0.01),
           ("sectors", "sectors", 0.01), ("wavefronts", "wavefronts", 0.01),
           ("barriers", "barriers", 0.01), ("registers", "registers", None),
           ("spilled B", "spilled", None), ("in flight B", "in_flight", 0),
           ("kernels", "kernels", None)]
# Of products of matrices, behind the others.
MATRIX_COLUMNS = [("tensor operations", "tensor_operations", 0.01),
                  ("bank conflicts", "conflicts", 0.01),
                  ("programs", "programs", None)]


def is_matrix(row):
    return row.case.family.bound is not None


def columns_of(rows):
    return COLUMNS + (MATRIX_COLUMNS if any(map(is_matrix, rows)) else [])


def ratios(row):
    """{title: ours / Triton}; none where a side is missing."""
    if not row.ours or not row.theirs:
        return {}
    found = {}
    for title, field, share in COLUMNS + MATRIX_COLUMNS:
        if share is not None:
            more = share * row.theirs.instructions
            found[title] = ((getattr(row.ours, field) + more) /
                            (getattr(row.theirs, field) + more))
    return found


def cells(row, columns):
    found = ratios(row)
    for title, field, share in columns:
        yield " / ".join("-" if side is None else f"{getattr(side, field):,.0f}"
                         for side in (row.ours, row.theirs))
        if share is not None:
            yield f"{found[title]:.2f}" if found else "-"


def summary(rows):
    """The geometric mean and the worst case of each ratio. More bytes in flight
    are better, less of all else is."""
    found = {f"{row.case.name} {row.target}": ratios(row) for row in rows}
    found = {name: each for name, each in found.items() if each}
    yield "\n| ratio | geometric mean | worst | case |\n|---|---:|---:|---|"
    for title, _, share in columns_of(rows):
        if share is None or not found:
            continue
        of_title = {name: each[title] for name, each in found.items()}
        mean = math.exp(sum(map(math.log, of_title.values())) / len(found))
        worst = (min if title == "in flight B" else max)(of_title,
                                                         key=of_title.get)
        yield f"| {title} | {mean:.2f} | {of_title[worst]:.2f} | {worst} |"


def register_errors(rows):
    """How far the emulator's estimate is from what ptxas says."""
    for name in ("ours", "theirs"):
        errors = sorted(abs(estimate - actual) / actual for row in rows
                        if getattr(row, name)
                        for estimate, actual in getattr(row, name).estimates)
        if errors:
            yield (f"Registers, the emulator's estimate of {len(errors)} kernels "
                   f"({name}): off by {statistics.median(errors):.0%} in the "
                   f"median, {errors[len(errors) * 9 // 10]:.0%} at the 90th "
                   "percentile.")


def table(rows):
    """In Markdown; counts are "ours / Triton"."""
    titles, columns = ["case", "target"], columns_of(rows)
    for title, _, share in columns:
        titles += [title] if share is None else [title, "ratio"]
    yield f"| {' | '.join(titles)} |\n|---|---|{'---:|' * (len(titles) - 2)}"
    for row in rows:
        yield ("| " + " | ".join([row.case.name, row.target,
                                  *cells(row, columns)]) + " |")
    yield from summary(rows)
    yield "\n" + " ".join(register_errors(rows))
    notes = [f"- {row.case.name} {row.target}: {note}"
             for row in rows for note in row.notes()]
    notes += [f"- {row.case.name} {row.target}: Triton has "
              "{}, {warps} warps, {stages} stages".format(
                  " x ".join(str(row.tuning[name]) for name in
                             ("BM", "BN", "BK") if name in row.tuning),
                  **row.tuning) for row in rows if is_matrix(row) and row.tuning]
    if notes:
        yield "\n" + "\n".join(notes)


def record(row):
    return {"case": row.case.name, "target": row.target, "tuning": row.tuning,
            "notes": row.notes(), "ratios": ratios(row),
            **{name: side and dataclasses.asdict(side)
               for name, side in (("ours", row.ours), ("triton", row.theirs))}}


def versions(tool):
    import onnx
    import triton
    from machine_code import cubin

    def of_program(path):
        said = subprocess.run([path, "--version"], capture_output=True,
                              text=True, check=True).stdout
        return re.search(r"(?:release |tilewright )([\d.]+)", said)[1]
    return {"Tilewright": of_program(tool), "Triton": triton.__version__,
            "ptxas": of_program(cubin.find_ptxas()),
            "nvdisasm": of_program(cubin.find_nvdisasm()),
            "ONNX": onnx.__version__}


def selected(options):
    """--case selects from all lists, else one of them is run whole."""
    import counter_cases
    from counter_cases import (attention, convolution, families, matrix, more,
                               relatives)
    if options.case:
        return counter_cases.named(options.case)
    if options.relatives:
        return relatives.related_cases()
    if options.matrix:
        return matrix.matrix_cases()
    if options.attention:
        return attention.attention_cases()
    if options.convolution:
        return convolution.convolution_cases()
    return more.more_cases() if options.more else families.known_cases()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--target", default="sm_90a")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--relatives", action="store_true")
    which.add_argument("--more", action="store_true")
    which.add_argument("--matrix", action="store_true")
    which.add_argument("--attention", action="store_true")
    which.add_argument("--convolution", action="store_true")
    which.add_argument("--steady", action="store_true")
    parser.add_argument("--types", action="store_true")
    parser.add_argument("--schedule", default="warps=8")
    parser.add_argument("--case", nargs="+")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()
    from machine_code.cubin import Missing
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        try:
            from counter_cases import measure, steady
            if options.steady:
                for target in options.target.split(","):
                    for line in steady.table(options.tool, target,
                                             options.schedule, options.types):
                        print(line, flush=True)
                return 0
            cases = selected(options)
            facts = versions(options.tool)
        except (ImportError, Missing) as missing:
            print(f"skipped: {missing}")
            return 77
        bench, rows = measure.Bench(options.tool, folder), []
        for case in cases:
            for target in options.target.split(","):
                row = bench.measure(case, target)
                rows.append(row)
                print(case.name, target, *row.notes(), sep=": ", file=sys.stderr)
    text = "\n".join([", ".join(f"{name} {version}" for name, version
                                in facts.items()), "", *table(rows)]) + "\n"
    print(text, end="")
    if options.markdown:
        options.markdown.write_text(text)
    if options.json:
        options.json.write_text(json.dumps(
            {"versions": facts, "rows": [record(row) for row in rows]},
            indent=1) + "\n")
    return 1 if any(row.problems for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
