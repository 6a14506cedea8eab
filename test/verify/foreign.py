"""foreign.py TOOL [NAME...] [--runs N] [--compile]: Triton's PTX against what
linalg says.

foreign/NAME.ptx is what Triton 3.9 prints for a kernel of
test/tools/ptx/foreign/triton, without line numbers, and foreign/NAME.mlir says
what it is to compute. Of each pair `tilewright verify` must find no difference,
and one where the PTX has been edited in one place. --runs is an option of it.

--compile writes the PTX anew; it needs Triton, which needs no GPU."""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
FOREIGN = HERE.parent / "tools/ptx/foreign"
sys.path.append(str(HERE.parent / "forked"))
import forked  # noqa: E402

# Seconds that a search may take; on most machines it takes less than 8.
LIMIT = 200


@dataclasses.dataclass
class Buffer:
    """A tensor that the kernel reads, writes, or both."""
    name: str
    shape: tuple
    dtype: str
    reads: bool = False
    writes: bool = False


def given(name, shape, dtype="f32"):
    return Buffer(name, shape, dtype, reads=True)


def output(name, shape, dtype="f32"):
    return Buffer(name, shape, dtype, writes=True)


def changed(name, shape, dtype="f32"):
    return Buffer(name, shape, dtype, reads=True, writes=True)


@dataclasses.dataclass
class Kernel:
    # The function in cases/ that says how it is compiled.
    case: str
    grid: tuple
    # Buffers; numbers are i32, floats f32.
    arguments: list
    # (what stands in the PTX, what is put there, at which occurrence).
    edit: tuple
    relation: str = "exact"
    # Bytes of shared memory.
    shared: int = 0


def past_end(occurrence):
    """A mask that lets one element too many pass."""
    return ("setp.lt.s32", "setp.le.s32", occurrence)


def no_barrier(occurrence):
    return ("bar.sync", "// bar.sync", occurrence)


def matmul(case, m, n, k, operand, result, edit, relation="exact", shared=0):
    return Kernel(case, (1, 1, 1), [
        given("a", (m, k), operand), given("b", (k, n), operand),
        output("c", (m, n), result), m, n, k, k, n, n], edit, relation, shared)


KERNELS = {
    "add": Kernel("triton_elements.add", (2, 1, 1), [
        given("x", (300,)), given("y", (300,)), output("out", (300,)), 300],
        past_end(1)),
    "add_bf16": Kernel("triton_elements.add_bf16", (1, 1, 1), [
        given("x", (1008,), "bf16"), given("y", (1008,), "bf16"),
        output("out", (1008,), "bf16"), 1008],
        past_end(2)),
    "casts": Kernel("triton_elements.casts", (1, 1, 1), [
        given("x", (512,)), output("b16", (512,), "bf16"),
        output("f16", (512,), "f16"), output("e5", (512,), "f8E5M2"),
        output("whole", (512,), "i32")],
        ("cvt.rz.f16.f32", "cvt.rn.f16.f32", 1)),
    "integers": Kernel("triton_elements.integers", (2, 1, 1), [
        given("a", (256,), "i32"), given("b", (256,), "i32"),
        output("out", (2048,), "i32"), 256],
        ("mul.hi.u32", "mul.hi.s32", 1)),
    "moves": Kernel("triton_elements.moves", (1, 1, 1), [
        given("x", (16, 32)), output("out", (6, 512))],
        no_barrier(2), "reassociated", shared=2048),
    "gather": Kernel("triton_elements.gather", (1, 1, 1), [
        given("x", (16, 64), "f16"), given("places", (16, 32), "i32"),
        output("out", (1536,), "f16")],
        no_barrier(1), shared=2048),
    "collatz": Kernel("triton_elements.collatz", (8, 1, 1), [
        given("x", (8,), "i32"), output("out", (8,), "i32")],
        ("setp.lt.s32", "setp.lt.u32", 1)),
    "pooling": Kernel("triton_elements.pooling", (1, 1, 1), [
        given("x", (16, 32), "f16"), output("out", (8, 16), "f16")],
        ("max.f16", "max.NaN.f16", 1)),
    "softmax": Kernel("triton_rows.softmax", (2, 1, 1), [
        given("x", (2, 300)), output("y", (2, 300)), 300],
        past_end(3), "near=1e-5", shared=16),
    "softmax_many": Kernel("triton_rows.softmax_many", (2, 1, 1), [
        given("x", (6, 240), "f16"), output("y", (6, 240), "f16"), 6, 240],
        ("cp.async.wait_group", "// cp.async.wait_group", 1),
        "near=1e-3", shared=2080),
    "layer_norm": Kernel("triton_rows.layer_norm", (2, 1, 1), [
        given("x", (2, 200)), given("scale", (200,)), given("shift", (200,)),
        output("y", (2, 200)), output("statistics", (2, 2)), 200, 1e-5],
        no_barrier(1), "bounded", shared=16),
    "sums": Kernel("triton_rows.sums", (1, 1, 1), [
        given("x", (32, 64), "i32")] + [
            output(name, (32, 64), "i32")
            for name in ("down", "across", "back")],
        ("setp.gt.u32", "setp.ge.u32", 1), shared=4096),
    "sorts": Kernel("triton_rows.sorts", (1, 1, 1), [
        given("x", (4, 128), "i32"), output("up", (4, 128), "i32"),
        output("down", (4, 128), "i32"), output("most", (4, 8), "i32")],
        ("setp.gt.s32", "setp.gt.u32", 100), shared=128),
    "histogram": Kernel("triton_rows.histogram", (2, 1, 1), [
        given("x", (700,), "i32"), changed("out", (64,), "i32"), 700],
        no_barrier(2), shared=256),
    "cross_entropy": Kernel("triton_rows.cross_entropy", (3, 1, 1), [
        given("x", (3, 200)), given("labels", (3,), "i32"),
        output("loss", (3,)), output("gradient", (3, 200)), 200],
        no_barrier(2), "bounded", shared=16),
    "matmul_f32": matmul("triton_matmul.matmul_f32", 20, 24, 40, "f32", "f32",
                         past_end(3), "bounded", shared=8192),
    "matmul_f16": matmul("triton_matmul.matmul_f16", 20, 24, 40, "f16", "f32",
                         past_end(1), "bounded", shared=16384),
    "matmul_i8": matmul("triton_matmul.matmul_i8", 20, 24, 40, "i8", "i32",
                        ("s32.s8.s8.s32", "s32.u8.s8.s32", 1), shared=8192),
    "four_bits": Kernel("triton_matmul.four_bits", (1, 1, 1), [
        given("a", (32, 64), "f16"), given("b", (32, 32), "i8"),
        given("scales", (32,)), output("c", (32, 32)), 32, 64],
        ("shr.s16", "shr.u16", 2), "bounded", shared=12288),
    "convolution": Kernel("triton_matmul.convolution", (1, 1, 1), [
        given("x", (3, 5, 16), "f16"), given("w", (3, 3, 16, 32), "f16"),
        output("y", (3, 5, 32)), 16, 3, 5, 32], no_barrier(5), "bounded",
        shared=4096),
}

