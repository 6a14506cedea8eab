"""The cases of test/verify/pairs: a program, a right and a wrong rewrite of it.

A file CLASS/NAME.mlir begins with a comment that says what the rewrite is and
when the wrong one is wrong, and ends with lines `key: value`:

  relation: exact              the relation that is claimed, as of `verify`
  witness: x = [1e8, inf]      elements of argument x for which the wrong one is
                               wrong: an expression of NumPy
  friendly: x = ..             usual elements of x, if not every number is usual
  schedule: warps=4            of the kernel, where right and wrong are what
                               becomes of it at the scheduled level of sm_80
  seen: ..                     where there was such a fault

Elements are repeated to fill a static shape; a dynamic shape is that of the
expression. Then come the programs, separated by `// -----`: before, right,
wrong. Arguments match by name, then by position."""

import dataclasses
import pathlib
import re

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent / "pairs"
NAMES = ("before", "right", "wrong")
KEYS = ("relation", "witness", "friendly", "schedule", "seen")
# Usual sizes of what is dynamic, one for each seed.
SIZES = (16, 32, 64)

DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64,
          "i1": np.bool_, "i4": np.int8, "i8": np.int8, "i16": np.int16,
          "i32": np.int32, "i64": np.int64, "index": np.int64,
          "bf16": np.uint16, "f8E4M3FN": np.uint8, "f8E5M2": np.uint8}
# Bits of exponent and fraction of floats that NumPy does not have.
SMALL_FLOATS = {"bf16": (8, 7), "f8E4M3FN": (4, 3), "f8E5M2": (5, 2)}


@dataclasses.dataclass
class Argument:
    """An argument or a result. Sizes that are dynamic are None, or a name."""
    name: str
    shape: tuple
    element: str


@dataclasses.dataclass
class Case:
    name: str
    programs: dict
    values: dict
    relation: str = "exact"
    schedule: str = ""
    seen: str = ""

    @property
    def folder(self):
        return self.name.split("/", maxsplit=1)[0]

    def inputs(self, which="before"):
        return inputs_of(self.programs[which])

    def element(self, output):
        """The type of the elements of a result, by its name."""
        return next(result.element for result in results_of(
            self.programs["before"]) if result.name == output)


def read(path):
    header, _, rest = path.read_text().partition("\n\n")
    texts = [part.strip() + "\n" for part in rest.split("// -----\n")]
    if [text.split("\n", 1)[0] for text in texts] != [f"// {n}" for n in NAMES]:
        raise ValueError(f"{path}: expected the programs {', '.join(NAMES)}")
    case = Case(str(path.relative_to(FOLDER).with_suffix("")),
                dict(zip(NAMES, texts)), {"witness": {}, "friendly": {}})
    for line in header.split("\n"):
        key, colon, value = line.removeprefix("// ").partition(": ")
        if not colon or key not in KEYS:
            continue
        if key in case.values:
            name, _, expression = value.partition(" = ")
            case.values[key][name] = expression
        else:
            setattr(case, key, value)
    return case


def read_all(names=()):
    return [read(path) for path in sorted(FOLDER.glob("*/*.mlir"))
            if not names or any(name in str(path) for name in names)]


def is_kernel(text):
    return "tile.kernel" in text


def is_scheduled(text):
    return "#tilegpu" in text


def _signature(text):
    """What stands between the parentheses of the program's arguments."""
    start = re.search(r"(?:tile\.kernel|func\.func) @\w+\(", text).end()
    depth, end = 1, start
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[start:end - 1], text[end:]


def _argument(name, type_, attributes):
    box = re.search(r"(?:tensor|view)<((?:[\d?]+x)*)(\w+)", type_)
    sizes = box[1].split("x")[:-1] if box else []
    dims = re.search(r"(?:tile|graph)\.dims = \[(.*?)\]", attributes)
    labels = re.findall(r'"(.*?)"', dims[1]) if dims else [""] * len(sizes)
    shape = tuple((label or None) if size == "?" else int(size)
                  for size, label in zip(sizes, labels))
    given = re.search(r'(?:tile|graph)\.name = "(.*?)"', attributes)
    return Argument(given[1] if given else name, shape,
                    box[2] if box else type_.strip())


def _arguments(text):
    """SSA names and arguments; `tile.value` makes a size of others."""
    pattern = r"%(\w+): ([^%{]*?)(?:\{(.*?)\})?\s*(?:,\s*(?=%)|$)"
    for name, type_, attributes in re.findall(pattern, _signature(text)[0],
                                              re.DOTALL):
        if "tile.value" not in attributes:
            yield name, _argument(name, type_, attributes)


def _is_read(text, name):
    """Whether a kernel reads a view, or memory that its pointers lead to."""
    names = {name}
    for line in text.split("\n"):
        derived = re.match(r"\s*%(\w+) = tile\.(base|offset|make_view) %(\w+)",
                           line)
        if derived and derived[3] in names:
            names.add(derived[1])
        used = re.search(r"tile\.(load|load_ptr|atomic_\w+) (.*?)( :|$)", line)
        if used and names & set(re.findall(r"%(\w+)", used[2])):
            return True
    return False


def inputs_of(text):
    """The arguments that a run needs, in order."""
    return [argument for name, argument in _arguments(text)
            if not is_kernel(text) or not argument.shape
            or _is_read(text, name)]


