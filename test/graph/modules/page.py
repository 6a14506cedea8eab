"""page.py PAGE [--write]: the table of docs/mlir.md has one row for each case of
cases_*.py, and no other rows. With --write it is written."""

import pathlib
import sys

import cases
import modules  # pylint: disable=unused-import # It reads all cases.

HEADER = ["| Op | Form |", "|---|---|"]


def rows():
    """The forms of each op, in the order of the cases."""
    forms = {}
    for case in cases.CASES:
        forms.setdefault(case.ops, []).append(case.form)
    return HEADER + [f"| {ops} | {'; '.join(dict.fromkeys(texts))} |"
                     for ops, texts in forms.items()]


def main():
    page = pathlib.Path(sys.argv[1])
    lines = page.read_text().splitlines()
    start = lines.index(HEADER[0])
    end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
    if "--write" in sys.argv:
        page.write_text("\n".join(lines[:start] + rows() + lines[end:]) + "\n")
        return
    found, expected = lines[start:end], rows()
    for line in expected:
        if line not in found:
            print(f"{page}: a row is missing: {line}")
    for line in found:
        if line not in expected:
            print(f"{page}: no test has this row: {line}")
    if found != expected:
        print(f"write it with: python3 {sys.argv[0]} {page} --write")
        sys.exit(1)
    print(f"{len(cases.CASES)} forms, {len(expected) - 2} rows")


if __name__ == "__main__":
    main()
