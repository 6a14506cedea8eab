#!/usr/bin/env python3
"""Checks that each rule of the specifications is in a verifier and has a test.

Rule C2 of the section `## tile.dot` is the label `dot_c2`. It must stand in
three locations:
  docs/spec.md        - (C2) ... in the op's section
  tileir/ir/*.cpp     // dot_c2, beside the check
  test/tileir/**      @dot_c2, the negative test
The label must be in the message, too, so that a test which breaks one rule
cannot pass on the error of another:
  tileir/ir/*.cpp     "... (dot_c2)", or rule(op, 2) below `// dot_c2`
  test/tileir/**      expected-error {{... (dot_c2)}}, in the part of @dot_c2
The same holds for docs/scheduled.md, codegen/tilegpu and test/codegen/gpu, where
the label of `## tilegpu.reduce` is `tilegpu_reduce_c2`.
Prints what is missing and exits with 1. Usage: spec_labels.py [ROOT]
"""
import pathlib
import re
import sys


# Ops of both dialects: the labels of tilegpu's have a prefix.
SHARED_NAMES = {"dot", "reduce", "scan"}
LABEL = re.compile(r"\w+_c\d+")


def spec_labels(text):
    labels, name = set(), None
    for line in text.splitlines():
        section = re.match(r"#{2,3} [!#]?(tile|tilegpu)\.(\w+)", line)
        if line.startswith("#"):
            name = section.group(2) if section else None
            if name in SHARED_NAMES and section.group(1) == "tilegpu":
                name = "tilegpu_" + name
        rule = re.match(r"- \(C(\d+)\)", line)
        if rule and name:
            labels.add(f"{name}_c{rule.group(1)}")
    return labels


SEPARATOR = "// -----"


def files_text(folder, pattern):
    return f"\n{SEPARATOR}\n".join(
        path.read_text() for path in sorted(folder.rglob(pattern))
    )


def comment_labels(source):
    groups = re.findall(r"// ((?:\w+_c\d+,? ?)+)", source)
    return {label for group in groups for label in LABEL.findall(group)}


def message_labels(source):
    """Labels in string literals, and those that rule(op, N) makes."""
    code = re.sub(r"//.*", "", source)
    literals = re.findall(r'"((?:[^"\\\n]|\\.)*)"', code)
    labels = {label for text in literals for label in LABEL.findall(text)}
    # The text below a comment with labels, up to the next such comment.
    parts = re.split(r"// ((?:\w+_c\d+,? ?)+)", source)
    for group, below in zip(parts[1::2], parts[2::2]):
        below = below.partition(SEPARATOR)[0]
        made = set(re.findall(r"\brule\(\w+, (\d+)\)", below))
        labels.update(
            label for label in LABEL.findall(group)
            if label.rpartition("_c")[2] in made
        )
    return labels


def test_labels(text):
    """Labels that negative tests are called by, and those of them that the
    expected errors of the same part of the file name."""
    named, expected = set(), set()
    for part in text.split(SEPARATOR):
        names = set(re.findall(r"@(\w+_c\d+)\b", part))
        errors = " ".join(re.findall(r"expected-error[^{\n]*\{\{(.*)\}\}", part))
        named |= names
        expected |= {name for name in names if f"({name})" in errors}
    return named, expected


def locations(root, page, source, tests):
    code = files_text(root / source, "*.cpp")
    named, expected = test_labels(files_text(root / tests, "*.mlir"))
    return {
        page: spec_labels((root / page).read_text()),
        f"the verifier, {source}": comment_labels(code),
        f"the messages of the verifier, {source}": message_labels(code),
        f"a negative test, {tests}": named,
        f"the error that its test expects, {tests}": expected,
    }


def missing_labels(labels_of):
    every = set().union(*labels_of.values())
    if not every:
        return ["no labels found: is this the repository's root?"]
    return [
        f"{label} is missing in {location}"
        for label in sorted(every)
        for location, labels in labels_of.items()
        if label not in labels
    ]


def main():
    default = pathlib.Path(__file__).resolve().parents[2]
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    missing = missing_labels(
        locations(root, "docs/spec.md", "tileir/ir", "test/tileir")
    ) + missing_labels(
        locations(root, "docs/scheduled.md", "codegen/tilegpu", "test/codegen/gpu")
    )
    for line in missing:
        print(line)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
