"""What the backend does with a model, and why."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional

import torch
from torch._dynamo.utils import counters

from ._compile import GraphReport


@dataclass
class Explanation:
    """What became of a model; str() is for people."""
    graphs: list[GraphReport] = field(default_factory=list)
    # Why the model is several graphs.
    breaks: list[str] = field(default_factory=list)
    # Of one call: how many tensors were copied to bind them, and their bytes.
    copies: int = 0
    copied_bytes: int = 0

    def __str__(self) -> str:
        lines = [f"{_count(len(self.graphs), 'graph')}, "
                 f"{_count(len(self.breaks), 'break')}, "
                 f"{_count(self.copies, 'copy', 'copies')} a call"
                 f" ({self.copied_bytes:,} B)"]
        for i, graph in enumerate(self.graphs):
            lines.append(
                f"graph {i}: {_count(graph.operators, 'operator')}, "
                f"{_count(len(graph.parts), 'compiled part')}, "
                f"{_count(len(graph.left_over), 'operator')} left to PyTorch, "
                f"{_count(graph.input_copies, 'copy', 'copies')} to inputs, "
                f"{graph.seconds:.1f} s")
            reasons = Counter(str(each) for each in graph.left_over)
            lines += [f"  left  {text}" + (f"  ({n} times)" if n > 1 else "")
                      for text, n in reasons.items()]
        lines += [f"break: {reason}" for reason in self.breaks]
        return "\n".join(lines)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def explain(model: Callable[..., Any], *inputs: Any,
            options: Optional[Mapping[str, Any]] = None,
            **keywords: Any) -> Explanation:
    """Compiles the model for these inputs and calls it twice, without
    gradients. What it compiles for this is not kept for other calls."""
    from . import backend
    result = Explanation()
    before = Counter(counters["graph_break"])
    compiled = torch.compile(model, backend=functools.partial(
        backend, options=options, _report=result.graphs))
    with torch.no_grad():
        compiled(*inputs, **keywords)
        first = [graph.copies for graph in result.graphs]
        compiled(*inputs, **keywords)
    now = Counter(counters["graph_break"])
    result.breaks = [reason.strip() for reason in (now - before)]
    for graph, (count, size) in zip(result.graphs, first):
        result.copies += graph.copies[0] - count
        result.copied_bytes += graph.copies[1] - size
    return result
