"""build_test.py --build B --wheel F --wheels W: builds the wheel into the folder
F. Exit 77: skipped, and F is empty.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parents[2]


def missing(wheels):
    """What this machine lacks, in a sentence; else None."""
    try:
        import ensurepip  # noqa: F401
        import pip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        return f"python3-venv or python3-pip is not installed: {error}"
    if not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
        return "python3-dev is not installed"
    if not list(wheels.glob("nanobind-*.whl")):
        return f"there are no wheels in {wheels}; scripts/test fetches them"
    return None


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "wheel", "wheels"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    given = parser.parse_args()
    shutil.rmtree(given.wheel, ignore_errors=True)
    if reason := missing(given.wheels):
        print(f"skipped: {reason}")
        return 77
    return subprocess.run(
        [sys.executable, ROOT / "scripts/build_wheel.py", "--build", given.build,
         "--wheels", given.wheels, "--output", given.wheel],
        check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
