"""tidy.py ROOT BUILD CLANG_TIDY [FILE..]: what .clang-tidy finds in the libraries
that see neither LLVM nor MLIR (about 2 minutes), or in FILEs of any kind."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

FOLDERS = ["support", "runtime/abi", "runtime/core", "runtime/cpu",
           "runtime/cuda", "runtime/capi", "codegen/layout", "codegen/target",
           "codegen/schedule", "library/cache", "library/executable",
           "autotune/database", "autotune/search", "autotune/session"]


def main():
    root, build, tool = sys.argv[1:4]
    files = sys.argv[4:] or sorted(
        str(path) for folder in FOLDERS
        for path in pathlib.Path(root, folder).rglob("*.cpp"))

    def check(path):
        done = subprocess.run([tool, "-p", build, "--quiet", path], text=True,
                              capture_output=True, check=False)
        return "" if done.returncode == 0 else done.stdout

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(check, files) if text]
    print("\n".join(found) or f"{len(files)} files are tidy")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
