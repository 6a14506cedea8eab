"""complete.py BUILD: the target `installed` (scripts/build --tools-only)
makes every program and library that `cmake --install` takes."""
import pathlib
import re
import subprocess
import sys


def installed_files(build):
    text = (build / "cmake_install.cmake").read_text(encoding="utf-8")
    for files in re.findall(r"TYPE (?:EXECUTABLE|SHARED_LIBRARY) FILES([^)]*)",
                            text):
        for path in re.findall(r'"([^"]+)"', files):
            yield str(pathlib.Path(path).relative_to(build))


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    made = subprocess.run(["ninja", "-C", build, "-t", "query", "installed"],
                          check=True, capture_output=True, text=True).stdout
    wanted = sorted(set(installed_files(build)))
    made = set(made.split())
    # A library's versioned name comes with its plain one.
    missing = [name for name in wanted
               if not made & {name, re.sub(r"\.so\..*", ".so", name)}]
    for name in missing:
        print(f"{name} is installed, and not built by the target 'installed'")
    if not missing:
        print(f"{len(wanted)} installed files are built by 'installed'")
    return 1 if missing or len(wanted) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