BYTES = {"f32": 4, "i32": 4, "f16": 2, "bf16": 2, "f8E5M2": 1, "i8": 1}


def text_of(name):
    return (HERE / "foreign" / f"{name}.ptx").read_text()


def write_launch(name, folder):
    """The launch file, and the inputs' files, whose contents do not count."""
    kernel, text = KERNELS[name], text_of(name)
    threads = int(re.search(r"\.reqntid (\d+)", text)[1])
    arguments = []
    for each in kernel.arguments:
        if isinstance(each, Buffer):
            entry = {"buffer": {"shape": list(each.shape),
                                "dtype": each.dtype}}
            if each.reads:
                entry = {"buffer": f"{each.name}.npy", "dtype": each.dtype}
                np.save(folder / f"{each.name}.npy",
                        np.zeros(each.shape, f"u{BYTES[each.dtype]}"))
            if each.writes:
                entry["output"] = each.name
            arguments.append(entry)
        else:
            dtype = "i32" if isinstance(each, int) else "f32"
            arguments.append({"scalar": dtype, "value": each})
    # Two pointers to scratch memory that Triton adds.
    arguments += [{"null": True}] * 2
    path = folder / "L.json"
    path.write_text(json.dumps({
        "entry": re.search(r"\.visible \.entry (\w+)", text)[1],
        "grid": kernel.grid, "block": [threads, 1, 1],
        "dynamicShared": kernel.shared, "args": arguments}))
    return path


def edited(name):
    old, new, occurrence = KERNELS[name].edit
    parts = text_of(name).split(old)
    if len(parts) <= occurrence:
        raise ValueError(f"{name}: '{old}' occurs {len(parts) - 1} times")
    return (old.join(parts[:occurrence]) + new + old.join(parts[occurrence:]))


def verify(tool, name, ptx, folder, runs):
    """The report of verify on the linalg and the PTX, or what it said."""
    (folder / "K.ptx").write_text(ptx)
    ran = forked.run(
        [tool, "verify", str(HERE / "foreign" / f"{name}.mlir"),
         str(folder / "K.ptx"), "--launch", str(write_launch(name, folder)),
         "--relation", KERNELS[name].relation, "--runs", str(runs),
         "--time-limit", str(LIMIT), "--json"],
        capture_output=True, text=True, timeout=2 * LIMIT, check=False)
    if not ran.stdout.startswith("{"):
        raise RuntimeError(f"exit code {ran.returncode}: {ran.stderr}")
    return json.loads(ran.stdout)


def problem_of(tool, name, folder, runs):
    """What is wrong with the verdicts on a kernel; and a line about it."""
    right = verify(tool, name, text_of(name), folder, runs)
    if right["verdict"] != "equivalent":
        return f"different: {json.dumps(right['counterexample'])[:600]}", ""
    wrong = verify(tool, name, edited(name), folder, runs)
    old, new, _ = KERNELS[name].edit
    if wrong["verdict"] != "different":
        return f"'{new}' for '{old}' is not seen", ""
    found = wrong["counterexample"]
    return "", f"{right['cases']} runs; {new} for {old}: {found['kind']}"


def compile_kernels(names):
    """Writes PTX; prints the shared memory that the launches need."""
    os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
    sys.path.insert(0, str(FOREIGN))
    from harness import case as cases, triton_compile
    from harness.run import load_cases
    load_cases()
    known = {case.name: case for case in cases.CASES}
    for name in names:
        case = known[KERNELS[name].case]
        ptx, facts = triton_compile.compile(
            case, FOREIGN / "triton" / case.source, "sm_80")
        (HERE / "foreign" / f"{name}.ptx").write_text(ptx)
        print(f"{name}: {facts['shared']} bytes of shared memory, "
              f"{facts['scratch']} of scratch memory")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_intermixed_args()
    names = arguments.names or list(KERNELS)
    if arguments.compile:
        compile_kernels(names)
        return 0
    bad = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            problem, line = problem_of(arguments.tool, name,
                                       pathlib.Path(folder),
                                       arguments.runs)
        bad += bool(problem)
        print(f"{name}: {problem or line}", flush=True)
    print(f"{len(names) - bad} of {len(names)} kernels are what linalg says, "
          f"and are seen to be wrong when edited")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
