"""integer_keys.py ROOT: no DenseMap, DenseSet or a container over one has
integers as keys. They keep two values of the key's type for themselves (of
int64_t 2^63-1 and -2^63), which a number of a file may be: to insert one
corrupts the table. std::unordered_map and std::map have no such keys."""

import pathlib
import re
import sys

from sources import sources

INTEGER = (r"(?:std::)?u?int(?:_fast|_least)?(?:8|16|32|64)_t|"
           r"(?:std::)?(?:size_t|ptrdiff_t|s?size_t|u?intptr_t|uintmax_t)|"
           r"(?:unsigned|signed|long|short|int|char)"
           r"(?: (?:unsigned|signed|long|short|int|char))*")
# Also the vectors and classes that hold a DenseMap or a DenseSet.
CONTAINER = re.compile(
    r"\b(?:Small)?(?:Dense(?:Map|Set)|MapVector|SetVector)<|"
    r"\bEquivalenceClasses<")
ALIAS = re.compile(rf"\busing (\w+) = (?:{INTEGER});|"
                   rf"\btypedef (?:{INTEGER}) (\w+);")


def without_comments(text):
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), text,
                  flags=re.S)


def first_argument(text, at):
    """The template argument that begins at `at`."""
    depth = 0
    for end in range(at, len(text)):
        if text[end] == "<":
            depth += 1
        elif text[end] == ">" and depth:
            depth -= 1
        elif text[end] in ",>" and not depth:
            return " ".join(text[at:end].split())
    return ""


def is_integer(key, aliases):
    """Whether all values of a key's type may be numbers."""
    parts = re.fullmatch(r"(?:std::)?(?:pair|tuple)<(.*)>", key)
    if parts:
        return all(is_integer(part.strip(), aliases)
                   for part in parts[1].split(","))
    return bool(re.fullmatch(INTEGER, key)) or \
        key.split("::")[-1] in aliases


def main():
    root = pathlib.Path(sys.argv[1])
    texts = {path: without_comments((root / path).read_text(encoding="utf-8"))
             for path in sources(root)}
    aliases = {name for text in texts.values() for names in ALIAS.findall(text)
               for name in names if name}
    problems = []
    for path, text in texts.items():
        for match in CONTAINER.finditer(text):
            key = first_argument(text, match.end())
            if is_integer(key, aliases):
                line = text.count("\n", 0, match.start()) + 1
                problems.append(f"{path}:{line}: {match[0]}{key}, ..> keeps "
                                "two keys for itself; use std::unordered_map, "
                                "std::map or a vector")
    print("\n".join(problems) or f"no integer is the key of a dense map "
          f"({len(texts)} files)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
