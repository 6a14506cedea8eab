"""hostile.py TOOL: `tilewright run K.ptx` on texts and launches made to write
outside of memory, to overflow the stack or to exhaust the machine. Each gets
one error at once, in little memory."""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TABLE = ".global .u64 t[1] = { f };\n"
WRONG, FINDING = 1, 4


def kernel(body, before="", parameters=""):
    return f"{HEAD}{before}\n.visible .entry k({parameters}) {{ {body} ret; }}\n"


def indirect(prototype, call, body=".param .b8 p[1000000];"):
    return kernel(f"{body} .reg .b64 %rd<3>; ld.global.u64 %rd1, [t];"
                  f" pr: .callprototype {prototype}; {call}, pr;",
                  ".func f() { ret; }\n" + TABLE)


REGISTERS = ", ".join(f".reg .b64 q{i}" for i in range(400))
SCALAR = {"scalar": "i32", "value": 1}

# Name: the text, what is in the launch file, the exit code, the message.
CASES = {
    # Sizes and alignments that overflow 32 or 64 bits.
    "an alignment of 2^32": (
        kernel("", parameters=".param .align 4294967296 .b32 p"),
        {"args": [SCALAR]}, WRONG,
        "k.ptx:5:26: error: expected an alignment of at most 16777216, found "
        "4294967296"),
    "three parameters of 2^31": (
        kernel("", parameters=", ".join(
            f".param .align 2147483648 .b32 {n}" for n in "abc")),
        {"args": [SCALAR] * 3}, WRONG, "alignment of at most 16777216"),
    "dynamic shared memory at 2^33": (
        kernel("st.shared.b32 [d], 1;",
               ".extern .shared .align 8589934592 .b8 d[];"),
        {}, WRONG, "alignment of at most 16777216"),
    "a function's parameter of 4 GB": (
        kernel(".param .b8 p[16]; call f, (p);",
               ".func f(.param .b8 a[4000000000]) { ret; }"),
        {}, WRONG, "at most 16777216 bytes of parameters, found 4000000000"),
    "a function's parameter of 2^32 + 4 bytes": (
        kernel(".param .b8 p[16]; call f, (p);",
               ".func f(.param .b8 a[4294967300]) { ret; }"),
        {}, WRONG, "at most 16777216 bytes of parameters"),
    "local variables of 2^64 bytes together": (
        kernel(".local .b8 a[1024]; .local .b8 b[18446744073709550592];"
               " st.local.b32 [a], 1;"),
        {}, WRONG, "at most 16777216 bytes of local memory a thread"),
    "shared variables of 2^64 bytes together": (
        kernel(".shared .b8 a[16]; .shared .b8 b[18446744073709551600];"
               " st.shared.b32 [a], 1;"),
        {}, WRONG, "at most 16777215 bytes of shared memory"),
    "a block of 2^64 threads": (
        kernel(""), {"block": [536838145, 536903681, 64]}, WRONG,
        "expected a block of 1 to 1024 threads"),
    "a kernel's parameter in a register": (
        kernel("", parameters=".reg .b32 a"), {"args": [SCALAR]}, WRONG,
        "expected parameters of a kernel in .param"),

    # Calls that copy more than the other side has.
    "a result larger than its variable": (
        kernel(".param .b32 p; .local .b32 q[32]; call (p), f;",
               ".func (.param .b8 r[64]) f() { st.param.b32 [r+60], 7; ret; }"),
        {}, WRONG, "expected a variable of 64 bytes for 'r', found one of 4"),
    "an argument smaller than its parameter": (
        kernel(".param .b32 p; call f, (p);",
               ".func f(.param .b8 a[64]) { ret; }"),
        {}, WRONG, "expected a variable of 64 bytes for 'a', found one of 4"),
    "a prototype with a parameter too many": (
        indirect("_ (.param .b8 q[1000000])", "call %rd1, (p)"), {}, FINDING,
        "expected a function with the parameters of this call's prototype, "
        "found 'f'"),
    "a prototype with a result too many": (
        indirect("(.param .b8 q[1000000]) _ ()", "call (p), %rd1, ()"), {},
        FINDING, "the parameters of this call's prototype"),
    "a prototype with registers too many": (
        indirect(f"_ ({REGISTERS})",
                 "call %rd1, (" + ", ".join(["%rd1"] * 400) + ")", ""),
        {}, FINDING, "the parameters of this call's prototype"),

    # The stack.
    "stackrestore of 4 GB": (
        kernel(".param .b8 p[64]; .reg .b64 %rd<3>; mov.u64 %rd1, 4294967168;"
               " stackrestore.u64 %rd1; call f, (p);",
               ".func f(.param .b8 a[64]) { ret; }"),
        {}, FINDING, "expected what stacksave returned, at most 0; found "
        "4294967168"),
    "alloca of 2^64 - 64 bytes": (
        kernel(".reg .b64 %rd<3>; mov.u64 %rd1, 128; alloca.u64 %rd2, %rd1;"
               " mov.u64 %rd1, -64; alloca.u64 %rd2, %rd1;"),
        {}, WRONG, "expected at most 524288 bytes of local memory a thread"),

    # What the machine has not.
    "64 GB of local memory in a grid": (
        kernel(".local .b8 a[16777216]; st.local.b32 [a], 1;"),
        {"grid": [64], "block": [1024]}, WRONG,
        "resources: expected at most 16777216 bytes of local memory a thread, "
        "and 4294967296 bytes of registers, local and shared memory"),
    "32 GB of registers": (
        kernel(".reg .b32 %r<8000000>; mov.b32 %r0, 1;"),
        {"grid": [64], "block": [1024]}, WRONG, "bytes of registers"),
    "a recursion with 16 MiB of local memory": (
        kernel("call f;",
               ".func f() { .local .b8 a[16777216]; call f; ret; }"),
        {}, WRONG, "at most 16777216 bytes of local memory a thread"),
    "a recursion with a million registers": (
        kernel("call f;", ".func f() { .reg .b32 %r<1000000>; call f; ret; }"),
        {}, WRONG, "bytes of registers"),

    # A buffer that nothing touches needs no memory; 3 GiB of zeros would.
    "a buffer of 3 GiB": (
        kernel("", parameters=".param .u64 p"),
        {"args": [{"buffer": {"shape": [3 << 30], "dtype": "u8"}}]}, 0, ""),

    # Nesting.
    "lists in lists": (
        HEAD + ".global .b32 a[1] = " + "{" * 50000 + ";\n", {}, WRONG,
        "expected at most 100 nested scopes, lists or parentheses"),
    "pairs in pairs": (
        kernel("mov.b32 " + "p|" * 100000 + "p, 1;"), {}, WRONG,
        "expected at most 100 nested"),
    "conditions in conditions": (
        HEAD + ".global .b32 a[" + "1?1:" * 100000 + "1];\n", {}, WRONG,
        "expected at most 100 nested"),
}


