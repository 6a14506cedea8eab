"""A third opinion where ONNX Runtime and we differ: onnx's reference
evaluator."""

import numpy as np
import onnx.reference

import device


def opinion(case, verdict):
    """Whom the reference evaluator agrees with."""
    k = verdict.assignment
    try:
        with np.errstate(all="ignore"):
            evaluator = onnx.reference.ReferenceEvaluator(case.model)
            names = [value.name for value in case.model.graph.output]
            found = dict(zip(names, evaluator.run(None, case.feeds[k])))
    except Exception as error:  # It raises whatever its operators raise.
        return f"the reference evaluator fails: {str(error)[:100]!r}"
    oracle, ours = [], []
    for name in verdict.outputs:
        value, error = np.asarray(found[name]), case.errors[k][name]
        oracle.append(not device.difference(value, case.expected[k][name],
                                            error))
        fits = verdict.found[name].shape == case.expected[k][name].shape
        ours.append(not device.difference(
            value, verdict.found[name],
            error if fits else 1e-4))
    if all(oracle):
        return "the reference evaluator agrees with ONNX Runtime"
    if all(ours):
        return "the reference evaluator agrees with us"
    return "the reference evaluator agrees with neither: " + ", ".join(
        device.brief(found[name]) for name in verdict.outputs)
