"""A graph of operators as the plain structure that the importer reads."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Sequence

import torch
from torch.fx import Graph, Node

from .._core import _TorchProgram, _torch_supports
from . import _sizes

_DTYPES = {
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.uint16,
    torch.uint32, torch.uint64,
}
_MEMORY_FORMATS = {torch.contiguous_format: 1, torch.channels_last: 2,
                   torch.channels_last_3d: 3, torch.preserve_format: 4}
# Parameters whose defaults a schema has as numbers of an enumeration. The
# importer knows them.
_ENUMERATIONS = {"dtype", "layout", "memory_format"}
_FRAME = re.compile(r'  File "([^"]*)", line (\d+), in [^\n]*(?:\n\s*([^\n]*))?')
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


def values_of(node: Node) -> list[Any]:
    """What Dynamo knows of a node's results: one value, or several."""
    value = node.meta.get("val")
    return list(value) if isinstance(value, (tuple, list)) else [value]


def operator_name(node: Node) -> str:
    """As the importer's table has it: "aten.add.Tensor"."""
    if isinstance(node.target, torch._ops.OpOverload):
        return str(node.target)
    module = getattr(node.target, "__module__", "") or ""
    name = getattr(node.target, "__name__", str(node.target))
    return f"{module}.{name}" if module else name


def source_of(node: Node) -> tuple[str, int, str]:
    """The file without folders, the line and its text in the user's program."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    users = [frame for frame in frames if not re.search(
        r"(site|dist)-packages|/torch/|^<", frame[0])]
    for path, line, code in reversed(users or frames):
        return re.split(r"[/\\]", path)[-1], int(line), code
    return "", 0, ""


def is_write_to_input(node: Node) -> bool:
    """Whether it is one of the writes that AOTAutograd puts at the end."""
    return (node.target is torch.ops.aten.copy_.default and
            isinstance(node.args[0], Node) and
            node.args[0].op == "placeholder")


def is_number(node: Node) -> bool:
    """Whether a node computes a size, or something else that is not a tensor."""
    return isinstance(node.meta.get("val"), (*_SYMBOLIC, int, float, bool))


def _why_value(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        if value.device.type != "cpu":
            return f"a tensor is on the device {value.device}"
        if value.layout != torch.strided or value.is_nested:
            return "a tensor is not dense"
        if value.dtype not in _DTYPES:
            return f"elements of {str(value.dtype)[6:]} are not supported"
        sizes = [*value.shape, *value.stride()]
    elif isinstance(value, (*_SYMBOLIC, int, float, bool, type(None))):
        sizes = [value] if isinstance(value, _SYMBOLIC) else []
    else:
        return f"a value is of type {type(value).__name__}"
    if any(_sizes.is_unbacked(size) for size in sizes):
        return "a size depends on the elements of a tensor"
    try:
        for size in sizes:
            _sizes.data_of(size)
    except _sizes.UnsupportedSize as error:
        return str(error)
    return ""


def why_unsupported(node: Node) -> str:
    """Why the importer does not take a node; empty if it may take it."""
    if node.target is operator.getitem:
        source = node.args[0]
        return why_unsupported(source) if isinstance(source, Node) else "a list"
    is_size = is_number(node)
    if not is_size and not isinstance(node.target, torch._ops.OpOverload):
        return "the operator is not supported"
    if not is_size and not _torch_supports(operator_name(node)):
        return "the operator is not supported"
    for each in [node, *node.all_input_nodes]:
        for value in values_of(each):
            if reason := _why_value(value):
                return reason
    return ""


def _argument(value: Any) -> Any:
    """An argument of an operator as _core reads it."""
    if isinstance(value, Node):
        number = isinstance(value.meta.get("val"), (*_SYMBOLIC, int, float))
        return ("number" if number else "tensor", value.name)
    if isinstance(value, torch.dtype):
        return ("dtype", str(value)[6:])
    if isinstance(value, torch.memory_format):
        return ("memory_format", _MEMORY_FORMATS[value])
    if isinstance(value, (torch.device, torch.layout)):
        return ("placement",)
    if isinstance(value, (list, tuple)):
        return [_argument(each) for each in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise _sizes.UnsupportedSize(f"an argument is {value!r}")


def _arguments(node: Node) -> Iterator[tuple[str, Any]]:
    """All arguments by name, defaults too."""
    schema = node.target._schema  # type: ignore[union-attr]
    for i, parameter in enumerate(schema.arguments):
        if i < len(node.args) and not parameter.kwarg_only:
            yield parameter.name, _argument(node.args[i])
        elif parameter.name in node.kwargs:
            yield parameter.name, _argument(node.kwargs[parameter.name])
        elif parameter.has_default_value() and \
                parameter.name not in _ENUMERATIONS:
            yield parameter.name, _argument(parameter.default_value)


@dataclass
class Carrier:
    """An input whose one size is a symbol that no tensor's size gives."""
    symbol: Any
    name: str