def results_of(text):
    """The results of a module, or all arguments of a kernel."""
    if is_kernel(text):
        return [argument for _, argument in _arguments(text)]
    results = re.match(r"\s*->\s*(.*?)\s*\{\n", _signature(text)[1], re.DOTALL)
    return [_argument(f"output{number}", type_, attributes)
            for number, (type_, attributes) in enumerate(
                re.findall(r"(tensor<.*?>|\b[if]\d+|index)(\s*\{.*?\})?",
                           results[1]))]


def input_names(text):
    """How the command line calls the inputs."""
    names = []
    for number, (name, argument) in enumerate(_arguments(text)):
        if argument not in inputs_of(text):
            continue
        is_named = re.search(rf'%{name}: [^%]*?(tile|graph)\.name', text)
        kind = "arg" if is_kernel(text) else "input"
        names.append(argument.name if is_named else f"{kind}{number}")
    return names


def decode(bits, element):
    """Floats of a type that NumPy does not have, as f64."""
    exponent_bits, fraction_bits = SMALL_FLOATS[element]
    bits = bits.astype(np.int64)
    fraction = bits & ((1 << fraction_bits) - 1)
    exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1)
    bias, top = (1 << (exponent_bits - 1)) - 1, (1 << exponent_bits) - 1
    value = np.where(exponent == 0, fraction * 2.0,
                     fraction + float(1 << fraction_bits))
    value = np.ldexp(value, np.maximum(exponent, 0) - bias - fraction_bits
                     - (exponent == 0))
    if element == "f8E4M3FN":
        value = np.where((exponent == top) & (fraction == 7), np.nan, value)
    else:
        value = np.where(exponent == top,
                         np.where(fraction == 0, np.inf, np.nan), value)
    return np.where(bits >> (exponent_bits + fraction_bits), -value, value)


def encode(values, element):
    """Floats as bits of a type that NumPy does not have: toward zero."""
    if element == "bf16":
        return (np.asarray(values, np.float32).view(np.uint32) >> 16
                ).astype(np.uint16)
    every = np.arange(256, dtype=np.uint8)
    numbers = decode(every, element)
    finite = np.isfinite(numbers)
    nearest = np.abs(np.asarray(values, np.float64)[..., None]
                     - numbers[finite]).argmin(-1)
    return every[finite][nearest]


def as_type(values, element):
    if isinstance(values, np.ndarray) and values.dtype == np.uint64:
        dtype = np.dtype(DTYPES[element])
        return values.astype(f"u{dtype.itemsize}").view(dtype)
    if element in SMALL_FLOATS:
        return encode(values, element)
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(DTYPES[element])


def shape_of(argument, sizes):
    """`sizes` gives the size of a name, and of what has none."""
    return tuple(size if isinstance(size, int) else sizes(size)
                 for size in argument.shape)


def evaluate(expression, argument, random):
    """An argument's elements, as an expression of NumPy says them."""
    names = {name: getattr(np, name) for name in (
        "arange", "array", "concatenate", "full", "inf", "linspace", "nan",
        "tile", "zeros")}
    names.update(r=random, bits=lambda *bits: np.array(bits, np.uint64),
                 range=range)
    values = eval(expression, names)  # Of files of this repository.
    values = as_type(values, argument.element)
    if all(isinstance(size, int) for size in argument.shape):
        return np.resize(values, argument.shape)
    return values


def usual(argument, shape, random):
    """Normal floats, small integers."""
    if argument.element == "i1":
        return random.integers(0, 2, shape).astype(np.bool_)
    if argument.element[0] == "i":
        return as_type(random.integers(-8, 8, shape), argument.element)
    return as_type(random.normal(size=shape), argument.element)


def extremes(argument, shape, random):
    """Usual elements among extremes of the type."""
    element = argument.element
    values = usual(argument, shape, random)
    if element == "i1":
        return values
    if element[0] == "i":
        width = 64 if element == "index" else int(element[1:])
        top = 1 << (width - 1)
        picks = [-top, top - 1, -1, 0, 1, 31, 32, 7, 8, top // 2,
                 top // 3, -top // 2]
    else:
        picks = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-7, 6e4,
                 -7e4, 1e20, -3e38, 0.5, 2.5, 1e-20, 1.0, 88.8, 448.0]
    picks = as_type(picks, element)
    picks = picks[random.integers(0, len(picks), shape)]
    return np.where(random.random(shape) < random.choice([0.1, 0.5, 0.9]),
                    picks, values)


def floats(values, element):
    if element in SMALL_FLOATS:
        return decode(values, element)
    return values if values.dtype.kind == "f" else None


def tolerance(relation):
    """A bound of the relation, relative. The orders of a sum and the bounds
    of functions are narrower than this for the witnesses of these cases."""
    if relation.startswith("near="):
        return float(relation[5:])
    return {"exact": None, "reassociated": 1e-4, "bounded": 1e-2}[relation]


def differing(before, after, element, relation):
    """Where the elements are not related. Shapes are equal."""
    x, y = floats(before, element), floats(after, element)
    if x is None:
        return before != after
    both_nan = np.isnan(x) & np.isnan(y)
    bound = tolerance(relation)
    with np.errstate(invalid="ignore", over="ignore"):
        if bound is None:
            return ~(both_nan | ((x == y) & (np.signbit(x) == np.signbit(y))))
        least = {"f16": 2.0**-14, "f64": 2.0**-1022, "f8E4M3FN": 2.0**-6,
                 "f8E5M2": 2.0**-14}.get(element, 2.0**-126)
        x, y = x.astype(np.float64), y.astype(np.float64)
        near = np.abs(x - y) <= bound * np.maximum(np.abs(x), least)
    return ~(both_nan | (x == y) | (near & np.isfinite(x) & np.isfinite(y)))
