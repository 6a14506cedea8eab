"""sass_counts.py BENCH: what bench/machine_code makes of PTX and of machine
code, on small examples whose counts are known. Exits with 77 without SciPy."""

import sys

sys.path.insert(0, sys.argv[1])
try:
    from machine_code import block_counts, cubin, figures, ptx_lines
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PTX = """
.version 8.7
.target sm_90a
.address_size 64
.file 7 "elsewhere.cu"
.global .align 4 .b8 table[4] = {1, 2, 3, 4};
.visible .entry k(.param .u64 p /* ; { */) .reqntid 32
{ .reg .b32 %r<3>; // a comment;
$L__begin: .loc 7 3 1
  ld.global.v2.b32
    {%r1, %r2}, [p];
  { .reg .pred q; setp.eq.s32 q, %r1, 0; @q bra $L__begin; }
  ret;
}
.section .debug_str { $x: .b8 101 }
"""


def check_lines():
    text = ptx_lines.one_a_line(PTX)
    lines = text.split("\n")
    opcodes = {lines[number - 1]: opcode
               for number, opcode in ptx_lines.opcodes(text).items()}
    assert opcodes == {"ld.global.v2.b32 {%r1, %r2}, [p];": "ld.global.v2.b32",
                       "setp.eq.s32 q, %r1, 0;": "setp.eq.s32",
                       "@q bra $L__begin;": "bra", "ret;": "ret"}
    assert "elsewhere" not in text and "debug" not in text
    assert "table[4] = {1, 2, 3, 4};" in text and ".reqntid 32" in text
    numbered = ptx_lines.numbered(text).split("\n")
    for number, line in enumerate(lines, start=1):
        if line in opcodes:
            assert numbered[numbered.index(line) - 1] == f".loc 1 {number} 0"


def function(code):
    """The functions in lines of `LINE [@GUARD] OPCODE OPERANDS`, `.label:` and
    `name:`, as nvdisasm prints them."""
    rows, address = [], 0
    for row in code.strip().split("\n"):
        row = row.strip()
        if row.endswith(":"):
            rows.append(row)
            continue
        line, *rest = row.split(maxsplit=1)
        waits, writes = 0, 7
        words = rest[0].split(" ; ")
        for word in words[1:]:
            kind, value = word.split("=")
            waits = int(value) if kind == "waits" else waits
            writes = int(value) if kind == "writes" else writes
        control = waits << 52 | 7 << 49 | writes << 46 | 1 << 41
        if line != "0":
            rows.append(f'//## File "kernel.ptx", line {line}')
        rows.append(f"/*{address:04x}*/ {words[0]} ; /* 0x{address:016x} */")
        rows.append(f"/* 0x{control:016x} */")
        address += 16
    functions = cubin.parse_disassembly("\n".join(rows))
    return cubin.Kernel(functions, 32, 0, 0, 20)


def executions(code, counts, warps):
    """{index of the first instruction, by function: executions}."""
    kernel = function(code)
    found = block_counts.count(kernel, counts, warps)
    return {(block.function.name, block.first): round(times, 6)
            for block, times in found.blocks}, found, kernel


# A loop of 4 copies and its remainder; lines 3 and 4 run 103 times a warp.
UNROLLED = """
k:
1 MOV R1, c[0x0][0x28]
2 @P0 BRA `(.rest)
.main:
3 LDG.E R4, desc[UR4][R2.64]
3 LDG.E R5, desc[UR4][R2.64+0x4]
4 FADD R6, R6, R4
3 LDG.E R4, desc[UR4][R2.64+0x8]
4 FADD R6, R6, R5
3 LDG.E R5, desc[UR4][R2.64+0xc]
4 FADD R6, R6, R4
4 FADD R6, R6, R5
5 @P1 BRA `(.main)
.rest:
6 @P2 EXIT
.one:
3 LDG.E R4, desc[UR4][R2.64]
4 FADD R6, R6, R4
5 @P3 BRA `(.one)
7 EXIT
.pad:
0 BRA `(.pad)
"""

# Half of the warps divide; the slow path is a function, of the same line.
SLOW_PATH = """
k:
1 MOV R1, c[0x0][0x28]
2 @P0 BRA `(.end)
3 MUFU.RCP R2, R17
3 FCHK P0, R0, R17
3 FFMA R3, R2, R3, R2
3 FFMA R3, R2, R3, R2
3 @!P0 BRA `(.fast)
3 MOV R2, 0x1a0
3 CALL.REL.NOINC `($slow)
3 MOV R27, R0
.fast:
4 STG.E desc[UR6][R12.64], R27
.end:
5 EXIT
$slow:
3 MUFU.RCP R18, R17
3 FFMA R3, R2, R3, R2
3 RET.REL.NODEC R2 `(k)
"""

