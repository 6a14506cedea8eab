"""Random models of one node of the domains com.microsoft and ai.onnx.ml,
compared with ONNX Runtime.

    domains.py TOOL [--pypi PYPI] [--device DEVICE [--target TARGET]]
               [--count N] [--seed S] [--only NAME,...]
"""

import argparse
import random
import sys

import wheels

GROUPS = ("domains_microsoft", "domains_traditional")


def tolerance(value, spec):
    """What the elements of an output may be off by: a unit of quantized
    results, else a part of the greatest number."""
    import numpy as np
    if value.dtype.kind in "iu":
        return spec.units
    finite = np.abs(value[np.isfinite(value)])
    return spec.relative * max(1.0, float(finite.max(initial=0)))


def allow_units(device):
    """Integers may be off by what their case says."""
    import numpy as np
    exact = device.difference

    def near(found, expected, error):
        if (expected.dtype.kind in "iu" and found.dtype == expected.dtype and
                found.shape == expected.shape and np.all(np.abs(
                    found.astype(np.int64) - expected.astype(np.int64)) <=
                    error)):
            return None
        return exact(found, expected, error)

    device.difference = near


def case_of(spec):
    import numpy as np
    import onnx
    import onnx.reference
    from onnx import helper

    import oracle
    from case import Case

    def info(name, value):
        dims = list(value.shape)
        for axis, symbol in spec.symbols.get(name, {}).items():
            dims[axis] = symbol
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), dims)

    graph = helper.make_graph(
        [helper.make_node(spec.op, spec.inputs, spec.outputs,
                          domain=spec.domain, **spec.attributes)], "g",
        [info(name, value) for name, value in spec.feeds.items()],
        [helper.make_empty_tensor_value_info(name)
         for name in spec.outputs if name],
        [onnx.numpy_helper.from_array(np.asarray(value), name)
         for name, value in spec.constants.items()])
    model = helper.make_model(graph, ir_version=9, opset_imports=[
        helper.make_opsetid("", 21),
        helper.make_opsetid("com.microsoft", 1),
        helper.make_opsetid("ai.onnx.ml", spec.version)])
    found = oracle.runtime_session(model).run(None, spec.feeds)
    if spec.by_reference:
        reference = onnx.reference.ReferenceEvaluator(model)
        found = [np.asarray(value) for value in reference.run(None, spec.feeds)]
    expected = dict(zip((n for n in spec.outputs if n), found))
    for value, name in zip(found, expected):
        output = next(o for o in model.graph.output if o.name == name)
        output.CopyFrom(helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), None))
    return Case(model, [spec.feeds], [expected],
                [{n: tolerance(v, spec) for n, v in expected.items()}])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--pypi")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--target")
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    missing = wheels.use(options.pypi)
    if missing:
        print(f"skipped: {missing}")
        return 77
    import importlib

    import device as devices
    import oracle
    allow_units(devices)
    device = devices.Device(options.tool, options.device, options.target)
    only = set(filter(None, options.only.split(",")))
    counts = {"match": 0}
    for make in [f for g in GROUPS
                 for f in importlib.import_module(g).GENERATORS]:
        if only and make.__name__ not in only:
            continue
        for k in range(options.count):
            seed = f"{options.seed}/{make.__name__}/{k}"
            spec = make(random.Random(seed))
            try:
                case = case_of(spec)
            except oracle.Rejected as error:
                counts["ONNX Runtime rejects"] = counts.get(
                    "ONNX Runtime rejects", 0) + 1
                print(f"{seed} {spec.op}: ONNX Runtime: {error}"[:300])
                continue
            verdict = device.check(case)
            counts[verdict.kind] = counts.get(verdict.kind, 0) + 1
            if verdict.kind != "match":
                print(f"{seed} {spec.op}: {verdict.kind}: {verdict.text}"[:600])
                print(f"  {spec.attributes}"[:300])
    print(counts)
    return 1 if set(counts) != {"match"} else 0


if __name__ == "__main__":
    sys.exit(main())
