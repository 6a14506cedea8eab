"""api.py ROOT: docs/api.md lists each type of the public headers, and nothing
else."""

import pathlib
import re
import sys

# At the start of a line: what is indented is a member.
TYPE = re.compile(r"^(?:template <.*> )?(?:class|struct|enum class|using)\s+"
                  r"(?:\[\[nodiscard\]\] )?(?:TILEWRIGHT_API )?(\w+)\b"
                  r"(?![^{=\n]*;)", re.M)


def types_of(root):
    for path in sorted((root / "include").rglob("*.h")):
        text = path.read_text(encoding="utf-8")
        for name in TYPE.findall(text):
            yield name, path.relative_to(root)


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs/api.md").read_text(encoding="utf-8")
    types = dict(types_of(root))
    problems = [f"{path}: {name} is not in docs/api.md"
                for name, path in types.items() if f"`{name}`" not in page]
    # Of the page, the names before the colon of a line of a list.
    for names in re.findall(r"^- (`[^:]*`):|^(`\w+`,.*)$", page, re.M):
        problems += [f"docs/api.md: no public header has a type {name}"
                     for name in re.findall(r"`(\w+)`", "".join(names))
                     if name not in types]
    print("\n".join(problems) or f"{len(types)} types are in docs/api.md")
    return 1 if problems or len(types) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
