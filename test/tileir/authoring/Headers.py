"""Headers.py COMPILER ROOT: what a user's compiler says of the public headers.

All of them but those of MLIR in one file: no warnings, those of shadowing
included. A compiler that is too old, or not set to C++20, says so
first. Other compilers (g++, clang++-15, clang++-14) are asked where they are
installed.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

compiler, root = sys.argv[1], Path(sys.argv[2])
include = root / "include"
headers = sorted(str(path.relative_to(include))
                 for path in include.rglob("*.h")
                 if not path.is_relative_to(include / "tilewright/mlir"))


def output(command, text):
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
        file.write(text)
        file.flush()
        run = subprocess.run(
            [*command, "-fsyntax-only", "-I", str(include), file.name],
            capture_output=True, text=True)
        return run.stderr


def first_error(text):
    found = re.search(r"error: (?:#error )?(.*)", text)
    return found[1] if found else "no error"


everything = "".join(f'#include "{name}"\n' for name in headers)
if len(headers) < 20:
    sys.exit(f"only {len(headers)} headers found")
asked = [(compiler, "-Wshadow-all")]
if shutil.which("g++"):
    asked.append(("g++", "-Wshadow"))
else:
    print("not checked with g++, which is not installed")
if shutil.which("clang++-15"):
    asked.append(("clang++-15", "-Wshadow"))
for name, shadow in asked:
    said = output([name, "-std=c++20", "-Wall", "-Wextra", "-pedantic",
                   shadow], everything)
    if said:
        sys.exit(f"{name} {shadow}:\n{said[:4000]}")

# Two of our macros in one line.
two = """#include "tilewright/support/Status.h"
tilewright::StatusOr<int> one();
tilewright::Status sum(int &x) {
  TILEWRIGHT_ASSIGN_OR_RETURN(int a, one()); TILEWRIGHT_ASSIGN_OR_RETURN(int b, one());
  x = a + b; TILEWRIGHT_RETURN_IF_ERROR(sum(x)); TILEWRIGHT_RETURN_IF_ERROR(sum(x));
  return {};
}
"""
said = output([compiler, "-std=c++20", "-Wall", "-Wextra", "-Wshadow-all"], two)
if said:
    sys.exit(f"two macros in one line:\n{said}")

for name in ("tilewright/compiler/Executable.h",
             "tilewright/authoring.h", "tilewright/runtime/Package.h"):
    text = f'#include "{name}"\n'
    message = first_error(output([compiler, "-std=c++17"], text))
    if "Tilewright needs C++20" not in message:
        sys.exit(f"{name} with -std=c++17: {message}")
    old = shutil.which("clang++-14")
    message = first_error(output([old, "-std=c++20"], text)) if old else None
    if message and "Tilewright needs Clang 15" not in message:
        sys.exit(f"{name} with {old}: {message}")
print(f"{len(headers)} headers, {len(asked)} compilers")
