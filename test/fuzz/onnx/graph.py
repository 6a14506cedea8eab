"""A graph that grows node by node. Each tensor has its value at each
assignment of sizes to symbols, computed by ONNX Runtime one node at a time, and
the error that a right implementation may have there.
"""

import dataclasses

import numpy as np
import onnx
from onnx import helper

import oracle
import ort_faults
import sizes
import values
from sizes import Reject, is_static

MAX_ELEMENTS = 6000
# Error of one operator, as (relative, and absolute in units of the greatest
# magnitude): of moves and exact ops none.
ERRORS = {"exact": (0, 0), "elementwise": (1e-4, 1e-6), "sum": (1e-4, 1e-5),
          # A difference of numbers near 1, times the input: some units in the
          # last place.
          "difference": (1e-4, 3e-7)}
DTYPE_FACTOR = {values.F64: 1e-2, values.F32: 1, values.F16: 30}


@dataclasses.dataclass
class Tensor:
    name: str
    values: list  # An array for each assignment.
    errors: list  # Likewise an array, or 0.
    kind: str     # "input", "initializer", "Constant" or "node"
    symbols: list = None  # Declared dimensions, of an input.

    @property
    def dtype(self):
        return self.values[0].dtype

    @property
    def rank(self):
        return self.values[0].ndim

    @property
    def dims(self):
        return list(zip(*(value.shape for value in self.values)))

    @property
    def constant(self):
        return self.kind in ("initializer", "Constant")

    @property
    def exact(self):
        return all(np.all(error == 0) for error in self.errors)

    def low(self):
        return min((float(v.min()) for v in self.values if v.size), default=1)

    def high(self):
        return max((float(v.max()) for v in self.values if v.size), default=1)


@dataclasses.dataclass
class Node:
    op: str
    inputs: list   # Names; "" where absent.
    outputs: list
    attributes: dict
    captures: list = dataclasses.field(default_factory=list)

    def proto(self):
        name = next(name for name in self.outputs if name)
        made = helper.make_node(self.op, self.inputs, self.outputs,
                                name=f"{self.op}_{name}")
        for key, value in self.attributes.items():
            kind = onnx.AttributeProto.INTS if value == [] else None
            made.attribute.append(helper.make_attribute(
                key, value, attr_type=kind))
        return made


