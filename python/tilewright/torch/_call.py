"""A compiled graph as a function of tensors."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Sequence

import torch
from torch.fx import GraphModule, Node

from .._core import _compile_torch, _TorchCall
from . import _sizes
from ._options import Options
from ._program import ProgramBuilder, returned

_empty_strided_cpu = getattr(torch._C._dynamo.guards, "_empty_strided_cpu",
                             torch.empty_strided)


def _is_static(value: torch.Tensor) -> bool:
    return not any(isinstance(size, torch.SymInt)
                   for size in (*value.shape, *value.stride()))


def _layout(value: torch.Tensor) -> Any:
    """What a call need not ask of a tensor."""
    return (tuple(value.shape), tuple(value.stride())) if _is_static(
        value) else None


def _overlaps(value: torch.Tensor) -> bool:
    """Whether elements share memory: the dimensions, by stride, do not each
    step over all smaller ones. Symbolic sizes do not."""
    covered = 0
    for stride, size in sorted(
            (stride, size) for size, stride in zip(value.shape, value.stride())
            if isinstance(size, int) and isinstance(stride, int) and size > 1):
        if stride <= covered:
            return True
        covered += (size - 1) * stride
    return False


def _strides(value: torch.Tensor) -> Sequence[Any]:
    """Those of the memory of a result, of which each element has its own."""
    if _overlaps(value):
        return torch.empty(value.shape, device="meta").stride()
    return value.stride()


class _Code:
    """The text of a function, and what it refers to."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"empty": _empty_strided_cpu}

    def compile(self, parameters: str) -> Callable[..., Any]:
        body = "".join(f"  {line}\n" for line in self.lines)
        exec(f"def call({parameters}):\n{body}", self.names)
        return self.names["call"]  # type: ignore[no-any-return]


class CompiledGraph:
    """Runs a graph whose operators are all supported. It is called with the
    values of the graph's inputs, and returns a tuple of its results."""

    def __init__(self, module: GraphModule, name: str, options: Options,
                 constants: Mapping[str, torch.Tensor]):
        graph = module.graph
        builder = ProgramBuilder(graph, constants)
        self._builder, self._constants = builder, constants
        self._run: Any = None
        if builder.results:
            model = _compile_torch(
                options.open_device(), builder.program, name,
                options.thread_count, options.open_cache(), options.reproducer,
                options.precision)
            inputs = [_layout(node.meta["val"]) for node in builder.inputs]
            inputs += [None for _ in builder.carriers]
            outputs = [_layout(node.meta["val"]) if _strides(node.meta["val"])
                       == node.meta["val"].stride() else None
                       for node in builder.results]
            self._run = _TorchCall(model, inputs, outputs)
        self.call = self._make_call(module)

    @property
    def copies(self) -> tuple[int, int]:
        """Copies between tensors and memory of the model, and their bytes."""
        return self._run.copies if self._run else (0, 0)

    def __call__(self, *values: Any) -> Any:
        return self.call(values)

    def _make_call(self, module: GraphModule) -> Callable[..., Any]:
        code, graph = _Code(), module.graph
        places = [node for node in graph.nodes if node.op == "placeholder"]
        variable = {node: f"a{i}" for i, node in enumerate(places)}
        if places:
            code.lines.append(", ".join(variable.values()) + ", = values")
        code.lines += self._symbol_lines(places, variable)
        inputs = [variable[node] for node in self._builder.inputs]
        for i, carrier in enumerate(self._builder.carriers):
            code.names["uint8"] = torch.uint8
            code.lines.append(f"c{i} = empty(({carrier.symbol}, 0), (1, 1), "
                              "uint8)")
            inputs.append(f"c{i}")
        for i, node in enumerate(self._builder.outputs):
            value = node.meta["val"]
            code.names[f"t{i}"] = value.dtype
            code.lines.append(
                f"r{i} = empty({_sizes.tuple_code(value.shape)}, "
                f"{_sizes.tuple_code(_strides(value))}, t{i})")
            variable[node] = f"r{i}"
        if self._run is not None:
            code.names["run"] = self._run
            results = [variable[node] for node in self._builder.results]
            code.lines.append(f"run([{', '.join(inputs)}], "
                              f"[{', '.join(results)}])")
        values = [self._value_code(each, variable, code)
                  for each in returned(graph)]
        code.lines.append("return (" + "".join(v + ", " for v in values) + ")")
        return code.compile("values")

    def _symbol_lines(self, places: list[Node],
                      variable: Mapping[Node, str]) -> Iterator[str]:
        """Assigns the symbols that the code needs."""
        needed = {carrier.symbol for carrier in self._builder.carriers}
        for node in self._builder.outputs:
            value = node.meta["val"]
            needed |= _sizes.symbols_of([*value.shape, *value.stride()])
        graph = places[0].graph if places else None
        for each in returned(graph) if graph else []:
            if isinstance(each, Node):
                needed |= _sizes.symbols_of([each.meta.get("val")])
        sources: dict[Any, str] = {}
        for node in places:
            value = node.meta.get("val")
            if isinstance(value, torch.SymInt):
                sources.setdefault(_sizes.expression_of(value), variable[node])
            elif isinstance(value, torch.Tensor):
                for d, size in enumerate(value.shape):
                    sources.setdefault(_sizes.expression_of(size),
                                       f"{variable[node]}.shape[{d}]")
        for symbol in sorted(needed, key=str):
            if symbol not in sources:
                raise _sizes.UnsupportedSize(
                    f"no input has the size {symbol}")
            yield f"{symbol} = {sources[symbol]}"

    def _value_code(self, value: Any, variable: Mapping[Node, str],
                    code: _Code) -> str:
        if isinstance(value, Node) and value in variable:
            return variable[value]
        if isinstance(value, Node):
            return _sizes.code_of(value.meta["val"])
        name = f"v{len(code.names)}"
        code.names[name] = value
        return name
