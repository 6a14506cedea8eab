"""steps.py OPT KERNELS.mlir cpu|GPU: each pass on the way of tile kernels to the
llvm dialect runs in a process of its own, on what the one before printed. What
comes out must be what one process makes of the whole pipeline: nothing that a
pass needs is anywhere but in the IR."""

import pathlib
import re
import subprocess
import sys

GPU = ["tile-to-scheduled", "scheduled-to-threads", "loops-to-llvm"]
CPU = ["tile-to-loops", "loops-to-llvm"]
CPU_FACTS = """triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3",
  features = "+avx2,+fma,+f16c", required = "x86_64,avx2,fma",
  vector_bits = 256, vector_registers = 16, masks_lanes = 0, threads = 4"""


def run(opt, arguments, text):
    done = subprocess.run([opt, *arguments], input=text, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr[-2000:]}")
    return done


def split(pipeline):
    """The passes of "a,b{c=d},e(f,g)", each with its own parentheses."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(pipeline):
        depth += (character in "({") - (character in ")}")
        if character == "," and depth == 0:
            parts.append(pipeline[start:i])
            start = i + 1
    return parts + [pipeline[start:]] if pipeline else []


def passes_of(pipeline):
    """Pipelines of one pass each."""
    for part in split(pipeline):
        name, bracket, rest = part.partition("(")
        if bracket and "{" not in name:
            for inner in passes_of(rest[:-1]):
                yield f"{name}({inner})"
        else:
            yield part


def main():
    opt, path, target = sys.argv[1:]
    facts = f', {{{CPU_FACTS}}}' if target == "cpu" else ""
    code = pathlib.Path(path).read_text(encoding="utf-8")
    # A file may bring its module.
    if not re.search(r"^module \{$", code, re.M):
        code = f"module {{\n{code}\n}}\n"
    text = re.sub(r"^module ", f'module attributes {{tile.target = '
                  f'#tile.target<"{target}"{facts}>}} ', code, count=1,
                  flags=re.M)
    names = [f"--{name}" for name in (CPU if target == "cpu" else GPU)]
    whole = run(opt, names + ["--dump-pass-pipeline"], text)
    dumped = whole.stderr[whole.stderr.index("builtin.module("):]
    dumped = "".join(line.strip() for line in dumped.splitlines())
    count, step = 0, text
    for pipeline in passes_of(dumped):
        step = run(opt, [f"--pass-pipeline={pipeline}"], step).stdout
        count += 1
    if "tile.kernel" in step:
        sys.exit(f"{path}: a kernel was not lowered")
    # Printing once more makes the names of values equal.
    if run(opt, [], step).stdout != run(opt, [], whole.stdout).stdout:
        sys.exit(f"{path}: the result of {count} processes is not that of one")
    print(f"{path}: {count} passes, one by one")


if __name__ == "__main__":
    main()
