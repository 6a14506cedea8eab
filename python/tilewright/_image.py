"""The file of a compiled kernel: a zip archive of its manifest and its code."""

from __future__ import annotations

import os
import pathlib
import zipfile
from typing import Union

from ._data import InputOutputError, InvalidInputError

Path = Union[str, os.PathLike[str]]
_MANIFEST, _CODE = "manifest.json", "code"


def save(path: Path, manifest: str, code: bytes) -> None:
    """Writes the file, which appears only when it is complete."""
    target = pathlib.Path(path)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
            # A date would make two files of one image differ.
            for name, data in ((_MANIFEST, manifest.encode()), (_CODE, code)):
                archive.writestr(zipfile.ZipInfo(name), data,
                                 zipfile.ZIP_DEFLATED)
        unfinished.replace(target)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise InputOutputError("input/output error",
                               f"{target}: {error.strerror}") from error


def load(path: Path) -> tuple[str, bytes]:
    """The manifest's text and the code; checksums are checked."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(_MANIFEST).decode(), archive.read(_CODE)
    except OSError as error:
        raise InputOutputError("input/output error",
                               f"{path}: {error.strerror}") from error
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError, ValueError,
            zipfile.zlib.error) as error:
        raise InvalidInputError(
            "invalid input", f"{path}: expected an image that "
            f"KernelImage.save wrote: {error}") from error
