"""What machine code costs: issue slots by pipe, code of the hot loop, registers,
bytes in flight."""

import collections
import dataclasses
import pathlib
import re

from . import block_counts

# The pipe of an instruction, by the first word of its opcode (names as in
# Nsight Compute's metrics). What is not here, and does not begin with U for the
# uniform datapath, is "other".
PIPES = {
    "alu": "IADD3 IADD VIADD LOP3 LOP PLOP3 ISETP SHF SHL SHR SEL FSEL FMNMX "
           "FMNMX3 IMNMX VIMNMX VIMNMX3 VIADDMNMX FSETP FSET PRMT LEA MOV F2FP "
           "HMNMX2 P2R R2P IABS BMSK SGXT VOTE VABSDIFF VABSDIFF4 I2FP FRND2 "
           "DPRMT I2IP",
    "fma": "FFMA FMUL FADD FFMA32I FADD32I FMUL32I IMAD FFMA2 FADD2 FMUL2 HFMA2 "
           "HADD2 HMUL2 HSETP2 HSET2 FSWZADD IDP IDP4A",
    "xu": "MUFU F2F F2I I2F FRND POPC FLO BREV FCHK",
    "fp64": "DFMA DADD DMUL DSETP",
    "lsu": "LDG STG LD ST LDS STS LDL STL LDSM STSM ATOM ATOMG ATOMS RED REDG "
           "REDUX SHFL LDGSTS LDGDEPBAR MATCH CCTL MEMBAR ERRBAR QSPC",
    "constant": "LDC S2R CS2R LDCU",
    "tensor": "HMMA IMMA BMMA DMMA QMMA HGMMA IGMMA QGMMA BGMMA UTCHMMA UTCQMMA "
              "UTCIMMA WARPGROUP WARPGROUPSET",
    "control": "BRA BRX JMP JMX EXIT RET CALL BSSY BSYNC BREAK BAR WARPSYNC NOP "
               "DEPBAR YIELD NANOSLEEP KILL BPT BMOV SYNCS ACQBULK ELECT PREEXIT",
}
PIPE_OF = {stem: pipe for pipe, stems in PIPES.items() for stem in stems.split()}
INSTRUCTION_BYTES = 16
WARP = 32


def pipe_of(instruction):
    stem = instruction.stem
    if stem in PIPE_OF:
        return PIPE_OF[stem]
    return "uniform" if stem.startswith(("U", "R2UR", "S2UR", "VOTEU")) else "other"


def access_bytes(instruction):
    """Of one lane."""
    words = instruction.opcode.split(".")
    for word, size in (("U8", 1), ("S8", 1), ("U16", 2), ("S16", 2), ("64", 8),
                       ("128", 16), ("256", 32), ("ENL2", 32)):
        if word in words:
            return size
    return 4


def in_flight(executions):
    """The most bytes that a warp has loaded from global memory and not yet
    waited for: of loads to registers until the first instruction that waits for
    their scoreboard, of copies to shared memory until a wait for their group.
    The blocks that run are walked in the order of the code."""
    pending, groups, most = collections.Counter(), [0], 0
    for block, times in executions.blocks:
        if times < 0.5:
            continue
        for each in block.instructions:
            for scoreboard in list(pending):
                if each.waits >> scoreboard & 1:
                    del pending[scoreboard]
            if each.stem == "LDG" and each.writes >= 0:
                pending[each.writes] += WARP * access_bytes(each)
            elif each.stem == "LDGSTS":
                groups[-1] += WARP * access_bytes(each)
            elif each.stem == "LDGDEPBAR":
                groups.append(0)
            elif each.stem == "DEPBAR" and "," in each.operands:
                left = int(each.operands.split(",")[1].split("{")[0].strip(), 0)
                groups = groups[-left - 1:]
            most = max(most, sum(pending.values()) + sum(groups))
    return most


