"""Changes ONNX models by their fields."""

import edges
import protobuf_tree as tree
from protobuf_tree import BYTES, Field, VARINT

# Ops that change what others may be: shapes, subgraphs, unusual types.
OPS = [b"Add", b"MatMul", b"Gemm", b"Conv", b"ConvTranspose", b"Reshape",
       b"Expand", b"Slice", b"Gather", b"GatherND", b"ScatterND", b"Concat",
       b"Split", b"Pad", b"Tile", b"Resize", b"TopK", b"ReduceSum", b"Softmax",
       b"If", b"Loop", b"Scan", b"Constant", b"ConstantOfShape", b"Range",
       b"Shape", b"Size", b"Cast", b"Transpose", b"Squeeze", b"Unsqueeze",
       b"LSTM", b"GRU", b"RNN", b"Einsum", b"MaxPool", b"AveragePool",
       b"QuantizeLinear", b"DequantizeLinear", b"QLinearMatMul", b"OneHot",
       b"SequenceAt", b"Optional", b"NonMaxSuppression", b"Unique", b"NoSuch",
       b"Identity", b"DFT", b"CumSum", b"Where", b"Clip", b"Mod", b"Pow"]


class Model:
    """A tree with what is needed to change it: its fields by kind, and the
    names of its values."""

    def __init__(self, fields):
        self.fields = fields
        self.index()

    def index(self):
        self.by_kind, self.names = {}, [b""]
        for where, index in tree.walk(self.fields):
            field = where[index]
            self.by_kind.setdefault(field.kind, []).append((where, index))
            if field.kind == "value" and isinstance(field.value, bytes):
                self.names.append(field.value)


def _texts(random, model, field):
    if field.kind == "value" and random.random() < 0.8:
        # Rewired: cycles, values of other scopes, names twice or not at all.
        return random.choice(model.names)
    if field.kind == "op" and random.random() < 0.8:
        return random.choice(OPS)
    if random.random() < 0.3 and isinstance(field.value, bytes):
        others = model.by_kind[field.kind]
        where, index = random.choice(others)
        value = where[index].value
        return value if isinstance(value, bytes) else b""
    if random.random() < 0.1 and isinstance(field.value, bytes):
        return edges.raw(random, field.value)
    return random.choice(edges.STRINGS).encode("utf-8", "surrogatepass")


def _numbers(random, values):
    values = list(values)
    change = random.randrange(6)
    if change == 0 or not values:
        values.insert(random.randrange(len(values) + 1), edges.integer(random))
    elif change == 1:
        del values[random.randrange(len(values))]
    elif change == 2:
        values = values * random.choice([2, 3, 65, 1000])
    elif change == 3:
        random.shuffle(values)
    else:
        values[random.randrange(len(values))] = edges.integer(random)
    return values


def _change_value(random, model, field):
    value = field.value
    if field.kind in ("number", "dtype") and isinstance(value, int):
        field.value = random.randrange(27) if field.kind == "dtype" and \
            random.random() < 0.8 else edges.integer(random)
    elif field.kind == "numbers":
        if isinstance(value, int):
            field.value = edges.integer(random)
        elif isinstance(value, list):
            field.value = _numbers(random, value)
    elif field.kind in ("text", "value", "op"):
        field.value = _texts(random, model, field)
    elif isinstance(value, bytes):
        field.value = edges.raw(random, value)
        if field.wire != BYTES:
            field.value = field.value.ljust(8, b"\xff")[:len(value)]


def _change_message(random, model, where, index):
    """Messages come, go, move, and stand in for each other."""
    field = where[index]
    change = random.randrange(6)
    if change == 0:
        del where[index]
    elif change == 1:
        where.insert(random.randrange(len(where) + 1), field.copy())
    elif change == 2:
        other = random.randrange(len(where))
        where[index], where[other] = where[other], where[index]
    elif change == 3 and field.kind == "Graph":
        # Subgraphs in each other, to the limit and beyond.
        for _ in range(random.choice([1, 63, 64, 65, 300])):
            outer = field.copy()
            for inner, at in tree.walk(outer.value):
                if inner[at].kind == "Graph":
                    inner[at] = field
                    break
            else:
                break
            field = outer
        where[index] = field
    else:
        source, at = random.choice(model.by_kind[field.kind])
        copied = source[at].copy()
        copied.number = field.number
        where[index] = copied


def _add(random, model, where, index):
    """A field that was absent: an empty message or an edge."""
    field = where[index]
    if field.kind not in tree.MESSAGES or not isinstance(field.value, list):
        return
    number, (_, kind) = random.choice(
        sorted(tree.MESSAGES[field.kind].items()))
    if kind in tree.MESSAGES:
        others = model.by_kind.get(kind)
        value = []
        if others and random.random() < 0.8:
            source, at = random.choice(others)
            value = source[at].copy().value
        made = Field(number, BYTES, kind, value)
    elif kind in ("number", "numbers", "dtype"):
        made = Field(number, VARINT, kind, edges.integer(random))
    else:
        made = Field(number, BYTES, kind,
                     random.choice(model.names) if kind == "value" else
                     random.choice(edges.STRINGS).encode())
    field.value.insert(random.randrange(len(field.value) + 1), made)


def change(random, model):
    # By kind first: dimensions and types are few among names.
    kind = random.choice(sorted(model.by_kind))
    where, index = random.choice(model.by_kind[kind])
    field = where[index]
    action = random.random()
    if action < 0.02:
        field.wire = random.choice([0, 1, 2, 3, 4, 5, 6, 7])
        if field.wire == VARINT and not isinstance(field.value, int):
            field.value = edges.integer(random)
    elif action < 0.04:
        field.number = random.choice([0, 1, 2, 19000, (1 << 29) - 1])
    elif action < 0.05:
        field.extra = random.choice([-1, 1, 127, 1 << 31, 1 << 63])
    elif action < 0.15:
        _add(random, model, where, index)
    elif kind in tree.MESSAGES or action < 0.25:
        _change_message(random, model, where, index)
    else:
        _change_value(random, model, field)
    model.index()


def mutate(random, data, message="Model"):
    """The bytes of a changed file."""
    model = Model(tree.parse(data, message))
    for _ in range(edges.steps(random)):
        if model.by_kind:
            change(random, model)
    data = tree.write(model.fields)
    return edges.damage(random, data) if random.random() < 0.03 else data
