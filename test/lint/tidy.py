"""tidy.py ROOT BUILD CLANG_TIDY [FILE..]: what .clang-tidy finds in the libraries
that see neither LLVM nor MLIR, or in FILEs of any kind.

A check costs more in the headers of a source than in itself. So the checks run
over the units that BUILD compiles, of several sources, where a build has units;
what looks at a compiler's main file alone runs over each source."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

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


def alone(entry, source):
    return {"directory": entry["directory"], "file": source,
            "command": entry["command"].replace(entry["file"], source)}


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
    with tempfile.TemporaryDirectory() as folder:
        database = [alone(of_source[file], file) for file in files]
        (pathlib.Path(folder) / "compile_commands.json").write_text(
            json.dumps(database))

        def check(job):
            path, database, options = job
            done = subprocess.run(
                [tool, "-p", database, "--quiet", *options, path], text=True,
                capture_output=True, check=False)
            return "" if done.returncode == 0 else done.stdout + done.stderr
        jobs = [(unit, build, [f"--header-filter=^({wanted})$",
                               f"--checks=-{',-'.join(OF_ONE_SOURCE)}"])
                for unit in units]
        jobs += [(file, folder, [f"--checks=-*,{','.join(OF_ONE_SOURCE)}"])
                 for file in files]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = [text for text in pool.map(check, jobs) if text]
    print("\n".join(found) or f"{len(files)} files are tidy")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