def hot_loop(executions):
    """Bytes of the innermost loop that issues the most, without what never
    runs; 0 without loops."""
    blocks = [block for block, _ in executions.blocks]
    issued, sizes = collections.Counter(), collections.Counter()
    for index, loop in block_counts.loops_of(blocks).items():
        block, times = executions.blocks[index]
        if times >= 0.5:
            issued[loop] += times * len(block.instructions)
            sizes[loop] += len(block.instructions) * INSTRUCTION_BYTES
    return sizes[max(issued, key=issued.get)] if issued else 0


def multiprocessors():
    """{target: (warps, blocks, bytes of shared memory)}, from the table of the
    emulator."""
    table = (pathlib.Path(__file__).resolve().parents[2] /
             "runtime/emulator/counters/Occupancy.inc").read_text()
    return {target: (int(warps), int(blocks), int(shared) * 1024)
            for target, warps, blocks, shared in re.findall(
                r'^MULTIPROCESSOR\("(\w+)", (\d+), (\d+), (\d+)\)', table,
                re.MULTILINE)}


def resident_blocks(target, registers, threads, shared):
    """On a multiprocessor. Registers are allocated to warps in units of 256, to
    four warps at a time; shared memory in units of 128 bytes, and 1 KiB more for
    each block (CUDA C++ Programming Guide, "Hardware Multithreading")."""
    warps_limit, blocks_limit, shared_limit = multiprocessors()[target]
    up = lambda value, unit: -(-value // unit) * unit
    warps = max(1, -(-threads // WARP))
    with_registers = 65536 // up(max(1, registers) * WARP, 256) // 4 * 4
    return min(warps_limit // warps, blocks_limit, with_registers // warps,
               shared_limit // up(shared + 1024, 128))


@dataclasses.dataclass
class Figures:
    """Of one launch. `slots`: instructions that warps issue, by pipe.
    `unexplained`: see block_counts.Executions."""
    slots: dict
    hot_loop_bytes: int
    registers: int
    live_registers: int
    spilled_bytes: int
    blocks: int
    bytes_in_flight: int
    unexplained: float

    @property
    def issue_slots(self):
        return sum(self.slots.values())


def of_launch(kernel, executions, target, threads, shared):
    """`threads` and bytes of `shared` memory of a block, static and dynamic."""
    slots = collections.Counter()
    for block, times in executions.blocks:
        for each in block.instructions:
            slots[pipe_of(each)] += times
    blocks = resident_blocks(target, kernel.registers, threads, shared)
    warps = -(-threads // WARP)
    return Figures(
        {pipe: round(count) for pipe, count in slots.most_common() if count >= 0.5},
        hot_loop(executions), kernel.registers, kernel.pressure, kernel.spilled,
        blocks, in_flight(executions) * warps * blocks, executions.unexplained)


# Issue slots of PTX instructions that become several, about what ptxas makes of
# them for the usual operands; all others are one.
PTX_SLOTS = [
    (r"div\.(?:rn|rz|rm|rp)\.f64", 11), (r"div\.(?:rn|rz|rm|rp)\.(?:ftz\.)?f32", 9),
    (r"div\.full", 5), (r"div\.approx", 3), (r"(?:rcp|sqrt|rsqrt)\.\w+\.f64", 10),
    (r"(?:sqrt|rcp)\.r[nzmp]\.(?:ftz\.)?f32", 7), (r"(?:div|rem)\.[us]64", 70),
    (r"(?:div|rem)\.[us](?:32|16)", 18), (r"(?:ex2|lg2|sin|cos)\.approx\.f32", 3),
    (r"(?:ex2|lg2)\.approx\.ftz", 1), (r"mul\.lo\.[us]64", 4),
    (r"mul\.hi\.[us]64", 10), (r"mad\.lo\.[us]64", 4),
    (r"(?:add|sub|min|max|and|or|xor|selp|shl|shr|neg|not)\.\w*64", 2),
    (r"mov\.b64|cvt\.[us]64\.[us]\d+|cvta\.", 1),
    (r"ld\.param|\.reg", 1), (r"mov\.u?\w*32|ret", 1),
]
PTX_PATTERNS = [(re.compile(pattern), slots) for pattern, slots in PTX_SLOTS]


def slots_of_ptx(opcode):
    return next((slots for pattern, slots in PTX_PATTERNS
                 if pattern.match(opcode)), 1)
