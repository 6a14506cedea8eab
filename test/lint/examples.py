#!/usr/bin/env python3
"""examples.py ROOT TILEWRIGHT_OPT: each ```mlir example of the pages and of the
tile dialect's op descriptions must parse and verify.

An example is either whole (it begins with `tile.kernel` or `tile.func`) or the
inside of a function. The latter is put into one whose arguments are the names
it uses and does not define. Their types follow from the text of the ops that
use them: the parser says what it expected. An example may call the functions
that examples before it in its file define.
"""
import pathlib
import re
import subprocess
import sys

FILES = ("*.md", "docs/*.md", "docs/rationale/*.md", "tileir/ir/*.td")
SPLIT = "// -----"
NAME = r"%[\w$.-]+"
EXPECTED = re.compile(
    rf"use of value '({NAME})' expects different type than prior uses: "
    r"'(.*)' vs 'none'")


class Example:
    """The lines of one, and the first error in it."""

    def __init__(self, path, first, lines, before):
        self.path, self.first, self.lines = path, first, lines or [""]
        self.is_whole = bool(re.match(r"\s*tile\.(kernel|func)\b",
                                      "\n".join(lines)))
        self.before = before  # Lines of the functions before it.
        self.types = dict.fromkeys(self.free_names(), "none")
        self.error = None  # (line in the file, message)

    def free_names(self):
        """Names used and not defined: neither results nor block arguments."""
        text = "\n".join(re.sub(r"//.*", "", line) for line in self.lines)
        results = re.findall(rf"^\s*({NAME}[^=\n]*)\s=\s", text, re.M)
        blocks = re.findall(r"^\s*\^\w+\((.*)\):", text, re.M)
        defined = set(re.findall(NAME, " ".join(results + blocks)))
        return [name for name in dict.fromkeys(re.findall(NAME, text))
                if name not in defined]

    def text(self):
        """Lines of a module that holds it, and how many stand before it."""
        if self.is_whole:
            return self.before + self.lines, len(self.before)
        arguments = ", ".join(f"{n}: {t}" for n, t in self.types.items())
        head = self.before + [f"tile.func @example({arguments}) {{"]
        return head + self.lines + ["}"], len(head)


def examples(path, name):
    found, before = [], []
    fence, begin, is_mlir = None, 0, False
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        ticks, info = re.match(r"\s*(`{3,}|)(.*)", line).groups()
        if not fence and ticks:  # A longer fence may hold shorter ones.
            fence, begin, is_mlir = ticks, number + 1, info == "mlir"
        elif fence and ticks.startswith(fence) and not info:
            if is_mlir:
                found.append(Example(name, begin, lines[begin - 1:number - 1],
                                     list(before)))
                if found[-1].lines[0].lstrip().startswith("tile.func"):
                    before += found[-1].lines
            fence = None
    return found


def parse(tool, wanted):
    """Sets the first error of each example; one run for all."""
    text, starts = [], []
    for example in wanted:
        example.error = None
        lines, head = example.text()
        starts.append((len(text) + 1, len(text) + head + 1, example))
        text += lines + [SPLIT]
    result = subprocess.run(
        [tool, "-", "--split-input-file", "-o", "/dev/null"],
        input="\n".join(text), capture_output=True, text=True, check=False)
    errors = re.findall(r"^[^\n:]*:(\d+):\d+: error: (.*)$", result.stderr,
                        re.M)
    for line, message in errors:
        _, first, example = max(
            (s for s in starts if s[0] <= int(line)), key=lambda s: s[0])
        if not example.error:
            example.error = (example.first + max(int(line) - first, -1),
                             message)
    if result.returncode and not errors:
        sys.exit(f"{tool} failed: {result.stderr.strip()}")


def main():
    root, tool = pathlib.Path(sys.argv[1]), sys.argv[2]
    everything = [example for pattern in FILES
                  for path in sorted(root.glob(pattern))
                  for example in examples(path, path.relative_to(root))]
    if not everything:
        sys.exit("no examples found: is this the repository's root?")
    wanted = everything
    while wanted:  # Each round finds the type of one name of each example.
        parse(tool, wanted)
        again = []
        for example in wanted:
            expected = example.error and EXPECTED.match(example.error[1])
            if expected and example.types.get(expected.group(1)) == "none":
                example.types[expected.group(1)] = expected.group(2)
                again.append(example)
        wanted = again
    problems = [f"{e.path}:{e.error[0]}: {e.error[1]}" for e in everything
                if e.error]
    print("\n".join(problems) or
          f"{len(everything)} examples parse and verify")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
