"""passes.py ROOT MLIR_TBLGEN INCLUDES [--write]: each pass declares the relation
that it keeps (support/Relations.td), and says why if that is not "exact";
docs/passes.md has what each Passes.td says of its passes, by level and in the
order of the pipelines. With --write it is written. INCLUDES is the folder of
MLIR's headers. Prints the passes that are not exact."""

import pathlib
import re
import subprocess
import sys

# The levels, and the files that define their passes.
LEVELS = [
    ("From a module to graph form, and to groups", ["graph/transforms"]),
    ("From groups to tile kernels", ["graph/lowering"]),
    ("Schedules of groups, and kernels as modules", ["library/model/transforms"]),
    ("At the tile level", ["tileir/transforms"]),
    ("To the scheduled level of a GPU, and at it", ["codegen/transforms"]),
    ("From the scheduled level to one thread of a GPU", ["codegen/nvptx"]),
    ("From the tile level to loops of a CPU", ["codegen/cpu"]),
    ("From loops and threads to the llvm dialect",
     ["codegen/llvm", "codegen/math"]),
]
# Where pipelines add passes.
PIPELINES = ["graph/pipeline/*.cpp", "library/model/session/*Pipeline*.cpp",
             "codegen/pipeline/*.cpp", "codegen/llvm/*.cpp"]
HEAD = """# Passes

`test/lint/passes.py` writes this page from the descriptions in each `Passes.td`. The passes of a level
are in the order in which the pipelines first run them; passes that no pipeline runs are last. MLIR's own
passes (`canonicalize`, `cse`, ..) are not listed.

Each pass is a flag of `tilewright-opt`. `tilewright compile MODEL --print-ir-after PASS` prints the result
of a pass, and `--stop-after PASS -o FILE.mlir` stops after it.
[Add a pass](add-a-pass.md) says which files a pass has. The relation says what a pass keeps of a program's
meaning ([what each means](verification.md#relations)).
"""


def pipeline_text(root):
    """The sources that build pipelines, one after the other."""
    return "\n".join(path.read_text(encoding="utf-8") for pattern in PIPELINES
                     for path in sorted(root.glob(pattern)))


def relation_of(flag, bases):
    """The relation that a pass derives from, and the reason."""
    found = re.search(r"\b(Exact|Reassociated|Near|Bounded)\b(?:<(.*)>)?", bases,
                      re.S)
    if not found:
        sys.exit(f"{flag} declares no relation, expected one of "
                 "support/Relations.td beside its base class")
    name, arguments = found.group(1).lower(), found.group(2) or ""
    texts = ["".join(re.findall(r'"([^"]*)"', argument))
             for argument in re.split(r'(?<="),\s*(?=")', arguments)]
    bound = f" {texts[0]}" if name == "near" else ""
    if name != "exact" and len(texts[-1]) < 10:
        sys.exit(f"{flag}: a relation that is not exact needs a reason")
    return name + bound, texts[-1]


def definitions(root, folder):
    """Of the passes that a folder defines, by flag: the class, the relation and
    its reason."""
    text = (root / folder / "Passes.td").read_text(encoding="utf-8")
    return {flag: (name, *relation_of(flag, bases)) for name, flag, bases in
            re.findall(r'^def (\w+)\s*:\s*\w*Pass<\s*"([\w-]+)"([^{]*)\{', text,
                       re.M)}


def documentation(root, folder, tblgen, includes):
    """What mlir-tblgen writes of the passes of a folder, by flag."""
    text = subprocess.run(
        [tblgen, "-gen-pass-doc", root / folder / "Passes.td", "-I", root, "-I",
         includes], check=True, capture_output=True, text=True).stdout
    parts = re.split(r"^### `-([\w-]+)`$", text, flags=re.M)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2])))


def page(root, tblgen, includes):
    pipelines = pipeline_text(root)
    index = ["| Pass | | Relation |", "|---|---|---|"]
    sections, inexact = [], []
    for title, folders in LEVELS:
        index.append(f"| **{title}** | | |")
        sections.append(f"## {title}")
        passes = []
        for folder in folders:
            names = definitions(root, folder)
            found = documentation(root, folder, tblgen, includes)
            if names.keys() != found.keys():
                sys.exit(f"{folder}/Passes.td: this script does not understand "
                         f"{sorted(names.keys() ^ found.keys())}")
            for flag, text in found.items():
                name, *relation = names[flag]
                at = pipelines.find(f"create{name}(")
                passes.append((at if at >= 0 else len(pipelines), folder, flag,
                               relation, text))
        for _, folder, flag, (relation, reason), text in sorted(passes):
            if reason:
                inexact.append(f"{flag} is {relation}: {reason}")
            summary, _, body = text.partition("\n")
            summary = summary.strip("_")
            index.append(f"| [`{flag}`](#{flag}) | {summary} | {relation} |")
            kept = f"Relation: {relation}{reason and f': {reason}'}."
            body = re.sub(r"^#### (.*)$", r"\1:", body.strip(), flags=re.M)
            sections.append(f"### `{flag}`\n\n{summary} "
                            f"([{folder}](../{folder}/Passes.td)).\n\n{body}"
                            f"\n\n{kept}")
    return "\n".join([HEAD, *index, "", "\n\n".join(sections), ""]), inexact


def main():
    root = pathlib.Path(sys.argv[1])
    path = root / "docs/passes.md"
    expected, inexact = page(root, *sys.argv[2:4])
    if "--write" in sys.argv:
        path.write_text(expected, encoding="utf-8")
        return
    found = path.read_text(encoding="utf-8").splitlines()
    for line in expected.splitlines():
        if line not in found:
            print(f"{path}: a line is missing: {line}")
    if found != expected.splitlines():
        print(f"{path} is not what Passes.td says; write it with: python3 "
              f"{' '.join(sys.argv)} --write")
        sys.exit(1)
    print(f"{expected.count(chr(10) + '### ')} passes are described; not exact:",
          *inexact, sep="\n  ")


if __name__ == "__main__":
    main()
