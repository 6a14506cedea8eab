"""Libraries that a mount namespace hides."""
import ctypes


def expect_hidden(libraries):
    for library in libraries:
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        raise SystemExit(f"expected {library} to be hidden, it can be loaded")
    print(len(libraries), "libraries cannot be loaded")
