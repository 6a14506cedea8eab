"""Attention with rows that are masked everywhere, and masks of other widths."""

import numpy as np

from cases import Entry

NAMES = {"float": np.float32, "float16": np.float16, "double": np.float64}
HIDDEN = [[1, 1, 0, 1], [0, 0, 0, 0], [0, 0, 1, 0]]
LATE = [[0, 1, 1, 1], [0, 0, 1, 1], [1, 0, 0, 0]]


def added(mask):
    """A mask of booleans as one that is added."""
    return [[0 if seen else -np.inf for seen in row] for row in mask]


def softmax(scores, seen):
    """The weights of the seen keys, 0 where none is."""
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        weights = powers / powers.sum(-1, keepdims=True)
    return np.where(seen.any(-1, keepdims=True), weights, 0)


def attention(feed, causal=False, past=0):
    """[y, weights] of 4-dimensional operands, in f64."""
    q, k, v = (feed[name].astype(float) for name in "qkv")
    group = q.shape[1] // k.shape[1]
    k, v = (np.repeat(t, group, 1) for t in (k, v))
    with np.errstate(all="ignore"):
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    seen = np.ones(scores.shape, bool)
    rows, keys = scores.shape[-2:]
    if "m" in feed:
        mask = feed["m"]
        width = [(0, 0)] * (mask.ndim - 1) + [(0, keys - mask.shape[-1])]
        if mask.dtype == bool:
            seen &= np.pad(mask, width)
        else:
            mask = np.pad(mask.astype(float), width, constant_values=-np.inf)
            scores, seen = scores + mask, seen & (mask > -np.inf)
    if causal:
        seen &= np.arange(keys) <= np.arange(rows)[:, None] + past
    if "n" in feed:
        seen &= np.arange(keys) < feed["n"][:, None, None, None]
    weights = softmax(np.where(seen, scores, -np.inf), seen)
    dtype = feed["q"].dtype
    return [(weights @ v).astype(dtype), weights.astype(dtype)]


def entry(name, mask="", attributes="", kind="float", heads=(2, 2), sizes=None,
          data=None, opset=24, shape="2, {h}, 3, 2", keys="2, {h}, 4, 2",
          domain=(-2, 2), **more):
    """Attention of two queries a head; `mask` declares `m` or `n`."""
    query, key = (text.format(h=h) for text, h in zip((shape, keys), heads))
    extra = "".join(f", {part}" for part in mask.split("; ") if part)
    read = ", m" if " m" in mask else ", , , , n" if " n" in mask else ""
    if " m" in mask and " n" in mask:
        read = ", m, , , n"
    rule = {"expected": lambda feed: attention(feed, "causal" in attributes)}
    rule.update(more)
    if rule.get("rejected"):
        rule.pop("expected")
    flags = ", ".join(filter(None, [attributes, "qk_matmul_output_mode = 3"]))
    return Entry(
        f"Attention-{name}", 3, f"({kind}[{query}] q, {kind}[{key}] k, "
        f"{kind}[{key}] v{extra}) => ({kind}[A, B, C, D] y, "
        f"{kind}[A, B, C, E] s) {{ y, , , s = Attention<{flags}>"
        f"(q, k, v{read}) }}", sizes=sizes, data=data or {}, opset=opset,
        domain=domain, **rule)


