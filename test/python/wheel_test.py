"""wheel_test.py --page P --prefix P --wheels W --work W: builds and installs
the Python module as its page says, follows the page, then runs the unit tests,
without and with ml_dtypes, and mypy. Exit 77: skipped.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import sysconfig

HERE = pathlib.Path(__file__).resolve().parent


def missing(wheels):
    """What this machine lacks, in a sentence; else None."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return "python3-venv is not installed"
    if not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
        return "python3-dev is not installed"
    if not list(wheels.glob("nanobind-*.whl")):
        return f"there are no wheels in {wheels}; scripts/test fetches them"
    return None


def run(*command, **options):
    print("+", *command, flush=True)
    subprocess.run(list(map(str, command)), check=True, **options)


def main():
    parser = argparse.ArgumentParser()
    for name in ("page", "prefix", "wheels", "work"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    given = parser.parse_args()
    if reason := missing(given.wheels):
        print(f"skipped: {reason}")
        return 77
    # pip installs from the folder alone, and `python3` is this one.
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = dict(os.environ, PATH=path, PIP_NO_INDEX="1",
                       PIP_FIND_LINKS=str(given.wheels),
                       PIP_DISABLE_PIP_VERSION_CHECK="1")
    environment.pop("PYTHONPATH", None)
    run(sys.executable, HERE.parent / "install/follow_page.py", given.page,
        given.prefix, given.work, HERE.parents[1], env=environment)
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
