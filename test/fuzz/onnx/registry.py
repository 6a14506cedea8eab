"""The table of operators: for each a function that adds one node to a graph."""

import dataclasses
import typing


@dataclasses.dataclass
class Op:
    name: str
    since: int
    weight: float
    add: typing.Callable  # (graph, name)


OPS = {}


def op(*names, since=7, weight=1.0):
    """Registers the function for the operators `names`; `since` is the first
    operator set that the function writes."""
    def register(function):
        for name in names:
            OPS[name] = Op(name, since, weight, function)
        return function
    return register