# A product with copies in flight, as for sm_80: 7 steps in a loop that ends by a
# far jump, written as a call, and one step behind it. Line 3 copies, 4 waits,
# 6 loads a fragment, 7 multiplies, 9 stores.
PIPELINED = """
k:
1 MOV R1, c[0x0][0x28]
3 LDGSTS.E.BYPASS.LTC128B.128 [R4], [R2.64]
3 LDGDEPBAR
.step:
4 DEPBAR.LE SB0, 0x0
5 BAR.SYNC.DEFER_BLOCKING 0x0
3 LDGSTS.E.BYPASS.LTC128B.128 [R4], [R2.64], P1
3 LDGDEPBAR
6 LDSM.16.MT88.4 R8, [R4]
7 HMMA.16816.F32.BF16 R12, R8, R10, R12
7 HMMA.16816.F32.BF16 R12, R8, R10, R12
8 @!P0 CALL.REL.NOINC `(.rest)
8 BRA `(.step)
.rest:
6 LDSM.16.MT88.4 R8, [R4]
7 HMMA.16816.F32.BF16 R12, R8, R10, R12
7 HMMA.16816.F32.BF16 R12, R8, R10, R12
9 STG.E desc[UR6][R2.64], R12
10 EXIT
"""

# Lanes of each warp go both ways, and meet again.
DIVERGENT = """
k:
1 S2R R0, SR_TID.X
2 BSSY B0, `(.meet)
2 @P0 BRA `(.other)
3 STG.E desc[UR6][R2.64], R4
3 BRA `(.join)
.other:
4 STG.E desc[UR6][R2.64+0x40], R4
.join:
5 BSYNC B0
.meet:
6 STG.E desc[UR6][R2.64+0x80], R4
6 EXIT
"""


def check_counts():
    found, result, kernel = executions(
        UNROLLED, {1: 8, 2: 8, 3: 824, 4: 824, 5: 824, 6: 8, 7: 8}, 8)
    assert found["k", 0] == 8 and ("k", 16) not in found
    assert found["k", 2] == 8 * 25 and found["k", 12] == 8 * 3, found
    assert result.unexplained == 0
    assert figures.hot_loop(result) == 9 * 16

    found, result, _ = executions(SLOW_PATH, {1: 8, 2: 8, 3: 4, 4: 4, 5: 8}, 8)
    assert found == {("k", 0): 8, ("k", 2): 4, ("k", 7): 0, ("k", 9): 0,
                     ("k", 10): 4, ("k", 11): 8, ("$slow", 0): 0}, found

    found, result, kernel = executions(
        PIPELINED, {1: 2, 3: 16, 4: 14, 5: 14, 6: 16, 7: 32, 8: 14, 9: 2, 10: 2},
        2)
    assert found == {("k", 0): 2, ("k", 3): 14, ("k", 11): 12, ("k", 12): 2}, found
    assert result.unexplained == 0
    cost = figures.of_launch(kernel, result, "sm_80", 64, 0)
    assert cost.slots == {"control": 56, "lsu": 50, "tensor": 32,
                          "alu": 2}, cost.slots
    # One copy of 16 bytes a lane is not awaited.
    assert figures.in_flight(result) == 32 * 16

    found, result, kernel = executions(
        DIVERGENT, {1: 8, 2: 8, 3: 8, 4: 8, 5: 8, 6: 8}, 8)
    assert set(found.values()) == {8}, found
    cost = figures.of_launch(kernel, result, "sm_90a", 64, 0)
    assert cost.slots == {"control": 40, "lsu": 24, "constant": 8}, cost.slots
    assert cost.issue_slots == 72 and cost.hot_loop_bytes == 0


def check_flight():
    """Two loads wait for one scoreboard, a third was awaited before."""
    _, result, kernel = executions("""
k:
1 LDG.E R4, desc[UR4][R2.64] ; writes=1
2 FADD R4, R4, R5 ; waits=2
3 LDG.E.64 R8, desc[UR4][R2.64] ; writes=2
4 LDG.E.U16 R9, desc[UR4][R2.64] ; writes=2
5 LDG.E R10, desc[UR4][R2.64] ; writes=3
6 FADD R8, R8, R9 ; waits=4
7 EXIT
""", {line: 1 for line in range(1, 8)}, 1)
    assert figures.in_flight(result) == 32 * (8 + 2 + 4)
    # 2 warps a block of 32 registers: 32 blocks; or by shared memory.
    cost = figures.of_launch(kernel, result, "sm_90a", 64, 0)
    assert cost.blocks == 32 and cost.bytes_in_flight == 32 * 14 * 2 * 32
    assert figures.resident_blocks("sm_90a", 32, 64, 100 * 1024) == 2
    assert figures.resident_blocks("sm_80", 255, 256, 0) == 1


def main():
    check_lines()
    check_counts()
    check_flight()
    assert figures.slots_of_ptx("div.rn.f32") > figures.slots_of_ptx("div.full.f32")
    assert figures.slots_of_ptx("fma.rn.f32") == 1
    print("lines of PTX, executions of blocks and figures are as known")


main()
