"""Judges one entry of op_db; op_db.py describes how."""
import functools
import itertools
import math
import os
import re
import tempfile

import numpy as np
import torch
from torch.testing._internal import common_methods_invocations
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

import tilewright
from op_db import UNDETERMINED, UNSTABLE, name_of
from tilewright.torch import backend

# Entries set a seed before the call, which no graph can have. Those whose
# results depend on it are not judged.
common_methods_invocations.wrapper_set_seed = (
    lambda operator, *arguments, **keywords: operator(*arguments, **keywords))
# The types we have, the first ones first.
TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16,
         torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
         torch.bool]
# torch.testing.assert_close's rtol and atol, and our factor.
TOLERANCES = {torch.float16: (1e-3, 1e-5, 2), torch.bfloat16: (1.6e-2, 1e-5, 2),
              torch.float32: (1.3e-6, 1e-5, 8), torch.float64: (1e-7, 1e-7, 8)}
SAMPLES = 3
_NODE = re.compile(r"node '[^']*' \(([^)]*)\): ([^\n]*)")


class Sample(torch.nn.Module):
    """A call of an operator, of whose arguments the tensors are inputs."""

    def __init__(self, entry, sample):
        super().__init__()
        given = (sample.input, tuple(sample.args), sample.kwargs)
        leaves, self.spec = pytree.tree_flatten(given)
        self.places = [i for i, leaf in enumerate(leaves)
                       if isinstance(leaf, torch.Tensor)]
        self.inputs = [leaves[i].detach() for i in self.places]
        self.leaves = [None if i in self.places else leaf
                       for i, leaf in enumerate(leaves)]
        self.operator = entry.op
        self.name = entry.name

    def forward(self, *tensors):
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors):
            leaves[place] = tensor
        first, rest, keywords = pytree.tree_unflatten(leaves, self.spec)
        return self.operator(first, *rest, **keywords)

    def ordered(self):
        return self.inputs[0] if self.name in UNSTABLE else None

    def copies(self, to=None):
        """The inputs, whose memory no other call writes to. Floats, or whole
        numbers if there are no floats, become `to`."""
        floats = any(t.is_floating_point() for t in self.inputs)
        return [t.clone() if to is None or floats and not t.is_floating_point()
                else t.to(to) for t in self.inputs]


class Verdict(Exception):
    def __init__(self, verdict, detail=""):
        super().__init__(verdict, detail)
        self.verdict, self.detail = verdict, detail


def tensors_of(value):
    return [leaf for leaf in pytree.tree_leaves(value)
            if isinstance(leaf, torch.Tensor)]


def brief(error):
    return " ".join(str(error).split())[:300]


def verdict_of_error(error):
    """The verdict on an error of ours: each operator and why."""
    text = error.message
    found = _NODE.findall(text) or [
        match for line in text.splitlines()
        for match in re.findall(r"^  ([\w.]+)(?:: ([^\n]*))?", line)]
    detail = "; ".join(sorted(
        {operator + (f": {reason.split('  ')[0]}" if reason and
                     "the operator is not supported" not in reason else "")
         for operator, reason in found}))
    if isinstance(error, tilewright.UnsupportedError) or found:
        return Verdict("unsupported", detail[:300] or brief(text))
    return Verdict("failed", brief(text))


def our_error(error):
    """Our error that an error of Dynamo wraps, if there is one."""
    while error is not None:
        if isinstance(error, tilewright.Error):
            return error
        error = getattr(error, "inner_exception", None) or error.__cause__
    return None


def _distances(found, expected):
    """How far elements are apart; equal ones, NaN and infinities too, 0."""
    same = (found == expected) | (found.isnan() & expected.isnan())
    return torch.where(same, 0, (found - expected).abs())


def take_equal(values, x, y):
    """Whether indices x and y along some dimension, which results may not have,
    take equal elements."""
    for dim in range(values.dim()):
        try:
            taken = [values.take_along_dim(
                each if each.dim() == values.dim() else each.unsqueeze(dim),
                dim) for each in (x, y)]
            if torch.equal(*taken):
                return True
        except (RuntimeError, IndexError):
            pass
    return False


