"""planted.py: the harness finds what tools that are wrong on purpose do: each
ends as no reader may, or says what it should not."""

import pathlib
import random
import sys
import tempfile

import mutate_json
import mutate_onnx
import run
from mutate_text import Mutator, Text
from onnx_files import SAMPLES
from run import Command, judge

# A shell script, and what is said of it.
TOOLS = {
    "kill -SEGV $$": "ended by SIGSEGV",
    "kill -ABRT $$": "ended by SIGABRT",
    "sleep 60": "hangs",
    "echo 'error: internal' >&2; exit 3": "exit code 3",
    "exit 1": "exit code 1 without an error",
    "echo 'a:1: error: x' >&2; echo 'error: y' >&2; exit 1": "2 errors",
    "echo 'error: x' >&2": "an error with exit code 0",
    "echo 'k.cpp:3:4: runtime error: index' >&2; echo 'error: x' >&2; exit 1":
        "a report",
    "echo '==1==ERROR: AddressSanitizer: heap' >&2; exit 99": "a report",
    "python3 -c 'None.x'": "a report: Traceback",
    "python3 -c 'x = bytearray(700 << 20)'": "MiB, expected at most",
    "python3 -c 'import sys; sys.exit(\"error: \" + \"x\" * (1 << 19))'":
        "bytes on standard error",
}
# And nothing of these.
GOOD = ["exit 0", "echo 'm:1:2: error: x' >&2; exit 1",
        "echo 'error: x' >&2; exit 2", "echo 'error: x' >&2; exit 4",
        "echo 'm:1: error: x' >&2; echo 'm:2: note: y' >&2; exit 1"]


def check_tools(folder):
    run.MEMORY = 600 << 20
    for script, expected in [*TOOLS.items(), *((text, None) for text in GOOD)]:
        run.SECONDS = 2 if expected == "hangs" else 60
        command = Command(["/bin/sh", "-c", script])
        # Measured, as with sanitizers: the limit has other tests.
        found = judge(command, run.run(command, folder, True))
        if (expected or "") not in (found or "") or (found and not expected):
            yield f"{script}: expected '{expected}', found '{found}'"


def check_mutators():
    """A seed makes the same mutant again, and most seeds another one."""
    text = Text("func.func @f(%x: tensor<4x8xf32>) -> f32 {\n  return %x\n}\n")
    mutator = Mutator([text])
    model = SAMPLES["shapes"]()
    makers = {
        "json": lambda r: mutate_json.text(r, mutate_json.mutate(
            r, {"a": [1, {"b": "N * 4"}], "c": 2.5})),
        "text": lambda r: mutator.mutate(r, text),
        "onnx": lambda r: mutate_onnx.mutate(r, model)}
    for name, make in makers.items():
        made = [make(random.Random(seed)) for seed in range(200)]
        if made != [make(random.Random(seed)) for seed in range(200)]:
            yield f"{name}: a seed makes two mutants"
        if len(set(made)) < 100:
            yield f"{name}: {len(set(made))} mutants of 200 seeds"


def main():
    with tempfile.TemporaryDirectory() as folder:
        problems = [*check_tools(pathlib.Path(folder)), *check_mutators()]
    print("\n".join(problems) or f"{len(TOOLS)} wrong tools are found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
