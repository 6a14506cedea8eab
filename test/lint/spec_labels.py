#!/usr/bin/env python3
"""Checks that each rule of the specifications is in a verifier and has a test.

Rule C2 of the section `## tile.dot` is the label `dot_c2`. It must stand in
three places:
  docs/spec.md        - (C2) ... in the op's section
  tileir/ir/*.cpp     // dot_c2, beside the check
  test/tileir/**      @dot_c2, the negative test
The same holds for docs/scheduled.md, codegen/gpu and test/codegen/gpu, where
the label of `## tilegpu.reduce` is `tilegpu_reduce_c2`.
Prints what is missing and exits with 1. Usage: spec_labels.py [ROOT]
"""
import pathlib
import re
import sys


# Ops of both dialects: the labels of tilegpu's have a prefix.
SHARED_NAMES = {"dot", "reduce", "scan"}


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


def labels_in(paths, pattern):
    labels = set()
    for path in paths:
        for line in path.read_text().splitlines():
            for group in re.findall(pattern, line):
                labels.update(re.findall(r"\w+_c\d+", group))
    return labels


def missing_labels(places):
    every = set().union(*places.values())
    if not every:
        return ["no labels found: is this the repository's root?"]
    return [
        f"{label} is missing in {place}"
        for label in sorted(every)
        for place, labels in places.items()
        if label not in labels
    ]


def main():
    default = pathlib.Path(__file__).resolve().parents[2]
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    places = {
        "docs/spec.md": spec_labels((root / "docs/spec.md").read_text()),
        "the verifier, tileir/ir": labels_in(
            sorted((root / "tileir/ir").glob("*.cpp")), r"// ((?:\w+_c\d+,? ?)+)"
        ),
        "a negative test, test/tileir": labels_in(
            sorted((root / "test/tileir").rglob("*.mlir")), r"@(\w+_c\d+)\b"
        ),
    }
    scheduled = {
        "docs/scheduled.md": spec_labels(
            (root / "docs/scheduled.md").read_text()
        ),
        "the verifier, codegen/gpu": labels_in(
            sorted((root / "codegen/gpu").glob("*.cpp")),
            r"// ((?:\w+_c\d+,? ?)+)",
        ),
        "a negative test, test/codegen/gpu": labels_in(
            sorted((root / "test/codegen/gpu").rglob("*.mlir")),
            r"@(\w+_c\d+)\b",
        ),
    }
    missing = missing_labels(places) + missing_labels(scheduled)
    for line in missing:
        print(line)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
