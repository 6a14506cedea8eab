"""purity.py ROOT: library code never prints, aborts, exits or reads the
environment. Also reports the longest files."""

import pathlib
import re
import sys

from sources import LIBRARIES, sources

FORBIDDEN = {
    r"\b(std::)?(abort|exit|_exit|quick_exit)\s*\(": "ends the process",
    r"\b(std::)?(getenv|secure_getenv|setenv|putenv)\s*\(":
        "reads or writes the environment",
    r"\bstd::c(out|err|log)\b|\bllvm::(outs|errs|dbgs)\(\)|\b(outs|errs)\(\)":
        "prints",
    r"(?<![\w:])(std::)?(printf|puts|putchar|fprintf|perror)\s*\(": "prints",
    r"\breport_fatal_error\s*\(": "ends the process",
}
LONG = 600


def without_comments(text):
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), text,
                  flags=re.S)


def main():
    root = pathlib.Path(sys.argv[1])
    problems, sizes = [], []
    for path in sources(root, LIBRARIES):
        text = (root / path).read_text(encoding="utf-8")
        sizes.append((text.count("\n"), path))
        for number, line in enumerate(without_comments(text).splitlines(), 1):
            for pattern, what in FORBIDDEN.items():
                if re.search(pattern, line):
                    problems.append(f"{path}:{number}: {what}: {line.strip()}")
    for lines, path in sorted(sizes, reverse=True)[:5]:
        note = f" (over {LONG}: wants splitting)" if lines > LONG else ""
        print(f"{lines:5} lines  {path}{note}")
    print("\n".join(problems) or "library code is pure")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
