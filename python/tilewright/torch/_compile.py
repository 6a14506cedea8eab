"""Compiles graphs of AOTAutograd; operators that are not supported stay with
PyTorch."""

from __future__ import annotations

import itertools
import operator
import re
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional, Sequence

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.partitioner import (CapabilityBasedPartitioner,
                                               Partition)
from torch.fx.passes.operator_support import OperatorSupportBase

from .._data import Error, UnsupportedError
from . import _sizes
from ._call import CompiledGraph
from ._options import Options
from ._program import (is_number, is_write_to_input, operator_name, source_of,
                       why_unsupported)

_NODE = re.compile(r"node '([^']*)' \(")
_numbers = itertools.count()


@dataclass
class LeftOver:
    """An operator that PyTorch runs, and why."""
    operator: str
    reason: str
    line: str = ""

    def __str__(self) -> str:
        text = f"{self.operator}: {self.reason}"
        return f"{text}  {self.line}" if self.line else text


@dataclass
class GraphReport:
    """What became of one graph."""
    operators: int = 0
    # The compiled parts.
    parts: list[CompiledGraph] = field(default_factory=list)
    left_over: list[LeftOver] = field(default_factory=list)
    # Writes into inputs that are copies after the compiled parts, as PyTorch
    # runs a part of the graph; a graph that is one part writes them in place.
    input_copies: int = 0
    seconds: float = 0

    @property
    def copies(self) -> tuple[int, int]:
        """Of all calls until now, and their bytes."""
        counts = [part.copies for part in self.parts]
        return sum(c[0] for c in counts), sum(c[1] for c in counts)


def _is_operator(node: Node) -> bool:
    return (node.op == "call_function" and not is_number(node) and
            node.target is not operator.getitem)


class _Support(OperatorSupportBase):
    def __init__(self, reasons: Mapping[Node, str]):
        self._reasons = reasons

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module],
                          node: Node) -> bool:
        return node.op == "call_function" and not self._reasons.get(node)


