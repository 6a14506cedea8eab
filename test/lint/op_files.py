"""op_files.py ROOT: an op of the tile dialect is named in few files: where it
is defined, executed, lowered for each kind of target, laid out and priced. What
more stages need of it they ask of an interface (tileir/ir/TileInterfaces.td) or a
table (tileir/ir/OpTable.h)."""

import collections
import pathlib
import re
import sys

MOST = 8
SOURCES = [".cpp", ".h", ".td", ".inc"]
FOLDERS = ["tileir", "codegen", "graph", "frontends", "library", "autotune",
           "verify", "tools", "runtime"]
# How many files, and why more than MOST.
MORE = {
    "KernelOp": (1000, "what all stages work on"),
    "FuncOp": (9, "the structure of a module"),
    "DotOp": (9, "a pass gives it the precision of the compilation"),
    "DimOp": (10, "sizes of launches, too, and of the work of a loop"),
    "ConvertOp": (9, "dots multiply what was extended as it was before"),
    "ReshapeOp": (9, "copies need to know which register holds which element"),
    "BroadcastOp": (9, "its copies take no registers of a GPU"),
}


def ops_of(root):
    for path in sorted((root / "tileir/ir").glob("*.td")):
        yield from re.findall(r"^def Tile_(\w+Op)\b",
                              path.read_text(encoding="utf-8"), re.MULTILINE)


NAME = re.compile(r"\bTile_(\w+Op)\b|"
                  r"(?<![\w:])((?:::)?(?:tilewright::)?tile::)?(\w+Op)\b")


def named(text, inside):
    """The ops that a file names; `inside`: without the namespace, too."""
    return {of_table or bare for of_table, qualifier, bare in NAME.findall(text)
            if inside or qualifier or of_table}


def main():
    root = pathlib.Path(sys.argv[1])
    ops = list(ops_of(root))
    files = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            text = path.read_text(encoding="utf-8")
            # To create one is no way of treating it.
            text = re.sub(r"\bcreate(OrFold)?<\s*(tile::)?\w+>|"
                          r"\b(tile::)?\w+Op::create\b", "", text)
            inside = re.search(r"namespace tilewright::tile\b|"
                               r"using namespace (tilewright::)?tile;", text)
            for op in named(text, inside):
                files[op].append(str(path.relative_to(root)))
    problems = []
    for op in ops:
        most = MORE.get(op, (MOST, ""))[0]
        if len(files[op]) > most:
            problems.append(f"{op} is named in {len(files[op])} files, expected "
                            f"at most {most}: {', '.join(files[op])}")
        elif op in MORE and len(files[op]) <= MOST:
            problems.append(f"{op} is named in {len(files[op])} files: its line "
                            "in MORE can go")
    print("\n".join(problems) or
          f"{len(ops)} ops, each named in at most {MOST} files but for "
          f"{', '.join(sorted(MORE))}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
