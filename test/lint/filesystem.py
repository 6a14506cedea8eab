"""filesystem.py ROOT FOLDER [PROGRAM...]: nothing that we build calls the forms of
std::filesystem's functions that throw. They are found by name in what the
shared libraries of FOLDER and programs take from the standard library: those
without an error_code. Iterators have one constructor for both forms, so that these are
looked for in the sources below ROOT."""

import pathlib
import re
import subprocess
import sys

from sources import LIBRARIES, sources

# These throw nothing but for want of memory.
QUIET = re.compile(
    r"::path::|_(?:directory|dir)_iterator::(?:~|operator[*=]|depth|"
    r"recursion_pending|options|disable_recursion_pending)|"
    r"directory_iterator::operator\*|directory_options, std::error_code\*|"
    r"filesystem_error::|hash_value|path::_List|_Dir|^(?:vtable|typeinfo)|"
    r"std::__shared_ptr")
CONSTRUCTOR = re.compile(r"directory_iterator(?:\s+\w+)?\(([^;{}]*)")


def throwing(file):
    """Undefined symbols that are forms without an error code."""
    text = subprocess.run(["nm", "-D", "-u", "-C", file], text=True, check=True,
                          capture_output=True).stdout
    for line in text.splitlines():
        name = line.strip().split(" ", 1)[-1].split("@")[0]
        if "std::filesystem::" in name.split("(")[0] and \
                "std::error_code&" not in name and not QUIET.search(name):
            yield name


def arguments(text):
    """How many arguments the text of a call begins with."""
    depth, count = 0, 0
    for k, c in enumerate(text):
        if c in "([{":
            depth += 1
        elif c in ")]}" and depth == 0:
            return count + bool(text[:k].strip())
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            count += 1
    return 0


def main():
    root, folder, *programs = map(pathlib.Path, sys.argv[1:])
    files = sorted(folder.glob("libtilewright_*.so")) + programs
    found = [f"{file.name}: calls {name}, which throws" for file in files
             for name in throwing(file)]
    for path in sources(root, LIBRARIES + ("tools", "python")):
        for call in CONSTRUCTOR.findall((root / path).read_text("utf-8")):
            if arguments(call) == 1:
                found.append(f"{path}: directory_iterator({call[:40]}: "
                             "expected an error_code")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
