"""exports.py ROOT FOLDER: compares what the shared libraries of FOLDER export
with exports.txt.

A line of the list is LIBRARY KIND NAME: a C++ class (and all of its members) or
a function (and its overloads) that the library exports. `public` is what an
installed header declares with TILEWRIGHT_API, `private` what another header
declares with TILEWRIGHT_PRIVATE_API for our own libraries and programs. C
functions are those of test/library/capi/abi.txt.
"""

import pathlib
import re
import subprocess
import sys

LIST = pathlib.Path(__file__).with_name("exports.txt")
C_LIST = pathlib.Path("test/library/capi/abi.txt")
# Of a class: its virtual functions, its type, and MLIR's number for it.
PREFIX = re.compile(r"^(?:(?:vtable|VTT|typeinfo|typeinfo name|guard variable|"
                    r"(?:non-)?virtual thunk) (?:for|to) |"
                    r"mlir::detail::TypeIDResolver<)")
# Where MLIR generates declarations, which headers include between pragmas.
GENERATED = tuple(f"tilewright::{name}" for name in
                  ("tile::", "graph::", "tilegpu::", "math::",
                   "spatial::SpatialDialect"))
ANNOTATION = re.compile(r"\b(TILEWRIGHT_(?:PRIVATE_)?API)\b([^;{}]*)", re.S)


def exported(library):
    """The names of the symbols that a library defines, without parameters."""
    text = subprocess.check_output(["nm", "-D", "-C", "--defined-only",
                                    library], text=True)
    for line in text.splitlines():
        name = PREFIX.sub("", line.split(" ", 2)[2])
        # The name ends before its parameters, ABI tags and template arguments.
        name = re.split(r"\(|\[abi:|, void>|@@", name.replace(
            "operator()", "operator_call"))[0]
        # A template's instance has its result type before its name.
        yield name.split(" ")[-1] if "operator" not in name else name


def annotated(root):
    """The last components of the names that headers export, by kind."""
    kinds = {"public": set(), "private": set()}
    for path in subprocess.check_output(["git", "ls-files", "*.h"], cwd=root,
                                        text=True).split():
        text = (root / path).read_text(encoding="utf-8")
        public = path.startswith("include/")
        for macro, declaration in ANNOTATION.findall(text):
            if path.endswith("support/Export.h"):
                continue
            if (macro == "TILEWRIGHT_API") != public:
                sys.exit(f"{path}: {macro} is for " + (
                    "installed headers" if not public else "all other headers"))
            kinds["public" if public else "private"].update(
                re.findall(r"operator[^\w\s(]+|\w+", declaration))
    return kinds


def main():
    root, folder = map(pathlib.Path, sys.argv[1:3])
    listed = [line.split(" ", 2) for line in LIST.read_text().splitlines()]
    c_names = set((root / C_LIST).read_text().split())
    problems = []
    for library in ("runtime", "emulator", "spatial", "compiler"):
        names = {name: kind for of, kind, name in listed if of == library}
        used = set()
        for symbol in exported(folder / f"libtilewright_{library}.so"):
            parts = symbol.split("::")
            covers = ["::".join(parts[:n]) for n in range(1, len(parts) + 1)]
            found = [name for name in covers if name in names]
            used.update(found)
            if not found and symbol not in c_names:
                problems.append(f"{library}: {symbol} is exported and not in "
                                f"{LIST.name}")
        problems += [f"{library}: {name} is in {LIST.name} and not exported"
                     for name in names if name not in used]
    kinds = annotated(root)
    for library, kind, name in listed:
        last = name.split("::")[-1]
        if last not in kinds[kind] and not name.startswith(GENERATED):
            problems.append(f"{library}: no header declares {name} as {kind}")
    print("\n".join(sorted(set(problems))) or
          f"{len(listed)} exported classes and functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
