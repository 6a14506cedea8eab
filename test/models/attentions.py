"""attentions.py TOOL PYPI [NAME...]: spellings of attention in ONNX become one
kernel for a GPU, and near misses of it do not; both give on the emulator what
their plain kernels give on the interpreter. Exits with 77 without the wheels."""

import concurrent.futures
import pathlib
import sys
import tempfile

import numpy as np

import tool

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "forked"))
# Before this folder, which has a wheels.py too.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] /
                       "fuzz/onnx"))
import forked  # noqa: E402
import wheels  # noqa: E402

BATCH, HEADS, QUERIES, KEYS, SIZE = 1, 4, 48, 144, 32


class Spelling:
    """Nodes from `q`, `k` and `v` to the result `y`."""

    def __init__(self, dtype=np.float16, size=SIZE, queries=QUERIES):
        self.dtype, self.nodes, self.outputs = np.dtype(dtype), [], {}
        self.queries, self.size, self.constants = queries, size, {}
        shapes = {"q": [BATCH, HEADS, queries, size],
                  "k": [BATCH, HEADS, KEYS, size],
                  "v": [BATCH, HEADS, KEYS, size]}
        self.inputs = {name: (self.dtype, shape)
                       for name, shape in shapes.items()}

    def constant(self, value, dtype=None):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value, dtype or self.dtype)
        return name

    def add(self, op, *inputs, **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append((op, list(inputs), [name], attributes))
        return name

    def give(self, name, dtype, shape):
        self.inputs[name] = (np.dtype(dtype), shape)
        return name

    def finish(self, *names):
        self.outputs = {name: (self.dtype, None) for name in names}
        return self

    def scores(self, transposed=True):
        k = self.add("Transpose", "k", perm=[0, 1, 3, 2]) if transposed else "k"
        return self.add("MatMul", "q", k)

    def scaled(self, name="Mul"):
        return self.add(name, self.scores(), self.constant(0.2))

    def end(self, scores, guard=False, values="v", axis=-1):
        weights = self.add("Softmax", scores, axis=axis)
        if guard:
            weights = self.add("Where", self.add("IsNaN", weights),
                               self.constant(0), weights)
        return self.add("MatMul", weights, values)


# Spellings: each is one kernel.

def after(s):
    return s.scaled()


def divided(s):
    return s.scaled("Div")


def before(s):
    q = s.add("Mul", "q", s.constant(0.2))
    return s.add("MatMul", q, s.add("Transpose", "k", perm=[0, 1, 3, 2]))


def transposed(s):
    s.give("k", s.dtype, [BATCH, HEADS, s.size, KEYS])
    return s.scores(False)


def added(s):
    return s.add("Add", s.scaled(),
                 s.give("mask", s.dtype, [BATCH, 1, s.queries, KEYS]))


def chosen(s):
    return s.add("Where", s.give("mask", bool, [s.queries, KEYS]), s.scaled(),
                 s.constant(-np.inf))


def capped(s):
    cap = s.constant(4)
    return s.add("Mul", s.add("Tanh", s.add("Div", s.scaled(), cap)), cap)


def heads(s, guard):
    width = HEADS * s.size
    s.inputs = {}
    for name, length in (("q", s.queries), ("k", KEYS), ("v", KEYS)):
        s.give(f"{name}0", s.dtype, [BATCH, length, width])
        shape = s.constant([BATCH, length, HEADS, s.size], np.int64)
        s.nodes.append(("Transpose", [s.add("Reshape", f"{name}0", shape)],
                        [name], {"perm": [0, 2, 1, 3]}))
    result = s.add("Transpose", s.end(s.scaled(), guard), perm=[0, 2, 1, 3])
    shape = s.constant([BATCH, s.queries, width], np.int64)
    return s.finish(s.add("Reshape", result, shape))


def repeated(s):
    """Two heads of keys and values, each for half of the queries' heads."""
    shared = 2
    for name in "kv":
        s.inputs.pop(name)
        s.give(f"{name}0", s.dtype, [BATCH, shared, KEYS, s.size])
        times = HEADS // shared
        wide = s.constant([BATCH, shared, times, KEYS, s.size], np.int64)
        flat_shape = s.constant([BATCH, HEADS, KEYS, s.size], np.int64)
        each = s.add("Unsqueeze", f"{name}0", s.constant([2], np.int64))
        s.nodes.append(("Reshape", [s.add("Expand", each, wide), flat_shape],
                        [name], {}))
    return s.scaled()


SPELLINGS = [after, divided, before, transposed, added, chosen, capped,
             repeated]


def operator(inputs=(), shared=HEADS, **attributes):
    """The operator Attention; `shared` heads of keys and values."""
    def build(s):
        for name in "kv":
            s.give(name, s.dtype, [BATCH, shared, KEYS, s.size])
        for name, dtype, shape in inputs:
            s.give(name, dtype, shape)
        names = ["q", "k", "v", *(name for name, _, _ in inputs)]
        return s.finish(s.add("Attention", *names, **attributes))
    return build


def flat(s):
    s.inputs = {}
    s.give("q", s.dtype, [BATCH, s.queries, HEADS * s.size])
    for name in "kv":
        s.give(name, s.dtype, [BATCH, KEYS, 2 * s.size])
    return s.finish(s.add("Attention", "q", "k", "v", q_num_heads=HEADS,
                          kv_num_heads=2))


# Near misses: each product has a kernel of its own.

def along_queries(s):
    return s.finish(s.end(s.scaled(), axis=2))


def scores_leave(s):
    scores = s.scaled()
    return s.finish(s.end(scores), scores)


def weights_leave(s):
    weights = s.add("Softmax", s.scaled(), axis=-1)
    return s.finish(s.add("MatMul", weights, "v"), s.add("Neg", weights))


def dropped(s):
    weights = s.add("Softmax", s.scaled(), axis=-1)
    mask = s.give("mask", bool, [s.queries, KEYS])
    kept = s.add("Where", mask, s.add("Div", weights, s.constant(0.75)),
                 s.constant(0))
    return s.finish(s.add("MatMul", kept, "v"))


def other_way(s):
    s.give("v", s.dtype, [BATCH, HEADS, s.queries, s.size])
    weights = s.add("Softmax", s.scaled(), axis=-1)
    return s.finish(s.add("MatMul", s.add("Transpose", weights,
                                          perm=[0, 1, 3, 2]), "v"))


def centered(s):
    scores = s.scaled()
    mean = s.add("ReduceMean", scores, s.constant([-1], np.int64))
    return s.finish(s.end(s.add("Sub", scores, mean)))


def twice(s):
    return s.finish(s.end(s.add("Softmax", s.scaled(), axis=-1)))


def values_of_scores(s):
    s.give("v", s.dtype, [BATCH, HEADS, s.queries, s.size])
    s.give("k", s.dtype, [BATCH, HEADS, s.queries, s.size])
    scores = s.scaled()
    values = s.add("MatMul", s.add("Relu", scores), "v")
    return s.finish(s.end(scores, values=values))


def not_divided(s):
    scores = s.scaled()
    top = s.add("ReduceMax", scores, s.constant([-1], np.int64))
    powers = s.add("Exp", s.add("Sub", scores, top))
    return s.finish(s.add("MatMul", powers, "v"))


def plain(s):
    return s.finish(s.end(s.scaled()))


def scores_output(s):
    s.nodes.append(("Attention", ["q", "k", "v"], ["y", "", "", "scores"], {}))
    return s.finish("y", "scores")


def cases():
    """(name, spelling, kernels with an attention)."""
    f32 = np.float32
    for make in SPELLINGS:
        for guard in (False, True):
            for dtype in (np.float16, f32):
                # All of f16, some of f32.
                if dtype == f32 and (guard or make in (divided, capped)):
                    continue
                s = Spelling(dtype)
                yield (f"{make.__name__}{'-guard' * guard}-{s.dtype}",
                       s.finish(s.end(make(s), guard)), 1)
    for guard in (False, True):
        yield f"heads{'-guard' * guard}", heads(Spelling(), guard), 1
    pair = [("mask", bool, [QUERIES, KEYS])]
    bias = [("mask", np.float16, [BATCH, HEADS, QUERIES, KEYS])]
    for name, build in {
            "operator": operator(), "operator-causal": operator(is_causal=1),
            "operator-capped": operator(softcap=3.0),
            "operator-scaled": operator(scale=0.3),
            "operator-shared": operator(shared=2),
            "operator-shared-causal": operator(shared=1, is_causal=1),
            "operator-mask": operator(pair), "operator-bias": operator(bias),
            "operator-shared-mask": operator(pair, shared=2, is_causal=1),
            "operator-flat": flat}.items():
        yield name, build(Spelling()), 1
    for build in (along_queries, scores_leave, weights_leave, dropped,
                  other_way, centered, twice, values_of_scores, not_divided,
                  scores_output):
        yield f"miss-{build.__name__}", build(Spelling()), 0
    yield "miss-head", plain(Spelling(size=20)), 0
    yield "miss-queries", plain(Spelling(queries=8)), 0


def problem(binary, name, spelling, attentions, folder):
    from onnx import helper
    import onnx
    import oracle
    nodes = [helper.make_node(op, inputs, outputs, **attributes)
             for op, inputs, outputs, attributes in spelling.nodes]
    path, package = folder / f"{name}.onnx", folder / f"{name}.twp"
    onnx.save(oracle.model_of(nodes, spelling.inputs, spelling.outputs,
                              spelling.constants, 23), path)
    result = forked.run([binary, "compile", str(path), "--target", "sm_80",
                         "--explain-fusion", "-o", str(package)],
                        capture_output=True, text=True, check=False)
    if result.returncode:
        return result.stderr
    plan = result.stdout
    parts = plan.split("  root ")[1:]
    found = sum("block by block of the keys" in part for part in parts)
    if found != attentions or (found and len(parts) > 1):
        return f"{found} attentions in {len(parts)} kernels:\n{plan}"
    generator = np.random.default_rng(1)
    inputs = {}
    for key, (dtype, shape) in spelling.inputs.items():
        data = generator.standard_normal(shape)
        # Some rows see no key.
        inputs[key] = ((data > -0.3) & (np.arange(shape[0])[:, None] % 7 > 0)
                       if dtype == bool else data.astype(dtype))
    expected = tool.run(binary, path, inputs, ["--device", "interpreter"])
    for (entry, a), (_, b) in zip(
            tool.run(binary, package, inputs, ["--device", "emulator"]),
            expected):
        a, b = a.astype(np.float64), b.astype(np.float64)
        # Weights and results are rounded to the type.
        bound = (2e-3 if spelling.dtype == np.float16 else 1e-5) * \
            (1 + np.abs(b))
        good = (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= bound)
        if not good.all():
            return (f"{entry['name']}: {(~good).sum()} of {good.size} differ, "
                    f"{a[~good][0]}, expected {b[~good][0]}")
    return None


def main():
    binary, pypi, *names = sys.argv[1:]
    if missing := wheels.use(pypi):
        print(f"skipped: {missing}")
        sys.exit(77)
    chosen_cases = [case for case in cases()
                    if not names or case[0] in names]
    failures = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda case: problem(
            binary, *case, pathlib.Path(folder)), chosen_cases)
        for (name, _, _), text in zip(chosen_cases, results):
            if text:
                failures += 1
                print(f"{name}: {text}")
    print(f"{len(chosen_cases)} spellings: {failures} fail")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
