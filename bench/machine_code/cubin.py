"""Assembles PTX with ptxas and reads the machine code back with nvdisasm."""

import dataclasses
import importlib.util
import pathlib
import re
import shutil
import subprocess

from . import ptx_lines


class Missing(Exception):
    """A tool that is not installed."""


def package_folder(name):
    spec = importlib.util.find_spec(name)
    return pathlib.Path(list(spec.submodule_search_locations)[0]) if spec else None


def find_tool(name, in_triton):
    """The newest that is installed: Triton writes newer PTX than the ptxas of
    CUDA 13.0 takes, so those of its wheel come first."""
    triton = package_folder("triton")
    candidates = [triton / "backends/nvidia/bin" / in_triton] if triton else []
    nvidia = package_folder("nvidia")
    candidates += sorted(nvidia.glob(f"*/bin/{name}")) if nvidia else []
    if on_path := shutil.which(name):
        candidates.append(pathlib.Path(on_path))
    candidates += sorted(pathlib.Path("/usr/local").glob(f"cuda*/bin/{name}"))
    for candidate in candidates:
        if candidate.exists():
            return str(candidate)
    raise Missing(f"no {name}: pip install triton, or nvidia-cuda-{name}")


def find_ptxas():
    return find_tool("ptxas", "ptxas-blackwell")


def find_nvdisasm():
    return find_tool("nvdisasm", "nvdisasm")


@dataclasses.dataclass
class Instruction:
    """One instruction of SASS. `line` is that of its PTX, 0 where it has none.
    The scoreboard `writes` is released when its result is there, and it waits
    for those in the mask `waits` before it is issued (-1, 0: none)."""
    address: int
    guard: str
    opcode: str
    operands: str
    line: int
    writes: int = -1
    waits: int = 0

    @property
    def stem(self):
        return self.opcode.split(".")[0]


@dataclasses.dataclass
class Function:
    """A function's instructions in order; `labels`: the index of the first
    instruction after each."""
    name: str
    instructions: list = dataclasses.field(default_factory=list)
    labels: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Kernel:
    """Machine code: the entry's function, then those that ptxas added. The
    figures are ptxas's: registers of a thread, bytes of spill stores and loads,
    bytes of static shared memory; `pressure` is the most general registers that
    live at once, by nvdisasm."""
    functions: list
    registers: int
    spilled: int
    shared: int
    pressure: int


LINE = re.compile(r'//## File "[^"]*", line (\d+)')
LABEL = re.compile(r"([.$\w]+):$")
SASS = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(@!?\w+\s+)?([A-Z][\w.]*)\s*(.*?)\s*;"
                  r"\s*/\* 0x[0-9a-f]{16} \*/")
CONTROL = re.compile(r"/\* 0x([0-9a-f]{16}) \*/$")


def read_control(instruction, word):
    """Of the upper half of an instruction: 4 bits of cycles to stall, 1 to
    yield, 3 of the scoreboard that it writes, 3 of that which it reads, 6 of
    those that it waits for, from bit 41 on."""
    writes = word >> 46 & 7
    instruction.writes = -1 if writes == 7 else writes
    instruction.waits = word >> 52 & 63


def parse_disassembly(text):
    """The functions in the output of `nvdisasm -g -hex -c`, one for each
    symbol with code."""
    functions, line, pending, control = [], 0, [], False
    for raw in text.split("\n"):
        row = raw.strip()
        if control:
            if match := CONTROL.search(row):
                read_control(functions[-1].instructions[-1], int(match[1], 16))
            control = False
        elif match := LINE.search(row):
            line = int(match[1])
        elif row.startswith(".section"):
            line, pending = 0, []
        elif match := LABEL.match(row):
            if not match[1].startswith("."):
                functions.append(Function(match[1]))
            elif functions:
                pending.append(match[1])
        elif match := SASS.match(row):
            function = functions[-1]
            for label in pending:
                function.labels[label] = len(function.instructions)
            pending, control = [], True
            function.instructions.append(Instruction(
                int(match[1], 16), (match[2] or "").strip(), match[3], match[4],
                line))
    return [function for function in functions if function.instructions]


def disassemble(cubin, registers):
    """(functions, the most general registers that live at once) of a cubin whose
    kernel has so many."""
    tool = find_nvdisasm()
    run = lambda *options: subprocess.run(
        [tool, *options, "-c", str(cubin)], capture_output=True, text=True,
        check=True).stdout
    # nvdisasm counts no live ranges where all registers are used.
    live = [registers] if registers == 255 else [
        int(count) for count in re.findall(r";\s*// \|\s*(\d+)",
                                           run("-lrm", "count"))]
    return parse_disassembly(run("-g", "-hex")), max(live, default=0)


def assemble(text, target, entry, folder):
    """The kernel `entry` of a text of ptx_lines.one_a_line as machine code."""
    folder = pathlib.Path(folder)
    source, cubin = folder / "kernel.ptx", folder / "kernel.cubin"
    source.write_text(ptx_lines.numbered(text))
    done = subprocess.run(
        [find_ptxas(), f"-arch={target}", "-lineinfo", "-v", str(source),
         "-o", str(cubin)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"ptxas: {done.stdout}{done.stderr}")
    number = lambda pattern: int((re.search(pattern, done.stderr) or [0, 0])[1])
    registers = number(r"Used (\d+) registers")
    functions, pressure = disassemble(cubin, registers)
    functions.sort(key=lambda function: function.name != entry)
    return Kernel(functions, registers,
                  number(r"(\d+) bytes spill stores") +
                  number(r"(\d+) bytes spill loads"),
                  number(r"(\d+) bytes smem"), pressure)