# Limits that an option moves: what is run, options, the exit code, the message.
LARGE = (kernel(".local .b8 a[1048576]; st.local.b32 [a], 1;"),
         {"block": [64]})
MOVED = {
    "a limit of 32 MiB": (["--max-memory", "32"], WRONG,
                          "and 33554432 bytes of registers"),
    "a limit of 128 MiB": (["--max-memory", "128"], 0, ""),
    "no limit": (["--max-memory", "0"], 0, ""),
}


def run(tool, folder, text, launch, options=()):
    (folder / "k.ptx").write_text(text)
    (folder / "k.json").write_text(
        json.dumps({"entry": "k", "grid": [1], "block": [32], **launch}))
    limit = (8 << 30, 8 << 30)
    return subprocess.run(
        [tool, "run", folder / "k.ptx", "--device", "emulator", "--launch",
         folder / "k.json", *options], capture_output=True, text=True, timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))


def main(tool):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, launch, code, message) in CASES.items():
            done = run(tool, pathlib.Path(folder), text, launch)
            good = (done.returncode == code and message in done.stderr and
                    done.stderr.count("error: ") == (code != 0))
            if not good:
                failed += 1
                print(f"{name}: expected {code} and '{message}', found "
                      f"{done.returncode} and '{done.stderr[:400]}'")
        for name, (options, code, message) in MOVED.items():
            done = run(tool, pathlib.Path(folder), *LARGE, options)
            if done.returncode != code or message not in done.stderr:
                failed += 1
                print(f"{name}: expected {code} and '{message}', found "
                      f"{done.returncode} and '{done.stderr[:400]}'")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    if peak > 1024:
        failed += 1
        print(f"expected at most 1024 MiB, found {peak}")
    print(f"{len(CASES) - failed} of {len(CASES)} refused as they should be")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
