"""torch.compile(model, backend="tilewright"): graphs of PyTorch, for inference.

docs/pytorch.md describes it. `import tilewright` does not import this."""

from __future__ import annotations

import functools
import warnings
from typing import Any, Callable, Mapping, Optional, Sequence

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch.fx import GraphModule
from torch.utils._python_dispatch import _disable_current_modes

from .._core import _torch_supports
from .._data import UnsupportedError
from ._compile import GraphCompiler, GraphReport, LeftOver
from ._explain import Explanation, explain
from ._options import Options

__all__ = ["Explanation", "GraphReport", "LeftOver", "Options", "backend",
           "decompositions", "explain"]


@functools.cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """PyTorch's table without the operators that are imported whole."""
    table = torch._decomp.core_aten_decompositions()
    return {op: function for op, function in table.items()
            if not _torch_supports(str(op))}


def _static_inputs() -> Sequence[int]:
    """Which inputs of the graph are parameters and buffers."""
    context = torch._guards.TracingContext.try_get()
    metadata = context.fw_metadata if context else None
    return metadata.static_input_indices if metadata else []


def _compile_inference(options: Options, values: Sequence[Any],
                       report: Optional[list[GraphReport]], module: GraphModule,
                       _: Sequence[Any]) -> Callable[..., Any]:
    inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
    frozen: dict[str, torch.Tensor] = {}
    if options.freeze and len(inputs) != len(values):
        warnings.warn("the backend tilewright cannot freeze this graph: its "
                      "inputs are not those of the model")
    elif options.freeze:
        frozen = {inputs[i].name: values[i] for i in _static_inputs()
                  if isinstance(values[i], torch.Tensor)}
    with _disable_current_modes():
        compiler = GraphCompiler(module, options, frozen)
        call = compiler.compile()
    if report is not None:
        report.append(compiler.report)
    return _boxed(call)


def _boxed(call: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes a list, which it may clear."""
    def boxed(values: list[Any]) -> Any:
        return call(values)
    boxed._boxed_call = True  # type: ignore[attr-defined]
    return boxed


def _compile_training(options: Options, module: GraphModule,
                      _: Sequence[Any]) -> Callable[..., Any]:
    if options.strict:
        raise UnsupportedError(
            "unsupported", "the graph computes gradients, which is not "
            "supported: expected a call within torch.no_grad()")
    return make_boxed_func(module.forward)


def backend(module: GraphModule, inputs: Sequence[Any], *,
            options: Optional[Mapping[str, Any]] = None,
            _report: Optional[list[GraphReport]] = None) -> Callable[..., Any]:
    """The backend "tilewright" of torch.compile."""
    read = Options.read(options)
    train = functools.partial(_compile_training, read)
    compile = aot_autograd(
        fw_compiler=train, bw_compiler=train,
        inference_compiler=functools.partial(
            _compile_inference, read, list(inputs) if read.freeze else [],
            _report),
        decompositions=decompositions(), keep_inference_input_mutations=True)
    return compile(module, inputs)