def compare(found, expected, precise, ordered=None):
    """`precise` returns the tensors in f64, or nothing. `ordered`: the values
    that results of i64 may be indices of."""
    if len(found) != len(expected):
        raise Verdict("wrong", f"{len(found)} results, expected "
                      f"{len(expected)}")
    for i, (x, y) in enumerate(zip(found, expected)):
        if x.dtype != y.dtype or x.shape != y.shape:
            raise Verdict("wrong", f"result {i} is {x.dtype}{list(x.shape)}, "
                          f"expected {y.dtype}{list(y.shape)}")
        if not y.is_floating_point():
            if not torch.equal(x, y) and (
                    ordered is None or y.dtype != torch.int64 or
                    not take_equal(ordered, x, y)):
                raise Verdict("wrong", f"result {i}: {different(x, y)}")
            continue
        rtol, atol, factor = TOLERANCES[y.dtype]
        a, b = x.double(), y.double()
        apart = _distances(a, b)
        limit = factor * (atol + rtol * b.abs())
        bad = ~(apart <= limit) & (apart != 0) | (a.isnan() != b.isnan())
        if not bad.any():
            continue
        if not is_as_near(a, b, bad, precise()[i]):
            raise Verdict("wrong", f"result {i}: {different(x, y)}")


def is_as_near(a, b, bad, exact):
    if exact is None or exact.shape != a.shape:
        return False
    # At a pole, eager's result is as large as its type is precise.
    bad = bad & ~(a.isinf() & (a.sign() == exact.sign()) &
                  (exact.abs() > 1e8 * b.abs()) & (b.abs() > 1e8))
    if (a.isfinite() != b.isfinite())[bad].any():
        return False
    if not bad.any():
        return True
    ours, theirs = _distances(a, exact), _distances(b, exact)
    return bool(ours[bad].le(2 * theirs[bad].max()).all())


def different(x, y):
    where = (x != y) & ~((x != x) & (y != y))
    distances = (x.double() - y.double()).abs().nan_to_num(math.inf)
    i = int(torch.where(where, distances, -1).flatten().argmax())
    return (f"{int(where.sum())} of {x.numel()} differ: [{i}] is "
            f"{x.flatten()[i].item()}, expected {y.flatten()[i].item()}")


