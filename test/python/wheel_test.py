"""wheel_test.py --page P --wheel F --wheels W --work W: installs the wheel in
the folder F as the page of the Python module says, follows the page, then runs
the unit tests, without and with ml_dtypes, and mypy. Exit 77: skipped.
"""
import argparse
import pathlib
import subprocess
import sys

import venvs
from venvs import run

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser()
    for name in ("page", "wheel", "wheels", "work"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    given = parser.parse_args()
    environment = venvs.environment(given.wheels)
    wheel = venvs.wheel_in(given.wheel)
    if not wheel:
        return 77
    run(sys.executable, HERE.parent / "install/follow_page.py", given.page,
        given.work, given.work, HERE.parents[1],
        env=dict(environment, WHEEL=str(wheel)))
    python = given.work / "venv/bin/python"
    tests = [python, "-m", "unittest", "discover", "-s", HERE, "-p"]
    run(*tests, "test_*.py", env=environment, cwd=given.work)
    run(python, "-m", "pip", "install", "-q", "mypy", "ml_dtypes",
        env=environment)
    # Those that use ml_dtypes where it is.
    run(*tests, "test_kernels.py", env=environment, cwd=given.work)
    run(python, "-m", "mypy", "--strict", "--cache-dir",
        given.work / "mypy", HERE / "typed_sample.py", env=environment)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"exit {error.returncode}: {error.cmd}")
