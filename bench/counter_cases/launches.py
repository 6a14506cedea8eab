"""Launches of kernels in PTX on the emulator, and their counters."""

import dataclasses
import json
import math
import subprocess

import sass

# What is run of a grid; counters are scaled to all of it.
SAMPLE_BLOCKS = 16
# Of A100 and H100, SXM (datasheets).
MULTIPROCESSORS = {"sm_80": 108, "sm_90a": 132}
BITS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "f8E4M3FN": 8, "i8": 8,
        "i32": 32, "i64": 64}


@dataclasses.dataclass
class Buffer:
    name: str
    dtype: str
    shape: tuple


@dataclasses.dataclass
class Launch:
    """`arguments`: each a Buffer, (type, value) of a scalar, or None for a null
    pointer. `shared`: bytes of dynamic shared memory."""
    ptx: str
    entry: str
    grid: tuple
    threads: int
    shared: int
    arguments: list

    def argument(self, each, folder):
        if each is None:
            return {"null": True}
        if not isinstance(each, Buffer):
            return {"scalar": each[0], "value": each[1]}
        file = folder / f"{each.name}.npy"
        if file.exists():
            return {"buffer": file.name, "dtype": each.dtype,
                    "output": each.name}
        return {"buffer": {"shape": list(each.shape), "dtype": each.dtype},
                "output": each.name}

    def write(self, folder):
        """The launch file. A buffer is the file of its name in the folder, where
        there is one, and else is not initialized."""
        path = folder / "launch.json"
        path.write_text(json.dumps(
            {"entry": self.entry, "grid": self.grid,
             "block": [self.threads, 1, 1], "dynamicShared": self.shared,
             "args": [self.argument(each, folder) for each in self.arguments]}))
        return path


@dataclasses.dataclass
class Counters:
    """Of one launch or of all of a case. `in_flight`: bytes of a multiprocessor;
    `warps`: of a block; `resident`: the blocks that a multiprocessor has at a
    time. Of several launches, these three are of the one that issues the most.
    `conflicts`: wavefronts that bank conflicts add. `estimates`: of each launch,
    the emulator's estimate of registers and what ptxas says."""
    issue_slots: float
    instructions: float
    sectors: float
    wavefronts: float
    barriers: float
    registers: int
    spilled: int
    in_flight: int
    kernels: int
    warps: int
    resident: float
    unexplained: float
    tensor_operations: float
    conflicts: float
    programs: int
    estimates: tuple = ()

    @property
    def fills_device(self):
        """The rule that both sides obey."""
        return self.warps >= 2 and self.resident >= 2


def run(*command):
    """Of a command that fails, an error with what it says."""
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip() or f"exit {done.returncode}")


def execute(tool, launch, folder):
    """Runs all blocks; buffers are read from the folder and written to it."""
    kernel = folder / "kernel.ptx"
    kernel.write_text(launch.ptx)
    run(tool, "run", kernel, "--device", "emulator", "--launch",
        launch.write(folder), "--output-dir", folder)


def blocks_of(grid, target):
    """Blocks of a grid for each multiprocessor."""
    return math.prod(grid) / MULTIPROCESSORS[target]


def count(tool, launch, target, folder):
    """Buffers that the folder lacks are not initialized."""
    measured = sass.measure(tool, launch.ptx, launch.write(folder),
                            ["--blocks", str(SAMPLE_BLOCKS)])
    if measured.missing:
        raise ValueError(measured.missing)
    scale = math.prod(launch.grid) / measured.stats["blocks"]
    totals, figures = measured.stats["totals"], measured.figures
    return Counters(
        scale * figures.issue_slots, scale * totals["warps"],
        scale * totals["sectors"], scale * totals["wavefronts"],
        scale * totals["barriers"], figures.registers, figures.spilled_bytes,
        figures.bytes_in_flight, 1, -(-launch.threads // 32),
        min(figures.blocks, blocks_of(launch.grid, target)),
        figures.unexplained, scale * totals["tensor_operations"],
        scale * (totals["wavefronts"] - totals["ideal_wavefronts"]),
        math.prod(launch.grid),
        ((measured.stats["registers_estimate"], figures.registers),))


def count_all(tool, launches, target, folder):
    each = [count(tool, launch, target, folder) for launch in launches]
    largest = max(each, key=lambda counters: counters.issue_slots)
    total = {name: sum(getattr(counters, name) for counters in each)
             for name in ("issue_slots", "instructions", "sectors",
                          "wavefronts", "barriers", "kernels",
                          "tensor_operations", "conflicts", "programs")}
    most = {name: max(getattr(counters, name) for counters in each)
            for name in ("registers", "spilled", "unexplained")}
    estimates = sum((counters.estimates for counters in each), ())
    return dataclasses.replace(largest, **total, **most, estimates=estimates)
