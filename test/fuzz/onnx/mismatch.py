"""Sizes that need not fit: one dimension of one input of another size than the
graph was made for. ONNX Runtime says whether the graph takes it."""

import numpy as np
import onnx
import onnx.reference

import oracle
from case import Case


def other_sizes(graph, case):
    """The case at other sizes, or None where no input has a symbol."""
    places = [(value.name, axis) for value in case.model.graph.input
              for axis, dim in enumerate(value.type.tensor_type.shape.dim)
              if not dim.HasField("dim_value")]
    if not places:
        return None
    name, axis = graph.random.choice(places)
    feed = dict(graph.random.choice(case.feeds))
    shape = list(feed[name].shape)
    shape[axis] = graph.random.choice(
        [n for n in {1, 2, shape[axis] - 1, shape[axis] + 1, 4}
         if n > 0 and n != shape[axis]])
    if not feed[name].size:
        return None
    feed[name] = np.resize(feed[name], shape)
    return checked(case.model, feed)


# ONNX Runtime rejects these for want of code, or for the value of an index. It
# does not mirror a dimension of one element; NumPy repeats it, and so do we.
LIMITS = ("Pad reflect requires axis length",
          "NOT_IMPLEMENTED", "only supports", "not supported",
          "is not implemented", "out of data bounds", "invalid ind",
          "Out of range value in index")


def checked(model, feed):
    names = [value.name for value in model.graph.output]
    try:
        found = oracle.run_model(model, feed)
    except oracle.Rejected as error:
        if any(text in str(error) for text in LIMITS):
            return None
        return Case(model, [feed], [None], [{"rejected": brief(error)}])
    found = dict(zip(names, map(np.asarray, found)))
    if not confirmed(model, feed, found):
        return None
    if any(not np.all(np.isfinite(v)) for v in found.values()
           if v.dtype.kind == "f"):
        return None
    return Case(model, [feed], [found],
                [{n: loose(v) for n, v in found.items()}])


def confirmed(model, feed, found):
    """Whether onnx's reference evaluator takes these sizes too: ONNX Runtime
    does not check all of them."""
    try:
        with np.errstate(all="ignore"):
            values = onnx.reference.ReferenceEvaluator(model).run(None, feed)
    except Exception:  # It raises whatever its operators raise.
        return False
    return all(np.shape(a) == b.shape for a, b in zip(values, found.values()))


def brief(error):
    return str(error).split("Status Message:")[-1].strip()[:150]


def loose(array):
    """An error that a graph of a few nodes may have."""
    if array.dtype.kind != "f":
        return np.zeros(array.shape)
    finite = np.where(np.isfinite(array), array, 0).astype(float)
    high = float(np.abs(finite).max()) if finite.size else 0
    factor = 30 if array.dtype == np.float16 else 1
    return factor * (1e-3 * np.abs(finite) + 1e-4 * max(high, 1e-30))


def first_rejected(case):
    """The first node that ONNX Runtime rejects, alone: a case, or None."""
    if case.model.functions:
        return None
    graph, feed = case.model.graph, case.feeds[0]
    opset = case.model.opset_import[0].version
    constants = {t.name: onnx.numpy_helper.to_array(t)
                 for t in graph.initializer}
    values = dict(feed)
    for node in graph.node:
        read = [name for name in node.input if name]
        if any(name not in values and name not in constants for name in read):
            return None
        inputs = {name: (values[name].dtype, [
            f"{name}_{i}" for i in range(values[name].ndim)])
            for name in read if name in values}
        outputs = {name: (None, None) for name in node.output if name}
        model = oracle.model_of(
            [node], inputs, outputs,
            {n: constants[n] for n in read if n in constants}, opset)
        part = {name: values[name] for name in inputs}
        try:
            found = oracle.run_model(model, part)
        except oracle.Rejected as error:
            typed = oracle.model_of(
                [node], inputs,
                {n: (np.float32, None) for n in outputs},
                {n: constants[n] for n in read if n in constants}, opset)
            for value in typed.graph.output:
                for other in graph.output:
                    if other.name == value.name:
                        value.CopyFrom(other)
            return Case(typed, [part], [None], [{"rejected": brief(error)}])
        values.update(zip(outputs, map(np.asarray, found)))
    return None
