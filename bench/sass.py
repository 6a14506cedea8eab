#!/usr/bin/env python3
"""What the machine code of a kernel issues, from the emulator's counts.

  sass.py TOOL KERNEL.ptx --launch LAUNCH.json [--listing FILE] [--json FILE]

Runs the kernel on the emulator of TOOL (tilewright), assembles it with ptxas,
disassembles it, and weights each basic block of the machine code by the counts
of the PTX that it comes from (machine_code/block_counts.py says how). Prints
issue slots by pipe, bytes of code of the hot loop, registers, spills, and the
bytes in flight of a multiprocessor. --listing writes the machine code, each
instruction with its executions by warps and its PTX. Where ptxas or nvdisasm is
missing, PTX instructions are counted by a table of weights, and the output says
so. Needs SciPy.
"""

import argparse
import collections
import dataclasses
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from machine_code import block_counts, cubin, ptx_lines
from machine_code.figures import Figures, of_launch, slots_of_ptx


@dataclasses.dataclass
class Run:
    """A launch: the emulator's statistics, and from machine code `figures` and
    `executions` of blocks. Without ptxas these are None, and `ptx_slots` are all
    there is."""
    text: str
    stats: dict
    ptx_slots: dict
    figures: Figures = None
    executions: block_counts.Executions = None
    missing: str = ""

    @property
    def issue_slots(self):
        return (self.figures.issue_slots if self.figures
                else sum(self.ptx_slots.values()))


def emulate(tool, source, launch, folder, options=()):
    stats = pathlib.Path(folder) / "stats.json"
    done = subprocess.run(
        [tool, "run", str(source), "--device", "emulator", "--launch",
         str(launch), "--stats", str(stats), *options], capture_output=True,
        text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip())
    return json.loads(stats.read_text())


def measure(tool, ptx, launch, options=()):
    """`launch`: the path of a launch file; its buffers are relative to it.
    `options`: more of `tilewright run`."""
    text = ptx_lines.one_a_line(ptx)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "one-a-line.ptx"
        source.write_text(text)
        stats = emulate(tool, source, launch, folder, options)
        counts = {line["line"]: line.get("warps", 0) for line in stats["lines"]}
        opcodes = ptx_lines.opcodes(text)
        ptx_slots = collections.Counter()
        for line in stats["lines"]:
            opcode = opcodes.get(line["line"], "")
            ptx_slots[line["class"]] += (line.get("warps", 0) *
                                         slots_of_ptx(opcode))
        run = Run(text, stats, dict(ptx_slots.most_common()))
        try:
            kernel = cubin.assemble(text, stats["target"], stats["kernel"],
                                    folder)
        except cubin.Missing as missing:
            run.missing = str(missing)
            return run
    threads = math.prod(stats["block"])
    run.executions = block_counts.count(kernel, counts,
                                        stats["blocks"] * -(-threads // 32))
    run.figures = of_launch(kernel, run.executions, stats["target"],
                                    threads, stats["shared_bytes"])
    return run


def listing(run):
    """The machine code: executions, instruction, and the PTX where it begins."""
    lines, source, last = [], run.text.split("\n"), None
    for block, times in run.executions.blocks:
        lines.append(f"{times:>12,.0f}  {block.function.name}")
        for each in block.instructions:
            ptx = source[each.line - 1] if each.line and each.line != last else ""
            last = each.line
            lines.append(f"{times:>12,.0f}  {each.address:04x}  {each.guard:5}"
                         f"{each.opcode + ' ' + each.operands:58} {ptx}".rstrip())
    return "\n".join(lines) + "\n"


def summary(run):
    name = f"{run.stats['kernel']} for {run.stats['target']}"
    instructions = run.stats["totals"]["warps"]
    if not run.figures:
        yield f"{name}: {run.missing}: weighted PTX, not machine code"
        yield f"issue slots      {run.issue_slots:>14,}  of {instructions:,} PTX"
        for kind, count in run.ptx_slots.items():
            yield f"  {kind:14} {count:>14,}"
        return
    found = run.figures
    yield name
    yield f"issue slots      {found.issue_slots:>14,}  of {instructions:,} PTX"
    for pipe, count in found.slots.items():
        yield f"  {pipe:14} {count:>14,}"
    yield f"hot loop         {found.hot_loop_bytes:>14,}  bytes of code"
    yield (f"registers        {found.registers:>14,}  of a thread, "
           f"{found.live_registers} live at once")
    yield f"spilled          {found.spilled_bytes:>14,}  bytes of a thread"
    yield f"blocks           {found.blocks:>14,}  on a multiprocessor"
    yield f"in flight        {found.bytes_in_flight:>14,}  bytes of its loads"
    yield (f"not explained    {100 * found.unexplained:>13.1f}%  of the executions "
           "of memory instructions, shuffles and barriers")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("kernel", type=pathlib.Path)
    parser.add_argument("--launch", type=pathlib.Path, required=True)
    parser.add_argument("--listing", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        run = measure(arguments.tool, arguments.kernel.read_text(),
                      arguments.launch)
    except ValueError as error:
        sys.exit(f"error: {error}")
    print("\n".join(summary(run)))
    if arguments.listing:
        if not run.executions:
            sys.exit(f"error: no listing: {run.missing}")
        arguments.listing.write_text(listing(run))
    if arguments.json:
        record = {"ptx_instructions": run.stats["totals"]["warps"],
                  "ptx_slots": run.ptx_slots}
        if run.figures:
            record.update(dataclasses.asdict(run.figures),
                          issue_slots=run.issue_slots)
        arguments.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