class Graph(sizes.Sizes):
    def __init__(self, random, opset, symbols, assignments):
        self.random, self.opset = random, opset
        self.count = assignments
        self.symbols = dict(symbols)  # name -> size
        self.tensors, self.nodes = {}, []
        self.names = 0
        self.constant_share = random.choice([0.1, 0.3, 0.3, 0.6])
        self.special = random.random() < 0.08
        self.in_functions = [random.randrange(99) for _ in range(
            random.choice([0] * 9 + [1, 3]))]
        self.by_run = False  # Whether values of inputs may decide shapes.
        self.own_symbols = False  # Each dimension of an input has its own.
        self.single = random.random() < 0.25  # Whether sizes of 1 are common.
        self.large = []  # Sizes that several programs share.
        self.extreme = False  # Whether attributes are near the ends of 64 bits.
        self.empty_share = 0.01  # Of static sizes.

    # Sizes.

    def chance(self, probability):
        return self.random.random() < probability

    def static(self, number):
        return (number,) * self.count

    def size(self, low=1, high=8, symbolic=True):
        if symbolic and self.symbols and self.chance(0.45):
            return self.symbols[self.random.choice(sorted(self.symbols))]
        if self.large and high >= 5 and self.chance(0.6):
            return self.static(self.random.choice(self.large))
        if self.chance(0.3 if self.single else 0.1) and low <= 1:
            return self.static(1)
        if self.chance(self.empty_share) and low <= 1:
            return self.static(0)
        if self.chance(0.08):
            high *= 4
        if self.chance(0.01):
            high *= 20
        return self.static(self.random.randint(low, max(low, high)))

    def end(self):
        """A number near an end of 64 bits, or of 32."""
        bits = self.random.choice([31, 63, 63])
        return self.random.choice(
            [2**bits - 1, 2**bits - 2, -2**bits, 1 - 2**bits, 2 - 2**bits])

    def shape(self, rank=None, low=1, high=8, symbolic=True):
        if rank is None:
            rank = self.random.choices(range(6), [6, 15, 30, 25, 20, 4])[0]
        if rank > 3:
            high = min(high, 5)
        most, dims = 60000, []
        for _ in range(rank):
            size = self.size(low, high, symbolic)
            if max(size) > most:
                size = self.static(max(low, 1))
            most //= max(1, *size)
            dims.append(size)
        return dims

    def symbol(self, size):
        """The declared dimension of an input of this size."""
        if is_static(size):
            return size[0]
        if self.own_symbols and self.chance(0.2):
            return None
        same = [name for name, other in self.symbols.items() if other == size]
        if same and not self.chance(1 if self.own_symbols else 0.05):
            return self.random.choice(same)
        name = f"S{len(self.symbols)}"
        self.symbols[name] = size
        return name

    # Tensors.

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names - 1}"

    def add(self, prefix, arrays, errors, kind, symbols=None):
        name = self.name(prefix)
        tensor = Tensor(name, arrays, errors, kind, symbols)
        self.tensors[name] = tensor
        return tensor

    def const(self, array):
        array = np.asarray(array)
        kind = "Constant" if self.chance(0.3) else "initializer"
        return self.add("c", [array] * self.count, [0] * self.count, kind)

    def ints(self, numbers, dtype=np.int64):
        if self.by_run and self.chance(0.2):
            array = np.array(numbers, dtype)
            return self.add("x", [array] * self.count, [0] * self.count,
                            "input", list(array.shape))
        return self.const(np.array(numbers, dtype))

    def leaf(self, dtype, dims, domain=None, constant=None, distinct=True):
        """A new input, or a constant."""
        if constant is None:
            constant = self.chance(self.constant_share)
        fixed = all(is_static(size) for size in dims)
        shapes = list(zip(*dims)) if dims else [()] * self.count
        if any(np.prod(shape, dtype=float) > MAX_ELEMENTS for shape in shapes):
            raise Reject("too large")

        def one(shape):
            array = values.make(self.random, dtype, shape, domain)
            special = self.special and domain is None and dtype.kind == "f"
            return values.sprinkle(self.random, array) if special else array
        if constant and fixed:
            return self.const(one(shapes[0]))
        return self.add("x", [one(shape) for shape in shapes],
                        [0] * self.count, "input",
                        [self.symbol(size) for size in dims])

    def live(self, accept):
        """An existing tensor, latest first, or None."""
        found = [t for t in self.tensors.values() if accept(t)]
        if not found:
            return None
        weights = [1 + 2 * (t.kind == "node") + i / len(found)
                   for i, t in enumerate(found)]
        return self.random.choices(found, weights)[0]

    def pick(self, dtypes, rank=None, domain=None, fresh=0.25, accept=None,
             dims=None, **shape_options):
        """A tensor with one of the types, of one of the ranks, all values
        within `domain`: an existing or a new one."""
        ranks = [rank] if isinstance(rank, int) else rank
        dtypes = [dtypes] if isinstance(dtypes, np.dtype) else list(dtypes)

        def fits(t):
            return (t.dtype in dtypes and (ranks is None or t.rank in ranks)
                    and (dims is None or t.dims == list(dims))
                    and (domain is None or self.within(t, domain))
                    and (accept is None or accept(t)))
        if not self.chance(fresh):
            found = self.live(fits)
            if found:
                return found
        if dims is None:
            dims = self.shape(self.random.choice(list(ranks)) if ranks
                              else None, **shape_options)
        made = self.leaf(values.choose_dtype(self.random, dtypes), dims, domain)
        if accept is not None and not accept(made):
            raise Reject("no such tensor")
        return made

    @staticmethod
    def within(t, domain):
        low, high = domain
        return all(not v.size or (np.all(np.isfinite(v)) and
                                  v.min() >= low and v.max() <= high)
                   for v in t.values)

    def like(self, t, domain=None, fresh=0.4, dims=None):
        """A tensor of the same type and shape."""
        return self.pick([t.dtype], dims=t.dims if dims is None else dims,
                         domain=domain, fresh=fresh,
                         accept=None)

    def broadcastable(self, t, domain=None, fresh=0.5, onto=False):
        """A tensor that broadcasts with `t`; to its shape if `onto`."""
        def fits(other):
            if other.dtype != t.dtype:
                return False
            try:
                for a, b in zip(t.values, other.values):
                    shape = np.broadcast_shapes(a.shape, b.shape)
                    if onto and shape != a.shape:
                        return False
                return domain is None or self.within(other, domain)
            except ValueError:
                return False
        if not self.chance(fresh):
            found = self.live(fits)
            if found:
                return found
        dims = list(t.dims)
        if self.chance(0.4):
            dims = dims[self.random.randint(0, len(dims)):]
        for i, size in enumerate(dims):
            if self.chance(0.2):
                dims[i] = self.static(1)
            elif not is_static(size) and self.chance(0.12):
                # A symbol that is 1 at some assignments.
                dims[i] = tuple(n if self.chance(0.5) else 1 for n in size)
            elif set(size) == {1} and not onto and self.chance(0.3):
                dims[i] = self.size()
        if not onto and self.chance(0.05) and len(dims) < 4:
            dims = [self.size()] + dims
        return self.leaf(t.dtype, dims, domain)

    # Nodes.

    def node(self, op, inputs, outputs=1, kind="exact", attributes=None,
             captures=(), **more):
        """Adds a node and computes it; returns its outputs, None for those
        left out (`outputs` may be a list of flags)."""
        given = [t.name if t is not None else "" for t in inputs]
        while given and not given[-1]:
            given.pop()
        flags = [True] * outputs if isinstance(outputs, int) else outputs
        names = [self.name("t") if flag else "" for flag in flags]
        attributes = {key: value for key, value in
                      {**(attributes or {}), **more}.items()
                      if value is not None}
        node = Node(op, given, names, attributes,
                    [t.name for t in captures])
        arrays, errors = self.compute(node, kind)
        self.nodes.append(node)
        found = []
        for name, column, error in zip([n for n in names if n],
                                       zip(*arrays), zip(*errors)):
            self.tensors[name] = Tensor(name, list(column), list(error),
                                        "node")
            found.append(self.tensors[name])
        result = iter(found)
        return [next(result) if flag else None for flag in flags]

    def compute(self, node, kind):
        read = [self.tensors[name] for name in
                dict.fromkeys(node.inputs + node.captures) if name]
        fault = ort_faults.fault(node, read, kind)
        if fault:
            raise Reject(fault)
        feeds = {t.name: (t.dtype, [size[0] if is_static(size) else None
                                    for size in t.dims]) for t in read
                 if not t.constant}
        model = oracle.model_of(
            [node.proto()], feeds,
            {name: (None, None) for name in node.outputs if name},
            {t.name: t.values[0] for t in read if t.constant}, self.opset)
        opened = oracle.session(model)
        arrays, errors = [], []
        for k in range(self.count):
            found = oracle.run(opened, {name: self.tensors[name].values[k]
                                        for name in feeds})
            found = [np.asarray(array) if isinstance(array, np.generic)
                     else array for array in found]
            self.check(found, arrays)
            arrays.append(found)
            errors.append(self.error(opened, [self.tensors[name]
                                              for name in feeds],
                                     read, k, found, kind))
        return arrays, errors

    def check(self, found, before):
        for i, array in enumerate(found):
            if not isinstance(array, np.ndarray):
                raise Reject("not a tensor")
            if array.size > MAX_ELEMENTS:
                raise Reject("too large")
            if before and array.ndim != before[0][i].ndim:
                raise Reject("the rank depends on sizes")
            if array.size and array.dtype.kind == "f" and not self.special \
                    and not np.all(np.isfinite(array)) and self.chance(0.97):
                raise Reject("not finite")

    def error(self, opened, feeds, read, k, found, kind):
        """The error of each output: what the errors of the inputs make of it,
        and its own."""
        moved = [np.zeros(array.shape) for array in found]
        if any(np.any(t.errors[k] != 0) for t in feeds):
            for direction in range(2):
                other = oracle.run(opened, {
                    t.name: self.perturbed(t, k, direction) for t in feeds})
                for total, a, b in zip(moved, found, other):
                    self.add_difference(total, a, b)
        scale = max([1e-30] + [greatest(t.values[k]) for t in read])
        return [self.own(array, scale, kind) + 2 * total
                for array, total in zip(found, moved)]

    def perturbed(self, t, k, direction):
        value, error = t.values[k], np.asarray(t.errors[k])
        if value.dtype.kind != "f" or not np.any(error != 0):
            return value
        error = np.where(np.isfinite(error), error, 0)
        signs = np.array([self.random.choice([-1, 1])
                          for _ in range(value.size)]).reshape(value.shape)
        if direction:
            moved = value + error * signs
        else:  # What may be 0 is.
            moved = np.where(np.abs(value) <= error, 0, value + error)
        return np.asarray(moved).astype(value.dtype)

    @staticmethod
    def add_difference(total, a, b):
        if a.shape != b.shape:
            raise Reject("the shape depends on noise")
        if a.dtype.kind != "f":
            if not np.array_equal(a, b):
                raise Reject("an integer depends on noise")
            return
        with np.errstate(all="ignore"):
            difference = np.abs(a.astype(float) - b.astype(float))
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        difference = np.where(same, 0, difference)
        difference[np.isnan(difference)] = np.inf
        limit = 0.05 * max(greatest(a), 1e-6)
        if np.any(difference > limit):
            raise Reject("a value depends on noise")
        np.maximum(total, difference, out=total)

    @staticmethod
    def own(array, scale, kind):
        relative, absolute = ERRORS[kind]
        if array.dtype.kind != "f" or not relative:
            return np.zeros(array.shape)
        factor = DTYPE_FACTOR[array.dtype]
        high = greatest(array)
        if kind == "elementwise":
            scale = max(min(high, 1), 0.03)
        finite = np.where(np.isfinite(array), array, 0).astype(float)
        return factor * (relative * np.abs(finite)
                         + absolute * max(scale, high))

    def mark(self):
        return len(self.nodes), dict(self.tensors), dict(self.symbols)

    def back(self, mark):
        """Forgets what was added since `mark`."""
        count, self.tensors, self.symbols = mark
        del self.nodes[count:]


def greatest(array):
    if array.dtype.kind != "f" or not array.size:
        return 0.0
    finite = np.abs(array[np.isfinite(array)])
    return float(finite.max()) if finite.size else 0.0


def attribute_tensor(array, name="value"):
    return onnx.numpy_helper.from_array(np.asarray(array), name)