BOOLEAN, CAUSAL = "bool[3, 4] m", "is_causal = 1"
MASKED = [
    entry(f"masked-{kind}-{form}", f"{'bool' if form == 'bool' else kind}"
          "[3, 4] m", kind=kind,
          data={"m": HIDDEN if form == "bool" else added(HIDDEN)})
    for kind in NAMES for form in ("bool", "infinity")
] + [
    entry("masked-causal", BOOLEAN, CAUSAL, data={"m": LATE}),
    entry("masked-causal-infinity", "float[3, 4] m", CAUSAL,
          data={"m": added(LATE)}),
    entry("masked-grouped", BOOLEAN, heads=(4, 2), data={"m": HIDDEN}),
    entry("masked-each-head", "bool[2, 4, 3, 4] m", heads=(4, 2),
          data={"m": [[HIDDEN, LATE, HIDDEN, LATE]] * 2}),
    entry("masked-each-row-of-the-batch", "bool[2, 1, 3, 4] m",
          data={"m": [[HIDDEN], [[[0] * 4] * 3]]}),
    entry("masked-by-a-row", "bool[4] m", data={"m": [0] * 4}),
    entry("masked-lengths", "int64[2] n", data={"n": [0, 3]}),
    entry("masked-lengths-causal", "int64[2] n", CAUSAL,
          data={"n": [0, 2]}),
    entry("masked-lengths-and-mask", "bool[3, 4] m; int64[2] n",
          data={"m": LATE, "n": [1, 4]}),
    entry("masked-symbols", "bool[S, T] m", shape="B, {h}, S, 2",
          keys="B, {h}, T, 2", sizes=[{"B": 1, "S": 3, "T": 4}],
          data={"m": HIDDEN}),
    entry("masked-lengths-symbols", "int64[B] n", shape="B, {h}, S, 2",
          keys="B, {h}, T, 2", sizes=[{"B": 2, "S": 3, "T": 5},
                                     {"B": 2, "S": 1, "T": 1}],
          data={"n": [0, 1]}),
    # Long rows are taken in parts.
    entry("masked-long", "bool[2, 3000] m", shape="1, {h}, 2, 2",
          keys="1, {h}, 3000, 2", data={"m": [[0] * 3000,
                                             [0] * 2999 + [1]]}),
    # Scores that are -infinity by the operands are no mask.
    entry("infinite-scores", BOOLEAN, data={
        "m": HIDDEN, "q": [[[[1, np.inf]] * 3] * 2] * 2,
        "k": [[[[1, -1]] * 4] * 2] * 2}),
    Entry("Softmax-all-infinite", 3, "(float[2, 3] x) => (float[2, 3] y) "
          "{ y = Softmax(x) }", data={"x": [[-np.inf] * 3, [0, 1, 2]]}),
    Entry("Attention-masked-bfloat16", 3, "(float[1, 1, 2, 2] q, "
          "float[1, 1, 3, 2] k, float[1, 1, 3, 2] v, bool[2, 3] m) => "
          "(float[1, 1, 2, 2] y) { a = Cast<to = 16>(q) b = Cast<to = 16>(k) "
          "c = Cast<to = 16>(v) d = Attention(a, b, c, m) "
          "y = Cast<to = 1>(d) }", opset=23,
          data={"m": [[0, 0, 0], [0, 1, 0]]},
          expected=lambda feed: attention(feed)[:1]),
    Entry("Attention-masked-flat", 3, "(float[1, 2, 4] q, float[1, 3, 4] k, "
          "float[1, 3, 4] v, bool[2, 3] m) => (float[1, 2, 4] y) "
          "{ y = Attention<q_num_heads = 2, kv_num_heads = 2>(q, k, v, m) }",
          opset=23, data={"m": [[0, 0, 0], [0, 1, 1]]}),
    Entry("Attention-masked-past", 3, "(float[1, 1, 2, 2] q, "
          "float[1, 1, 2, 2] k, float[1, 1, 2, 2] v, bool[2, 3] m, "
          "float[1, 1, 1, 2] p, float[1, 1, 1, 2] r) => "
          "(float[1, 1, 2, 2] y, float[A, B, C, D] e, float[E, F, G, H] f) "
          "{ y, e, f = Attention<is_causal = 1>(q, k, v, m, p, r) }",
          opset=23, data={"m": [[0, 0, 1], [0, 1, 1]]}),
    Entry("Attention-scores-before-the-cap", 3, "(float[1, 1, 2, 2] q, "
          "float[1, 1, 3, 2] k, float[1, 1, 3, 2] v) => "
          "(float[1, 1, 2, 2] y, float[1, 1, 2, 3] s) { y, , , s = "
          "Attention<softcap = 0.5>(q, k, v) }", opset=23),
]

WIDTHS = dict(shape="2, {h}, S, 2", keys="2, {h}, T, 2")
WIDTH = [
    entry("mask-of-one-column", "bool[3, 1] m", domain=(1, 3),
          data={"m": [[1], [0], [1]]}),
    entry("mask-of-one-column-added", "float[3, 1] m"),
    entry("mask-narrow", "float[3, 2] m"),
    entry("mask-narrow-symbols", "float[S, W] m", **WIDTHS,
          sizes=[{"S": 3, "T": 4, "W": w} for w in (1, 2, 4)]),
    entry("mask-of-one-column-of-symbols", "float[S, 1] m", **WIDTHS,
          sizes=[{"S": 3, "T": 4}, {"S": 3, "T": 1}]),
    entry("mask-wide", "bool[3, 5] m", rejected=True),
    entry("mask-wide-symbols", "bool[S, W] m", **WIDTHS, rejected=True,
          sizes=[{"S": 3, "T": 4, "W": 5}, {"S": 3, "T": 1, "W": 2}]),
]

CASES = MASKED + WIDTH
