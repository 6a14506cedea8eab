"""table.py PAGE [--write]: the table of kernels in a page, and its code.

Our lines are counted in the sources: from `// kernel: NAME` to `// end`,
without blank lines and comments. Those of the originals, and what the kernels
are, stand in originals.txt. The page holds the table between two comments;
without --write it must be the one that is made. A page without the comments has
no table. Each ```cpp block of the page is a kernel of the sources.
"""
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- kernels: begin -->\n", "<!-- kernels: end -->\n"


def our_lines():
    lines = {}
    for source in sorted(here.glob("*.cpp")):
        text = source.read_text(encoding="utf-8")
        for name, body in re.findall(r"^// kernel: ([^\n]*)\n(.*?)^// end$",
                                     text, re.M | re.S):
            lines[name] = (source.name, sum(
                1 for line in body.split("\n")
                if line.strip() and not line.strip().startswith("//")))
    return lines


def table():
    ours = our_lines()
    rows, named = [], set()
    for line in (here / "originals.txt").read_text().split("\n"):
        if not line or line.startswith("#"):
            continue
        name, original, lines, source = (x.strip() for x in line.split("|"))
        if name not in ours:
            sys.exit(f"originals.txt: no source holds '// kernel: {name}'")
        named.add(name)
        file, count = ours[name]
        rows.append(f"| {name} | [{file}](../examples/kernels/{file}) | "
                    f"{count} | {lines} | {original}"
                    f"{f' (`{source}`)' if source else ''} |\n")
    if missing := sorted(set(ours) - named):
        sys.exit(f"originals.txt does not name {', '.join(missing)}")
    return ("| Kernel | Here | Lines | Lines of the original | Original |\n"
            "|---|---|---|---|---|\n" + "".join(rows))


page = pathlib.Path(sys.argv[1])
text = page.read_text(encoding="utf-8")
sources = "".join(source.read_text(encoding="utf-8")
                  for source in here.glob("*.cpp"))
for block in re.findall(r"^```cpp\n(.*?)^```$", text, re.M | re.S):
    if block not in sources:
        sys.exit(f"{page}: this stands in no source:\n{block}")
if BEGIN not in text or END not in text:
    sys.exit(0)
before, rest = text.split(BEGIN, 1)
shown, after = rest.split(END, 1)
if sys.argv[2:] == ["--write"]:
    page.write_text(before + BEGIN + table() + END + after, encoding="utf-8")
elif shown != table():
    sys.exit(f"{page}: the table is not that of the sources; run\n"
             f"  python3 examples/kernels/table.py {page} --write")
