"""The sources that lints look at."""

import pathlib

LIBRARIES = ("include", "support", "runtime", "tileir", "codegen", "graph", "frontends",
             "library", "autotune", "verify")
FOLDERS = LIBRARIES + ("tools", "python", "bench", "examples", "test")
SUFFIXES = (".h", ".cpp", ".c", ".inc")


def sources(root, folders=FOLDERS):
    """Paths below `root`, relative to it, sorted."""
    root = pathlib.Path(root)
    return [path.relative_to(root) for folder in folders
            for path in sorted((root / folder).rglob("*"))
            if path.suffix in SUFFIXES]