class ProgramBuilder:
    """Fills a _TorchProgram from a graph, whose nodes are all supported.
    `constants` has the tensors of inputs that do not change."""

    def __init__(self, graph: Graph, constants: Mapping[str, torch.Tensor]):
        self.program = _TorchProgram()
        self.carriers: list[Carrier] = []
        # Tensors that calls bind: inputs and outputs, each once.
        self.inputs: list[Node] = []
        self.outputs: list[Node] = []
        # Inputs that the graph writes to: results ahead of `outputs`.
        self.written: list[Node] = []
        self._constants = constants
        self._shape_env: Any = None
        self.program.version(torch.__version__)
        for node in graph.nodes:
            self._add(node)
        writes = {node.args[0] for node in graph.nodes
                  if is_write_to_input(node)}
        self.written = [node for node in self.inputs if node in writes]
        self._add_symbols(graph)

    @property
    def results(self) -> list[Node]:
        """What a call writes, in the order of the package's outputs."""
        return self.written + self.outputs

    def _add(self, node: Node) -> None:
        if node.op == "placeholder":
            self._add_input(node)
        elif node.op == "get_attr":
            module: Any = node.graph.owning_module
            value = operator.attrgetter(str(node.target))(module)
            self._add_constant(node, value)
        elif node.op == "output":
            self._add_outputs(node)
        elif is_number(node):
            self.program.number(node.name, _sizes.data_of(node.meta["val"]))
        elif node.target is not operator.getitem:
            self._add_call(node)

    def _add_tensor(self, name: str, value: torch.Tensor) -> None:
        if getattr(value, "fake_mode", None) is not None:
            self._shape_env = value.fake_mode.shape_env or self._shape_env
        self.program.tensor(
            name, str(value.dtype)[6:], [_sizes.data_of(s) for s in value.shape],
            [_sizes.data_of(s) for s in value.stride()])

    def _add_input(self, node: Node) -> None:
        value = node.meta.get("val")
        if node.name in self._constants:
            self._add_constant(node, self._constants[node.name])
        elif isinstance(value, torch.Tensor):
            self._add_tensor(node.name, value)
            self.program.input(node.name)
            self.inputs.append(node)
        elif value is not None:
            self.program.number(node.name, _sizes.data_of(value))

    def _add_constant(self, node: Node, value: torch.Tensor) -> None:
        # A copy, which nobody else writes to.
        kept = value.detach().contiguous().clone()
        self._add_tensor(node.name, kept)
        self.program.constant(node.name, node.name, kept.data_ptr(),
                              kept.numel() * kept.element_size(), kept)

    def _add_outputs(self, node: Node) -> None:
        for each in _flat(node.args):
            is_tensor = isinstance(each, Node) and isinstance(
                each.meta.get("val"), torch.Tensor)
            if is_tensor and each.op != "placeholder" and \
                    each not in self.outputs:
                self.program.output(each.name)
                self.outputs.append(each)

    def _add_call(self, node: Node) -> None:
        values = values_of(node)
        if isinstance(node.meta.get("val"), (tuple, list)):
            names = {user.args[1]: user.name for user in node.users
                     if user.target is operator.getitem}
            outputs: list[Any] = []
            for i, value in enumerate(values):
                name = names.get(i, f"{node.name}.{i}")
                if isinstance(value, torch.Tensor):
                    self._add_tensor(name, value)
                    outputs.append(("tensor", name))
                else:
                    outputs.append(None)
        else:
            self._add_tensor(node.name, values[0])
            outputs = [("tensor", node.name)]
        self.program.node(node.name, operator_name(node),
                          list(_arguments(node)), outputs, *source_of(node))

    def _add_symbols(self, graph: Graph) -> None:
        """Ranges of symbols, and inputs for those that no tensor has."""
        sizes = [size for node in graph.nodes if node.op != "output"
                 for value in values_of(node)
                 for size in ([*value.shape] if isinstance(value, torch.Tensor)
                              else [value])]
        known = {_sizes.expression_of(size) for node in self.inputs
                 for size in node.meta["val"].shape}
        for symbol in sorted(_sizes.symbols_of(sizes), key=str):
            if self._shape_env is not None:
                self.program.range(str(symbol),
                                   *_sizes.range_of(self._shape_env, symbol))
            if symbol in known:
                continue
            carrier = Carrier(symbol, f"size.{symbol}")
            self.program.tensor(carrier.name, "uint8", [str(symbol), 0], [1, 1])
            self.program.input(carrier.name)
            self.carriers.append(carrier)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _flat(each)
    else:
        yield value


def returned(graph: Graph) -> Sequence[Any]:
    """What a graph returns, in order."""
    node = next(node for node in reversed(graph.nodes) if node.op == "output")
    result = node.args[0]
    return result if isinstance(result, (list, tuple)) else [result]
