"""Virtual environments with the wheel, from files alone."""
import os
import pathlib
import subprocess
import sys


def run(*command, **options):
    print("+", *command, flush=True)
    subprocess.run(list(map(str, command)), check=True, **options)


def environment(wheels):
    """Of commands whose pip installs from the folder `wheels` alone."""
    # `python3` is this one.
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    result = dict(os.environ, PATH=path, PIP_NO_INDEX="1",
                  PIP_FIND_LINKS=str(wheels),
                  PIP_DISABLE_PIP_VERSION_CHECK="1")
    result.pop("PYTHONPATH", None)
    return result


def wheel_in(folder):
    """None if the build of the wheel was skipped, which the caller says."""
    wheels = list(folder.glob("tilewright-*.whl"))
    if not wheels:
        print("skipped: there is no wheel; the test `wheel` says why")
    return wheels[0] if wheels else None
