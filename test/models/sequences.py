"""sequences.py TOOL PYPI [NAME...]: sequences and optional values of ONNX through
the command line, against onnx's reference evaluator. Exits with 77 without the
wheels."""

import os
import pathlib
import sys
import tempfile

import numpy as np

import tool

# Before this folder, which has a wheels.py too.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] /
                       "fuzz/onnx"))
import wheels  # noqa: E402


def floats(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape) \
        .astype("f4")


HEADER = '<ir_version: 10, opset_import: ["": 21, "local": 1]>\n'

# Name: (model, inputs; a list is a sequence, None an optional value that is
# absent).
CASES = {
    "split-rest": ("""
main (float[3, 7] x) => (seq(float[a, b]) y, float[c, d] last)
<int64 three = {3}, int64 end = {-1}>
{
  y = SplitToSequence <axis = -1> (x, three)
  last = SequenceAt(y, end)
}""", {"x": floats(3, 7)}),
    "split-each": ("""
main (int64[4, N] x) => (int64[a, b] y, seq(int64[c]) rows)
{
  parts = SplitToSequence(x)
  y = ConcatFromSequence <axis = 1> (parts)
  rows = SplitToSequence <keepdims = 0> (x)
}""", {"x": np.arange(12).reshape(4, 3)}),
    "stack": ("""
main (float[2, N] x, float[2, M] y) => (float[a, b, c] z, float[d, e, f] w)
{
  s = SequenceConstruct(x, y, x)
  z = ConcatFromSequence <axis = -1, new_axis = 1> (s)
  w = ConcatFromSequence <axis = 1, new_axis = 1> (s)
}""", {"x": floats(2, 3), "y": floats(2, 3) + 1}),
    "insert": ("""
main (float[2] a, float[3] b, float[N] c)
  => (seq(float[p]) y, seq(float[q]) z, seq(float[r]) w)
<int64 first = {0}, int64[1] before = {-1}>
{
  s = SequenceConstruct(a, b)
  y = SequenceInsert(s, c)
  z = SequenceInsert(y, c, first)
  w = SequenceInsert(y, a, before)
}""", {"a": floats(2), "b": floats(3), "c": floats(4)}),
    "erase": ("""
main (float[2] a, float[3] b, float[4] c)
  => (seq(float[p]) y, seq(float[q]) z, seq(float[r]) w, int64 n)
<int64 one = {1}, int64 third = {-3}>
{
  s = SequenceConstruct(a, b, c)
  y = SequenceErase(s)
  z = SequenceErase(s, one)
  w = SequenceErase(s, third)
  n = SequenceLength(w)
}""", {"a": floats(2), "b": floats(3), "c": floats(4)}),
    "append": ("""
main (float[5, N] x) => (float[p, q] y)
<int64 n = {5}, bool go = {1}>
{
  none = SequenceEmpty()
  all = Loop (n, go, none) <
    body = step (int64 i, bool on, seq(float[N]) before)
        => (bool again, seq(float[N]) after) {
      again = Identity(on)
      row = Gather(x, i)
      more = Exp(row)
      after = SequenceInsert(before, more)
    }
  >
  y = ConcatFromSequence <axis = 0, new_axis = 1> (all)
}""", {"x": floats(5, 3)}),
    "map": ("""
main (seq(float[N]) x, float[1] y, float z)
  => (seq(float[a]) sums, seq(int64[1]) sizes)
{
  sums, sizes = SequenceMap (x, y, z) <
    body = each (float[K] part, float[1] other, float factor)
        => (float[K] total, int64[1] size) {
      both = Add(part, other)
      total = Mul(both, factor)
      size = Shape(part)
    }
  >
}""", {"x": [floats(2), floats(5), floats(1)], "y": floats(1),
       "z": np.array(2, "f4")}),
    "map-two": ("""
main (seq(float[N]) x, seq(float[M]) y) => (seq(float[a]) z)
{
  z = SequenceMap (x, y) <
    body = each (float[K] one, float[L] other) => (float[O] joined) {
      joined = Concat <axis = 0> (one, other)
    }
  >
}""", {"x": [floats(2), floats(3)], "y": [floats(4), floats(1)]}),
    "selected": ("""
main (bool c, float[4] x, float[2, 2] y) => (seq(float) z, float[4] w)
<int64 first = {0}>
{
  s = If (c) <
    then_branch = yes () => (seq(float) a) {
      e = Exp(x)
      f = Neg(y)
      a = SequenceConstruct(e, f)
    },
    else_branch = no () => (seq(float) b) { b = SequenceConstruct(x, y) }
  >
  z = Identity(s)
  w = SequenceAt(s, first)
}""", {"c": np.array(True), "x": floats(4), "y": floats(2, 2)}),
    "shape": ("""
main (float[N, 6] x) => (float[a, b, c] y)
<int64 zero = {0}, int64 two = {2}, int64 three = {3}>
{
  dims = Shape(x)
  rows = Gather(dims, zero)
  sizes = SequenceConstruct(rows, two, three)
  shape = ConcatFromSequence <axis = 0, new_axis = 1> (sizes)
  y = Reshape(x, shape)
}""", {"x": floats(4, 6)}),
    "consume": ("""
main (seq(float[3]) x) => (float[3] y, seq(float[3]) left)
<bool go = {1}, float[3] zero = {0, 0, 0}, int64 last = {-1}, int64 one = {1}>
{
  n = SequenceLength(x)
  trips = Sub(n, one)
  y, left = Loop (trips, go, zero, x) <
    body = step (int64 i, bool on, float[3] sum, seq(float[3]) rest)
        => (bool again, float[3] more, seq(float[3]) fewer) {
      again = Identity(on)
      part = SequenceAt(rest, last)
      more = Add(sum, part)
      fewer = SequenceErase(rest)
    }
  >
}""", {"x": [floats(3), floats(3) + 1, floats(3) * 2]}),
    "captured": ("""
main (seq(float[N]) x, float[M] y) => (seq(float[a]) z)
<int64 n = {2}, bool go = {1}>
{
  z = Loop (n, go, x) <
    body = step (int64 i, bool on, seq(float[A]) before)
        => (bool again, seq(float[B]) after) {
      again = Identity(on)
      part = SequenceAt(x, i)
      both = Concat <axis = 0> (part, y)
      after = SequenceInsert(before, both, i)
    }
  >
}""", {"x": [floats(2), floats(3)], "y": floats(2)}),
    "until": ("""
main (float[3] x, float limit) => (float[3] y, seq(float[3]) z)
<int64 n = {6}, bool go = {1}, int64 first = {0}>
{
  start = SequenceConstruct(x, x)
  z = Loop (n, go, start) <
    body = step (int64 i, bool on, seq(float[3]) before)
        => (bool again, seq(float[3]) after) {
      a = SequenceAt(before, first)
      b = Add(a, x)
      largest = ReduceMax <keepdims = 0> (b)
      again = Less(largest, limit)
      rest = SequenceErase(before, first)
      after = SequenceInsert(rest, b, first)
    }
  >
  y = SequenceAt(z, first)
}""", {"x": np.array([1, 2, 3], "f4"), "limit": np.array(8, "f4")}),
    "optional-tensor": ("""
main (float[3] x, optional(float[3]) y, optional(float[2]) z)
  => (float[3] w, bool has, bool lacks)
{
  has = OptionalHasElement(y)
  lacks = OptionalHasElement(z)
  w = If (has) <
    then_branch = yes () => (float[3] a) {
      v = OptionalGetElement(y)
      a = Add(x, v)
    },
    else_branch = no () => (float[3] b) { b = Identity(x) }
  >
}""", {"x": floats(3), "y": floats(3), "z": None}),
    "optional-sequence": ("""
main (optional(seq(float[N])) x, float[2] y) => (seq(float[a]) z, int64 n)
{
  same = Identity(x)
  has = OptionalHasElement(same)
  s = If (has) <
    then_branch = yes () => (seq(float[b]) one) {
      one = OptionalGetElement(same)
    },
    else_branch = no () => (seq(float[c]) other) { other = SequenceEmpty() }
  >
  z = SequenceInsert(s, y)
  n = SequenceLength(z)
}""", {"x": [floats(2), floats(3)], "y": floats(2)}),
    "optional-absent": ("""
main (optional(seq(float[N])) x, float[2] y) => (seq(float[a]) z)
{
  has = OptionalHasElement(x)
  z = If (has) <
    then_branch = yes () => (seq(float[b]) one) {
      one = OptionalGetElement(x)
    },
    else_branch = no () => (seq(float[c]) other) {
      other = SequenceConstruct(y, y)
    }
  >
}""", {"x": None, "y": floats(2)}),
    "function": ("""
main (float[4, N] x) => (seq(float[a, b]) y)
{
  s = SplitToSequence(x)
  y = local.twice(s, x)
}
<domain: "local", opset_import: ["": 21]>
twice (s, x) => (y)
{
  t = SequenceInsert(s, x)
  y = SequenceMap (t) <
    body = each (float[K, L] part) => (float[K, L] two) {
      two = Add(part, part)
    }
  >
}""", {"x": floats(4, 2)}),
}


