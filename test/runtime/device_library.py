"""device_library.py RUNTIME EMULATOR: the runtime's library opens the emulator
if the emulator's library lies beside it, and else says what it looked for."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

# In a separate process: a library is loaded once.
OPEN = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.tw_device_open.restype = ctypes.c_void_p
library.tw_status_message.restype = ctypes.c_char_p
library.tw_status_message.argtypes = [ctypes.c_void_p]
device = ctypes.c_void_p()
status = library.tw_device_open(b"emulator", 0, ctypes.byref(device))
print(library.tw_status_message(status).decode(), end="")
"""


def open_emulator(runtime):
    """The error of tw_device_open, empty if there is none."""
    return subprocess.run([sys.executable, "-c", OPEN, runtime], text=True,
                          capture_output=True, check=True).stdout


def main():
    runtime, emulator = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ["alone", "both"]:
            (folder / name).mkdir()
            shutil.copy(runtime, folder / name)
        shutil.copy(emulator, folder / "both")
        alone = open_emulator(folder / "alone" / runtime.name)
        if emulator.name not in alone or "beside" not in alone:
            sys.exit(f"expected an error that names {emulator.name}, found "
                     f"{alone}")
        both = open_emulator(folder / "both" / runtime.name)
        if both:
            sys.exit(f"expected the emulator, found {both}")


if __name__ == "__main__":
    main()
