"""format.py ROOT CLANG_FORMAT: all C and C++ is formatted as .clang-format
says."""

import pathlib
import subprocess
import sys

from sources import sources

root, clang_format = pathlib.Path(sys.argv[1]), sys.argv[2]
files = [str(path) for path in sources(root) if path.suffix != ".inc"]
result = subprocess.run([clang_format, "--dry-run", "-Werror", *files],
                        cwd=root, check=False)
if result.returncode == 0:
    print(f"{len(files)} files are formatted")
sys.exit(result.returncode)
