"""option_tables.py TOOL PAGE [--write]: the tables of options on the page are
what --help says; each command's help ends with examples of its own, and the
page has a section for each command. --write puts the tables on the page."""

import pathlib
import re
import subprocess
import sys

COMMANDS = ["compile", "run", "inspect", "devices", "map", "verify"]
TUNE = ["list", "show", "best", "merge", "export", "compare", "revalidate",
        "explain"]
TABLE = re.compile(r"(<!-- options of (\w+) -->\n)(.*?)(<!-- end -->)", re.S)


def help_of(tool, *command):
    return subprocess.run([tool, *command, "--help"], capture_output=True,
                          text=True, check=True).stdout


def options(text):
    """(names, meaning) of each option and positional, in their order."""
    rows = []
    for line in text.split("\nExamples:")[0].splitlines():
        first = re.match(r"  (\S.*?)(?:\s{2,}(\S.*))?$", line)
        if first and not line.startswith("   "):
            names = first[1].split(" ")[0]
            rows.append([names, first[2] or ""])
        elif line.startswith(" " * 20) and rows:
            rows[-1][1] = (rows[-1][1] + " " + line.strip()).strip()
    return [row for row in rows if row[0] != "-h,--help"]


def table(tool, command):
    lines = ["| Option | |", "|---|---|"]
    for names, meaning in options(help_of(tool, command)):
        spelled = ", ".join(f"`{name}`" for name in names.split(","))
        lines.append(f"| {spelled} | {meaning.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def main():
    tool, page = sys.argv[1], pathlib.Path(sys.argv[2])
    text = page.read_text(encoding="utf-8")
    new = TABLE.sub(lambda m: m[1] + table(tool, m[2]) + m[4], text)
    failures = []
    if "--write" in sys.argv:
        page.write_text(new, encoding="utf-8")
    elif new != text:
        failures.append(f"{page}: the tables of options are not those of "
                        f"--help; {sys.argv[0]} TOOL PAGE --write mends that")
    found = [m[2] for m in TABLE.finditer(text)]
    if found != COMMANDS:
        failures.append(f"{page}: tables of {found}, expected {COMMANDS}")
    paths = [[c] for c in COMMANDS] + [["tune"]] + [["tune", c] for c in TUNE]
    for path in paths:
        line = f"\n  tilewright {' '.join(path)}"
        if "\nExamples:" not in (shown := help_of(tool, *path)) or \
                line not in shown.split("\nExamples:")[1]:
            failures.append(f"{' '.join(path)} --help has no example of its own")
    commands = re.findall(r"^  (\w[\w-]*) ", help_of(tool).split(
        "\nSubcommands:")[1].split("\nExamples:")[0], re.M)
    failures += [f"{page} has no section '## {command}'"
                 for command in commands if f"\n## {command}\n" not in text]
    print("\n".join(failures) or f"{len(paths)} helps and the page agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