def expected_of(model, inputs):
    """By name, as the command line names them."""
    import onnx.reference
    evaluator = onnx.reference.ReferenceEvaluator(model)
    outputs = {}
    for name, value in zip(evaluator.output_names,
                           evaluator.run(None, dict(inputs))):
        if isinstance(value, list):
            outputs.update({f"{name}[{at}]": np.asarray(part)
                            for at, part in enumerate(value)})
        else:
            outputs[name] = np.asarray(value)
    return outputs


def given(inputs):
    flat = {}
    for name, value in inputs.items():
        if isinstance(value, list):
            flat.update({f"{name}[{at}]": part
                         for at, part in enumerate(value)})
        elif value is not None:
            flat[name] = value
    return flat


COUNTED = """
main (seq(float[4]) x, optional(float[4]) y) => (int64 n, bool has)
{
  n = SequenceLength(x)
  has = OptionalHasElement(y)
}"""


def check_cache(binary):
    """A package is not taken from the cache for other elements than it has."""
    import onnx.parser
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TILEWRIGHT_CACHE_DIR"] = str(pathlib.Path(folder) / "cache")
        path = pathlib.Path(folder) / "model.onnx"
        onnx.save(onnx.parser.parse_model(HEADER + COUNTED), path)
        for count, has in ((1, False), (2, False), (1, True), (1, False)):
            inputs = {"x": count * [floats(4)], "y": floats(4) if has else None}
            found = [array.item() for _, array in
                     tool.run(binary, path, given(inputs))]
            assert found == [count, has], f"{found}, expected {[count, has]}"


def main():
    binary, pypi, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    if missing := wheels.use(pypi):
        print(f"skipped: {missing}")
        return 77
    import onnx.parser
    for name, (text, inputs) in CASES.items():
        if names and name not in names:
            continue
        model = onnx.parser.parse_model(HEADER + text)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.onnx"
            onnx.save(model, path)
            found = {entry["name"]: array for entry, array in
                     tool.run(binary, path, given(inputs))}
        expected = expected_of(model, inputs)
        assert list(found) == list(expected), \
            f"{name}: outputs {list(found)}, expected {list(expected)}"
        for output, array in expected.items():
            tool.check_close(f"{name} {output}", found[output], array)
    check_cache(binary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