class GraphCompiler:
    """Compiles one graph. `frozen` has the tensors of its inputs that are
    constants, by the input's name."""

    def __init__(self, module: GraphModule, options: Options,
                 frozen: Mapping[str, torch.Tensor]):
        self._module, self._options = module, options
        # What the graph writes to does change.
        written = {node.args[0].name for node in module.graph.nodes
                   if is_write_to_input(node)}
        self._frozen = {name: value for name, value in frozen.items()
                        if name not in written}
        self._name = f"graph_{next(_numbers)}"
        # Nodes that the import rejected.
        self._rejected: dict[str, str] = {}
        self.report = GraphReport()

    def compile(self) -> Callable[..., Any]:
        start = time.perf_counter()
        while True:
            result = self._compile_once()
            if result is not None:
                break
        self.report.seconds = time.perf_counter() - start
        return result

    def _compile_once(self) -> Optional[Callable[..., Any]]:
        """Nothing if a node was rejected, so that the parts are others."""
        graph = self._module.graph
        nodes = [node for node in graph.nodes if node.op == "call_function"]
        writes = {node for node in nodes if is_write_to_input(node)}
        reasons = {node: self._rejected.get(node.name) or why_unsupported(node)
                   for node in nodes if node not in writes}
        self.report = GraphReport(sum(_is_operator(node) for node in nodes))
        for node, reason in reasons.items():
            if reason and _is_operator(node):
                self._leave(node, reason)
        if self._options.strict and self.report.left_over:
            raise UnsupportedError("unsupported", _strict_message(
                self._name, self.report.left_over))
        if not any(reasons.values()):
            part = self._compile_part(self._module, self._name, self._frozen)
            if isinstance(part, CompiledGraph):
                return part.call
            return _spread(self._module.forward) if part else None
        reasons.update(dict.fromkeys(writes, "a write to an input"))
        self.report.input_copies = len(writes)
        return self._compile_parts(reasons)

    def _leave(self, node: Node, reason: str) -> None:
        file, line, code = source_of(node)
        self.report.left_over.append(LeftOver(
            operator_name(node), reason, f"{file}:{line}: {code}" if file else ""))

    def _compile_part(self, module: GraphModule, name: str,
                      constants: Mapping[str, torch.Tensor]) -> Any:
        """The compiled part; False if a node of it was rejected; True if the
        whole part is left to PyTorch."""
        try:
            part = CompiledGraph(module, name + ".pt2", self._options,
                                 constants)
        except (Error, _sizes.UnsupportedSize) as error:
            found = _NODE.search(str(error))
            names = {node.name for node in module.graph.nodes}
            if found and found[1] in names and found[1] not in self._rejected:
                self._rejected[found[1]] = str(error).split(": ", 2)[-1]
                return False
            if self._options.strict:
                raise
            for node in module.graph.nodes:
                if _is_operator(node):
                    self._leave(node, str(error))
            return True
        self.report.parts.append(part)
        return part

    def _compile_parts(self, reasons: Mapping[Node, str]) -> Any:
        # Partitioning takes the module apart, and it may be needed again.
        copy = GraphModule(self._module, torch.fx.Graph())
        mapping: dict[Node, Node] = {}
        copy.graph.output(copy.graph.graph_copy(self._module.graph, mapping))
        copied = {mapping[node]: reason for node, reason in reasons.items()}
        partitioner = CapabilityBasedPartitioner(
            copy, _Support(copied), allows_single_node_partition=True)
        partitions = [each for each in partitioner.propose_partitions()
                      if self._is_large(each, copied)]
        fused = partitioner.fuse_partitions(partitions, prefix="part_")
        for node in list(fused.graph.nodes):
            if node.op != "call_module" or not str(node.target).startswith(
                    "part_"):
                continue
            module = fused.get_submodule(str(node.target))
            inputs = [n for n in module.graph.nodes if n.op == "placeholder"]
            constants = {
                place.name: self._frozen[given.name]
                for place, given in zip(inputs, node.args)
                if isinstance(given, Node) and given.name in self._frozen}
            part = self._compile_part(module, f"{self._name}.{node.target}",
                                      constants)
            if part is False:
                return None
            if part is not True:
                setattr(fused, str(node.target), _Part(part, module))
        fused.recompile()
        return _spread(fused.forward)

    def _is_large(self, partition: Partition,
                  reasons: Mapping[Node, str]) -> bool:
        nodes = [node for node in partition.nodes if _is_operator(node)]
        others = [node for node, reason in reasons.items() if reason and
                  not is_write_to_input(node)]
        if nodes and (len(nodes) >= self._options.min_block_size or not others):
            return True
        for node in nodes:
            self._leave(node, f"a part of {len(nodes)} operators is below "
                        f"min_block_size, {self._options.min_block_size}")
        return False


def _spread(forward: Callable[..., Any]) -> Callable[..., Any]:
    return lambda values: forward(*values)


class _Part(torch.nn.Module):
    """A compiled part in the place of its module."""

    def __init__(self, part: CompiledGraph, module: GraphModule):
        super().__init__()
        output = next(node for node in reversed(module.graph.nodes)
                      if node.op == "output")
        self._call = part.call
        self._is_single = not isinstance(output.args[0], (tuple, list))

    def forward(self, *values: Any) -> Any:
        results = self._call(values)
        return results[0] if self._is_single else results


def _strict_message(name: str, left_over: Sequence[LeftOver]) -> str:
    """As the import of a .pt2 says it."""
    unique = {(each.operator, each.reason): each for each in left_over}
    count = len(unique)
    lines = "".join(f"\n  {each}" for _, each in sorted(unique.items()))
    return (f"{name}: {count} operator{' is' if count == 1 else 's are'} not "
            f"supported:{lines}")
