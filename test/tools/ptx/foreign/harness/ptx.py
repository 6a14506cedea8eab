"""Reads the entries of PTX text, to check a launch against them before
anything runs."""

import re

from .case import TensorMap

_ENTRY = re.compile(
    r"\.entry\s+([\w$.]+)\s*(?:\((.*?)\))?([^{};]*)\{", re.S)
_PARAM = re.compile(
    r"\.param\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>[a-z]+\d+)"
    r"(?:\s+\.ptr(?:\s+\.(?:global|shared|local|const))?(?:\s+\.align\s+\d+)?)?"
    r"\s+[\w$.]+(?:\[(?P<count>\d+)\])?")
_NUMBERS = r"\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?"


def _without_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def entry(text, name):
    """(bytes of each parameter, directives) of the entry `name`. Raises
    LookupError if there is none."""
    names = []
    for match in _ENTRY.finditer(_without_comments(text)):
        names.append(match.group(1))
        if match.group(1) == name:
            sizes = [int(p["type"][1:]) // 8 * int(p["count"] or 1)
                     for p in _PARAM.finditer(match.group(2) or "")]
            return sizes, match.group(3)
    raise LookupError(f"no entry {name}; there are {', '.join(names)}")


def _directive(text, name):
    match = re.search(r"\." + name + _NUMBERS, text)
    return tuple(int(n or 1) for n in match.groups()) if match else None


def three(value):
    value = (value,) if isinstance(value, int) else tuple(value)
    return value + (1,) * (3 - len(value))


def problems(text, name, launch):
    """What does not fit between a launch and the entry, one line each."""
    try:
        sizes, directives = entry(text, name)
    except LookupError as error:
        return [str(error)]
    found = []
    given = [argument.size for argument in launch.arguments]
    if sizes != given:
        found.append(f"parameters of {sizes} bytes, arguments of {given}")
    block, cluster = three(launch.block), three(launch.cluster)
    required = _directive(directives, "reqntid")
    greatest = _directive(directives, "maxntid")
    if required and required != block:
        found.append(f"the block is {block}, the kernel requires {required}")
    threads = block[0] * block[1] * block[2]
    if greatest and threads > greatest[0] * greatest[1] * greatest[2]:
        found.append(f"the block is {block}, the kernel allows {greatest}")
    needed = _directive(directives, "reqnctapercluster")
    if needed and needed != cluster:
        found.append(f"the cluster is {cluster}, the kernel requires {needed}")
    if any(g % c for g, c in zip(three(launch.grid), cluster)):
        found.append(f"the grid {launch.grid} is no multiple of {cluster}")
    if not 0 < threads <= 1024:
        found.append(f"{threads} threads a block")
    return found + _map_problems(launch)


def _map_problems(launch):
    """Rules of cuTensorMapEncodeTiled."""
    found = []
    for index, argument in enumerate(launch.arguments):
        if not isinstance(argument, TensorMap):
            continue
        entry = argument.json("x")["tensorMap"]
        width = {"8": 1, "6": 2, "2": 4, "4": 8}[
            argument.dtype[:2] == "f8" and "8" or argument.dtype[-1]]
        span = {"none": 0, "32B": 32, "64B": 64, "128B": 128}[argument.swizzle]
        row = entry["box"][0] * width
        if not 1 <= len(entry["shape"]) <= 5 or \
                len(entry["box"]) != len(entry["shape"]):
            found.append(f"argument {index}: rank of the map or its box")
        if any(stride % 16 for stride in entry["strides"]):
            found.append(f"argument {index}: strides {entry['strides']}")
        if row % 16 or (span and row > span):
            found.append(f"argument {index}: a row of the box has {row} bytes")
        if max(entry["box"]) > 256:
            found.append(f"argument {index}: box {entry['box']}")
    return found
