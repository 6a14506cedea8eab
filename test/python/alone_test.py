"""alone_test.py --wheel F --wheels W --work W: uses the wheel in the folder F on
a system without LLVM, MLIR and all other libraries of Tilewright's build, which a
mount namespace hides. Exit 77: skipped.
"""
import argparse
import fnmatch
import pathlib
import re
import shutil
import subprocess
import sys

import venvs
from venvs import run

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = ["libLLVM*", "libMLIR*", "libprotobuf*", "libonnx*", "libfmt*",
             "libzstd*", "libminizip*", "libsqlite3*", "libz3*", "libxml2*",
             "libedit*", "libmpfr*", "libgmp*", "libtilewright*"]
# NumPy needs it.
CPP_LIBRARY = ["libstdc++*"]


def namespace(work):
    """The command before one that may mount, or None and why there is none."""
    why = "unshare is not installed"
    if not shutil.which("unshare"):
        return None, why
    for command in (["unshare", "--mount"],
                    ["unshare", "--user", "--map-root-user", "--mount"]):
        tried = subprocess.run([*command, "mount", "--bind", work, work],
                               capture_output=True, text=True)
        if tried.returncode == 0:
            return command, ""
        why = tried.stderr.strip()
    return None, why


def installed(patterns):
    """What the dynamic linker knows: pairs of a name and a file; a name may
    have one for each architecture."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], check=True, text=True,
                           capture_output=True).stdout
    return {(name, pathlib.Path(path).resolve())
            for name, path in re.findall(r"^\s*(\S+) \(.*=> (\S+)$", cache, re.M)
            if any(fnmatch.fnmatch(name, each) for each in patterns)}


def run_hidden(command, libraries, work, *sample):
    """Runs a sample with each library an empty file, and LLVM's folders empty.
    The sample gets their names, to check that they are hidden."""
    nothing, no_folder = work / "empty", work / "empty-folder"
    nothing.touch()
    no_folder.mkdir(exist_ok=True)
    mounts = [f"mount --bind '{nothing}' '{path}'"
              for path in sorted({path for _, path in libraries})]
    mounts += [f"mount --bind '{no_folder}' '{folder}'"
               for folder in pathlib.Path("/usr/lib").glob("llvm-*")]
    script = work / "hide.sh"
    script.write_text("\n".join(["set -e", *mounts, 'exec "$@"\n']),
                      encoding="utf-8")
    names = sorted({name for name, _ in libraries})
    run(*command, "sh", script, *sample, *names, cwd=work)


def main():
    parser = argparse.ArgumentParser()
    for name in ("wheel", "wheels", "work"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    given = parser.parse_args()
    wheel = venvs.wheel_in(given.wheel)
    if not wheel:
        return 77
    work = given.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    command, why = namespace(work)
    if not command:
        print(f"skipped: no mount namespace can be made here: {why}")
        return 77
    environment = venvs.environment(given.wheels)
    python = work / "venv/bin/python"
    run(sys.executable, "-m", "venv", work / "venv", env=environment)
    run(python, "-m", "pip", "install", "-q", wheel, env=environment)
    libraries = installed(LIBRARIES)
    if not any(name.startswith("libLLVM") for name, _ in libraries):
        sys.exit("expected an LLVM to hide, found none in the linker's cache")
    run_hidden(command, libraries | installed(CPP_LIBRARY), work, python,
               HERE / "alone_load.py")
    run_hidden(command, libraries, work, python, HERE / "alone_sample.py",
               HERE.parents[1])
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"exit {error.returncode}: {error.cmd}")