class Judge:
    def __init__(self, types):
        self.types = types
        self.folder = tempfile.TemporaryDirectory()
        self.device = tilewright.open("cpu", 1)
        self.doors = {"compile": self.compile, "pt2": self.pt2}
        torch.set_num_threads(1)

    def entry(self, number):
        entry = op_db[number]
        samples = []
        with torch.no_grad():
            for dtype, i, sample in self.samples(entry):
                torch.manual_seed(0)
                for door in self.doors:
                    verdict = self.sample(entry, sample, door)
                    samples.append({
                        "door": door, "type": str(dtype)[6:], "sample": i,
                        "verdict": verdict.verdict, "detail": verdict.detail})
        return {"entry": name_of(entry), "samples": samples}

    def samples(self, entry):
        types = [t for t in TYPES if t in entry.dtypes]
        if name_of(entry) in UNDETERMINED or not types:
            yield torch.float32, 0, None
            return
        for dtype in types if self.types == "all" else types[:1]:
            count = SAMPLES if dtype == types[0] else 1
            try:
                torch.manual_seed(0)
                found = list(itertools.islice(
                    entry.sample_inputs("cpu", dtype), count))
            except Exception:
                continue
            for i, sample in enumerate(found):
                yield dtype, i, sample

    def sample(self, entry, sample, door):
        if sample is None:
            return Verdict("incomparable")
        try:
            module = Sample(entry, sample)
            try:
                expected = self.expected(module)
            except Verdict:
                raise
            except Exception as error:
                raise Verdict("incomparable", brief(error))
            self.doors[door](module, expected)
        except Verdict as verdict:
            return verdict
        except Exception as error:
            return Verdict("failed", f"{type(error).__name__}: {brief(error)}")
        return Verdict("right")

    def expected(self, module):
        """Eager's results, which do not depend on random numbers."""
        results = []
        for seed in range(2):
            torch.manual_seed(seed)
            results.append(module(*module.copies()))
        first, second = map(tensors_of, results)
        if not first:
            raise Verdict("incomparable", "no tensors")
        for x, y in zip(first, second):
            if not torch.equal(x.nan_to_num(), y.nan_to_num()):
                raise Verdict("incomparable", "random numbers")
        return results[0]

    def precise(self, module):
        """The results in f64."""
        @functools.cache
        def compute():
            try:
                results = tensors_of(module(*module.copies(torch.float64)))
                return [r.double() for r in results]
            except Exception:
                return Nothings()
        return compute

    def compile(self, module, expected):
        torch._dynamo.reset()
        run = torch.compile(module, fullgraph=True, backend=functools.partial(
            backend, options={"strict": True, "threads": 1}))
        try:
            found = run(*module.copies())
        except Exception as error:
            if ours := our_error(error):
                raise verdict_of_error(ours)
            raise Verdict("not exported", brief(error))
        found, wanted = tensors_of(found), tensors_of(expected)
        try:
            compare(found, wanted, self.precise(module), module.ordered())
        except Verdict as verdict:
            # PyTorch's own graph of the operator may differ from eager.
            if verdict.verdict != "wrong":
                raise
            compare(found, tensors_of(self.promised(module)),
                    Nothings)
        self.compare_strides(module, found, wanted)

    def promised(self, module):
        """The results of PyTorch's own graph."""
        torch._dynamo.reset()
        run = torch.compile(module, fullgraph=True, backend="aot_eager")
        return run(*module.copies())

    def compare_strides(self, module, found, expected):
        def differ(tensors):
            return [i for i, (x, y) in enumerate(zip(tensors, expected))
                    if x.stride() != y.stride() and y.numel() > 1]
        bad = differ(found)
        if not bad:
            return
        promised = differ(tensors_of(self.promised(module)))
        for i in bad:
            if i not in promised:
                raise Verdict("wrong", f"result {i} has the strides "
                              f"{found[i].stride()}, expected "
                              f"{expected[i].stride()}")

    def pt2(self, module, expected):
        try:
            program = torch.export.export(module, tuple(module.copies()),
                                          strict=False)
            path = os.path.join(self.folder.name, "m.pt2")
            torch.export.save(program, path)
        except Exception as error:
            raise Verdict("not exported", brief(error))
        signature = program.graph_signature
        specs = [spec for spec in signature.output_specs
                 if spec.kind.name == "USER_OUTPUT"]
        count = sum(isinstance(spec.arg, torch.export.graph_signature
                               .TensorArgument) for spec in specs)
        if not count:
            raise Verdict("incomparable", "no tensors")
        try:
            model = self.device._load_source(path, {}, {}, 1)
            names = [spec.name for spec in model.inputs]
            given = dict(zip(signature.user_inputs, module.copies()))
            results = model.run({n: given[n].contiguous() for n in names})
            kinds = {spec.name: spec.dtype for spec in model.outputs}
            found = [tensor_of(v, kinds[n]) for n, v in results.items()]
        except tilewright.Error as error:
            raise verdict_of_error(error)
        # The new values of inputs, of whose names they are, come first.
        new = len(found) - count
        compare(found[new:], tensors_of(expected), self.precise(module),
                module.ordered())
        inputs = module.copies()
        module(*inputs)
        written = dict(zip(signature.user_inputs, inputs))
        compare(found[:new], [written[n] for n in list(results)[:new]],
                Nothings)


def tensor_of(value, kind):
    tensor = torch.from_dlpack(value)
    # NumPy has no bf16.
    return tensor.view(torch.bfloat16) if kind == "bf16" else tensor


class Nothings(dict):
    def __missing__(self, _):
        return None
