"""tidy.py ROOT BUILD CLANG_TIDY [FILE..]: what .clang-tidy finds in the libraries
that see neither LLVM nor MLIR, or in FILEs of any kind.

A check costs more in the headers of a source than in itself. So the checks run
over the units that BUILD compiles, of several sources, where a build has units.
Two of clang-tidy's look at a compiler's main file alone, which is none of the
sources then: they are written anew here."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

FOLDERS = ["support", "runtime/abi", "runtime/core", "runtime/cpu",
           "runtime/cuda", "runtime/capi", "codegen/layout", "codegen/target",
           "codegen/schedule", "library/cache", "library/executable",
           "autotune/database", "autotune/search", "autotune/session"]
OF_ONE_SOURCE = ["bugprone-suspicious-include", "misc-unused-using-decls"]


def sources_of(path):
    """Those that a unit includes; of another file itself."""
    if "/Unity/" not in path:
        return [path]
    return re.findall(r'^#include "(.*)"$',
                      pathlib.Path(path).read_text(encoding="utf-8"), re.M)


def commands(build):
    """{source: its entry of compile_commands.json}. The commands of a unit are
    those of its sources."""
    found = {}
    text = (pathlib.Path(build) / "compile_commands.json").read_text()
    for entry in json.loads(text):
        for source in sources_of(entry["file"]):
            found.setdefault(source, entry)
    return found


def of_one_source(path):
    """What OF_ONE_SOURCE would find in a file."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    for name in re.findall(r'^ *#include ["<](.*\.(?:c|cc|cpp|cxx))[">]', text,
                           re.M):
        yield f"{path}: error: includes {name} [bugprone-suspicious-include]"
    text = re.sub(r"^ *#include .*|//.*", "", text, flags=re.M)
    for name in re.findall(r"^ *using (?!namespace)(?:\w*::)+(\w+);", text, re.M):
        if len(re.findall(rf"\b{name}\b", text)) == 1:
            yield (f"{path}: error: using decl '{name}' is unused "
                   "[misc-unused-using-decls]")


def main():
    root, build, tool = sys.argv[1:4]
    root = pathlib.Path(root).resolve()
    of_source = commands(build)
    files = [str(pathlib.Path(file).resolve()) for file in sys.argv[4:]] or [
        str(path) for folder in FOLDERS
        for path in sorted((root / folder).rglob("*.cpp"))]
    missing = [file for file in files if file not in of_source]
    if missing:
        print(f"{build} does not compile {missing[0]}")
        return 1
    units = sorted({of_source[file]["file"] for file in files})
    wanted = "|".join(map(re.escape, files))

    def check(unit):
        done = subprocess.run(
            [tool, "-p", build, "--quiet", f"--header-filter=^({wanted})$",
             f"--checks=-{',-'.join(OF_ONE_SOURCE)}", unit], text=True,
            capture_output=True, check=False)
        return "" if done.returncode == 0 else done.stdout + done.stderr
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(check, units) if text]
    found += [text for file in files for text in of_one_source(file)]
    print("\n".join(found) or f"{len(files)} files are tidy")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
