"""build_wheel.py --build B --wheels W --output O: builds the Python wheel.

B is Tilewright's build folder, with the target tilewright_static up to date. W
holds the wheels of nanobind and scikit-build-core. The file replaces all others
in O. It is checked to need nothing but Python and the C library of manylinux.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLIBC = (2, 36)  # Debian 12
LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2",
             "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
MAXIMUM_BYTES = 150_000_000
TOOLS = ["nanobind", "scikit-build-core"]


class Problem(Exception):
    """What stands in the way, in a sentence."""


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), text=True,
                          capture_output=True, **options)
    if done.returncode:
        raise Problem(f"{command[0]} fails with exit {done.returncode}:\n"
                      f"{done.stdout[-8000:]}{done.stderr[-8000:]}")
    return done.stdout


def cached(build, name):
    """A variable of the build folder's CMake cache."""
    text = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.search(rf"^{name}:\w+=(.*)$", text, re.M)
    if not found:
        raise Problem(f"expected {name} in {build}/CMakeCache.txt")
    return found.group(1)


def tag():
    """The one tag of the wheel: this Python on manylinux."""
    machine = sysconfig.get_platform().split("-")[-1]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-manylinux_{GLIBC[0]}_{GLIBC[1]}_{machine}"


def install_tools(wheels, folder):
    """What builds a wheel, in a folder that is kept: paths to its headers are
    part of compilations, which a cache remembers."""
    found = sorted(wheel.name for name in TOOLS for wheel in
                   wheels.glob(name.replace("-", "_") + "-*.whl"))
    if len(found) != len(TOOLS):
        raise Problem(f"expected one wheel each of {', '.join(TOOLS)} in "
                      f"{wheels}, found {', '.join(found) or 'none'}; "
                      "scripts/wheel fetches them")
    stamp = folder / ".installed"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == str(found):
        return
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "pip", "install", "-q", "--no-index",
        "--disable-pip-version-check", "--find-links", wheels, "--target",
        folder, *TOOLS)
    stamp.write_text(str(found), encoding="utf-8")


def build_wheel(build, tools, output):
    environment = dict(
        os.environ, PYTHONPATH=str(tools),
        CC=cached(build, "CMAKE_C_COMPILER"),
        CXX=cached(build, "CMAKE_CXX_COMPILER"), CMAKE_GENERATOR="Ninja",
        PYTHONDONTWRITEBYTECODE="1")
    if shutil.which("ccache"):
        environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    settings = {"build-dir": build / "wheel/build", "wheel.tags": tag(),
                "cmake.define.TILEWRIGHT_BUILD": build}
    with tempfile.TemporaryDirectory(dir=build / "wheel") as folder:
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index",
            "--no-build-isolation", "--disable-pip-version-check", "-w", folder,
            *(f"--config-settings={name}={value}" for name, value in settings.items()),
            ROOT / "python", env=environment)
        made, = pathlib.Path(folder).glob("*.whl")
        output.mkdir(parents=True, exist_ok=True)
        for old in output.glob("*.whl"):
            old.unlink()
        return pathlib.Path(shutil.move(made, output / made.name))


def check_library(library):
    """That a shared library needs no others, and no newer C library."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]",
                            run("readelf", "-dW", library)))
    if more := needed - LIBRARIES:
        raise Problem(f"{library.name} needs {', '.join(sorted(more))}; a wheel "
                      f"may need {', '.join(sorted(LIBRARIES))}")
    for line in run("readelf", "-W", "--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) < 8 or not re.fullmatch(r"\d+:", fields[0]):
            continue
        check_symbol(library.name, fields[7], fields[4], fields[6] == "UND")


def check_symbol(library, symbol, binding, is_undefined):
    name, _, version = symbol.partition("@")
    if not is_undefined:
        if not name.startswith("PyInit_"):
            raise Problem(f"{library} exports {name}; a module exports PyInit_* "
                          "alone")
        return
    found = re.fullmatch(r"@?GLIBC_(\d+)\.(\d+)[.\d]*", version)
    if found and tuple(map(int, found.groups())) > GLIBC:
        raise Problem(
            f"{library} needs {symbol}, but manylinux_{GLIBC[0]}_{GLIBC[1]} has "
            f"glibc {GLIBC[0]}.{GLIBC[1]}; build on Debian 12, or older")
    if not found and binding != "WEAK" and not re.match("_?Py", name):
        raise Problem(f"{library} needs {symbol}, which is neither Python's nor "
                      "the C library's")


def check_wheel(wheel):
    if wheel.stat().st_size > MAXIMUM_BYTES:
        raise Problem(f"{wheel} has {wheel.stat().st_size} bytes, expected at "
                      f"most {MAXIMUM_BYTES}")
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        libraries = list(pathlib.Path(folder).rglob("*.so*"))
        if not libraries:
            raise Problem(f"{wheel} contains no module")
        for library in libraries:
            check_library(library)


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "wheels", "output"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    given = parser.parse_args()
    build = given.build.resolve()
    (build / "wheel").mkdir(exist_ok=True)
    try:
        install_tools(given.wheels.resolve(), build / "wheel/tools")
        wheel = build_wheel(build, build / "wheel/tools",
                            given.output.resolve())
        check_wheel(wheel)
    except Problem as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
