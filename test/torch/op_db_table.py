"""Writes docs/pytorch-operators.md: what PyTorch's own samples say of each
operator, from the results of op_db.py, and which functions of graph/build make
each operator, from the sources of the frontends.

  op_db_table.py RESULTS PAGE"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# What all operators use.
PLAIN = {
    "accumulatorOf", "axesFrom", "axesOf", "axisOf", "boolean", "boundedIndex",
    "broadcastDims", "broadcastTo", "checkAtMost", "constantAttr", "constantOf",
    "constantsOf", "convert", "countInBody", "countOf", "denseValue",
    "dtypeName", "elementwise", "elementwiseOver", "emptyValue", "expectRank",
    "exprsOf", "extractElement", "f32", "filled", "floatAt", "gather", "generic",
    "i64", "index", "intAt", "integerTensor", "isConst", "join", "rearrange",
    "scalarConstant", "withDims", "wrap", "zero", "zeroOf", "isScalarOperand",
}


def builders():
    """The functions that graph/build's headers declare."""
    names = set()
    for path in (ROOT / "graph/build").glob("*.h"):
        text = path.read_text(encoding="utf-8")
        names |= set(re.findall(
            r"^(?:FailureOr<[\w<>]+>|Tensor|Value) (\w+)\(", text, re.M))
    return names - PLAIN


def words(text):
    """Names that are not members."""
    return re.findall(r"(?<![.\w])[A-Za-z_]\w*", text)


class Source:
    """A file's functions by their names, and the operators that it registers."""

    def __init__(self, path):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        self.bodies = {}
        starts = list(re.finditer(
            r"^(?:template <[^>]*>\s*)?[\w:<>]+[ *&]+(\w+)\([^;{]*\)\s*\{",
            text, re.M))
        for i, match in enumerate(starts):
            end = starts[i + 1].start() if i + 1 < len(starts) else len(text)
            self.bodies[match[1]] = text[match.end():end]
        self.text = text

    def uses(self, expression, names):
        """Which of the names a handler uses, through functions of its file."""
        found, seen, open_words = set(), set(), words(expression)
        while open_words:
            word = open_words.pop()
            if word in seen:
                continue
            seen.add(word)
            if word in names:
                found.add(word)
            elif word in self.bodies:
                open_words += words(self.bodies[word])
        return found


def balanced(text, start):
    """The text of an argument list that begins at an open parenthesis."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in "({") - (text[i] in ")}")
        if depth == 0:
            return text[start + 1:i]
    return ""


def registered(folder, pattern):
    """Each operator and the functions of graph/build that make it."""
    names, result = builders(), {}
    for path in sorted((ROOT / folder).glob("Ops*.cpp")):
        source = Source(path)
        calls = [balanced(source.text, m.end() - 1) for m in re.finditer(
            r"\b(?:t|table)\.add\(", source.text)]
        calls += re.findall(r'\{("aten\.[^}]*)\}', source.text)
        for call in calls:
            operators = re.findall(pattern, call)
            handler = re.sub(r'"[^"]*"', "", call)
            for operator in operators if words(handler) else []:
                result[operator] = source.uses(handler, names)
    return result


def operator_rows():
    torch = registered("frontends/torch", r'"(aten\.[\w.]+)"')
    onnx = registered("frontends/onnx", r'^\s*"(\w+)"')
    sharing = collections.defaultdict(set)
    for operator, used in onnx.items():
        for name in used:
            sharing[name].add(operator)
    packets = collections.defaultdict(set)
    for operator, used in torch.items():
        packets[operator.split(".")[1]] |= used
    for packet, used in sorted(packets.items()):
        if not used:
            continue
        # What many share says little of one.
        shared = set().union(*(sharing[n] for n in used if len(sharing[n]) < 12))
        yield (f"| `{packet}` | " + ", ".join(f"`{n}`" for n in sorted(used)) +
               " | " + ", ".join(sorted(shared)) + " |")


def reasons(result):
    """What is not supported in an entry, each once."""
    details = {s["detail"].split(" (at ")[0] for s in result["samples"]
               if s["verdict"] == "unsupported"}
    parts = sorted({part for detail in details for part in detail.split("; ")})
    text = "; ".join(parts)
    text = text if len(text) < 120 else text[:117] + "..."
    return text.replace("|", "\\|").replace("\n", " ")


def page(results):
    from op_db import DOORS, VERDICTS, is_whole, verdict_of
    count = len(results)
    whole = sum(map(is_whole, results.values()))
    have_more = any(len({s["type"] for s in r["samples"]}) > 1
                    for r in results.values())
    samples = ("the first three samples of f32, and one of each further type "
               "that Tilewright has," if have_more else
               "the first three samples of f32 (not yet of other types)")
    yield f"""# Operators of PyTorch

PyTorch tests its operators with samples of its own, the entries of `torch.testing`'s `op_db`.
`test/torch/op_db.py` runs {samples}
by [both doors](pytorch.md): compiled by `torch.compile` as one graph, with nothing left to PyTorch;
and exported to a `.pt2` archive, which is compiled. It compares the results with PyTorch's; its
first lines say how. This page is made from the results of {count} entries (`scripts/test-torch`).

**{whole} of {count} entries are right by both doors**, with all of these samples.

| Verdict | `torch.compile` | `.pt2` |
|---|--:|--:|"""
    counts = collections.Counter((d, verdict_of(r, d)) for r in results.values()
                                 for d in DOORS)
    for verdict in VERDICTS:
        numbers = [counts[door, verdict] for door in DOORS]
        if any(numbers):
            yield f"| {verdict} | {numbers[0]} | {numbers[1]} |"
    yield """
- *unsupported*: an error names the operator. Most of these are complex, sparse or random, factorizations of
  matrices, or have shapes that depend on elements.
- *not exported*: PyTorch itself cannot make one graph of it.
- *incomparable*: random numbers, or uninitialized memory.

## Entries

Those that are right by both doors: """
    yield ", ".join(f"`{name}`" for name, r in sorted(results.items())
                    if is_whole(r)) + "."
    yield """
All others:

| Entry | `torch.compile` | `.pt2` | What is not supported |
|---|---|---|---|"""
    for name, result in sorted(results.items()):
        if not is_whole(result):
            verdicts = [verdict_of(result, door) for door in DOORS]
            yield f"| `{name}` | {verdicts[0]} | {verdicts[1]} | {reasons(result)} |"
    yield """
## Where operators are made

The functions of `graph/build` that an operator of ATen becomes, and the operators of ONNX that are made by the
same ones. Where there is none, it is arithmetic of its own, element by element, or a view.

| Operator | Functions | ONNX |
|---|---|---|"""
    yield from operator_rows()


def write_table(results, path):
    text = "\n".join(page(results)).replace("both doors: \n", "both doors:\n\n")
    pathlib.Path(path).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    from op_db import read_results
    write_table(read_results(pathlib.Path(sys.argv[1])), sys.argv[2])
