"""The few messages of ONNX that the tests read, from their wire format."""

import dataclasses

import numpy as np


def fields(data):
    """Yields (field number, value) of one message; length-delimited values
    are bytes, others integers."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}[kind] if kind != 2 else varint()
        yield key >> 3, data[at:at + size]
        at += size


def integers(values):
    """A repeated integer field, packed or not."""
    result = []
    for value in values:
        if isinstance(value, int):
            result.append(value)
            continue
        shift = number = 0
        for byte in value:
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                result.append(number - (1 << 64) if number >> 63 else number)
                shift = number = 0
    return result


# ONNX's data types: name, dtype in memory, elements in one byte.
TYPES = {
    1: ("f32", "<f4", 1), 2: ("u8", "u1", 1), 3: ("i8", "i1", 1),
    4: ("u16", "<u2", 1), 5: ("i16", "<i2", 1), 6: ("i32", "<i4", 1),
    7: ("i64", "<i8", 1), 9: ("bool", "?", 1), 10: ("f16", "<f2", 1),
    11: ("f64", "<f8", 1), 12: ("u32", "<u4", 1), 13: ("u64", "<u8", 1),
    16: ("bf16", "<u2", 1), 17: ("f8E4M3FN", "u1", 1),
    19: ("f8E5M2", "u1", 1), 21: ("u4", "u1", 2), 22: ("i4", "i1", 2),
    23: ("f4E2M1FN", "u1", 2), 24: ("f8E8M0FNU", "u1", 1),
}


@dataclasses.dataclass
class Tensor:
    name: str
    dtype: str
    array: np.ndarray


def read_tensor(data):
    """A TensorProto, or None for element types that TYPES lacks."""
    parts = {}
    for number, value in fields(data):
        parts.setdefault(number, []).append(value)
    dims = integers(parts.get(1, []))
    kind = parts.get(2, [0])[0]
    if kind not in TYPES:
        return None
    name, dtype, packed = TYPES[kind]
    count = int(np.prod(dims)) if dims else 1
    if 9 in parts:
        raw = parts[9][0]
    elif kind in (1, 11):
        raw = b"".join(parts.get(4 if kind == 1 else 10, []))
    elif kind == 7:
        raw = np.array(integers(parts.get(7, [])), dtype="<i8").tobytes()
    elif kind in (12, 13):
        raw = np.array(integers(parts.get(11, [])), dtype="<u8") \
            .astype(dtype).tobytes()
    else:
        values = np.array(integers(parts.get(5, [])), dtype="<i8")
        wide = values.astype("u1" if packed == 2 else
                             "<u2" if dtype == "<f2" else dtype)
        raw = wide.tobytes()
    if packed == 2:
        octets = np.frombuffer(raw, dtype="u1")
        nibbles = np.stack([octets & 15, octets >> 4], -1).reshape(-1)[:count]
        array = nibbles.astype("u1")
        if name == "i4":
            array = np.where(array > 7, array.astype("i2") - 16, array) \
                .astype("i1")
    else:
        array = np.frombuffer(raw, dtype=dtype)
    label = parts.get(8, [b""])[0].decode()
    return Tensor(label, name, array.reshape(dims))


def read_elements(data):
    """What is in a SequenceProto or OptionalProto: (field number, bytes) of
    each tensor (3) or sequence (5)."""
    return [(number, value) for number, value in fields(data)
            if number in (3, 5)]


@dataclasses.dataclass
class Interface:
    name: str
    kind: int
    shape: list
    is_sequence: bool = False
    is_optional: bool = False


def _read_type(data, entry):
    for number, value in fields(data):
        if number in (4, 9):
            entry.is_sequence |= number == 4
            entry.is_optional |= number == 9
            _read_type(dict(fields(value))[1], entry)
        if number != 1:
            continue
        for part, content in fields(value):
            if part == 1:
                entry.kind = content
            else:
                entry.shape = [dict(fields(dim)).get(1, -1)
                               for _, dim in fields(content)]


def _interface(data):
    entry = Interface("", 0, [])
    for number, value in fields(data):
        if number == 1:
            entry.name = value.decode()
        if number == 2:
            _read_type(value, entry)
    return entry


def _graph(model):
    return next(value for number, value in fields(model) if number == 7)


def model_inputs(model):
    """Inputs of a ModelProto that are not initializers."""
    initializers = set()
    inputs = []
    for number, value in fields(_graph(model)):
        if number == 5:
            initializers.update(content.decode()
                                for part, content in fields(value)
                                if part == 8)
        if number == 11:
            inputs.append(_interface(value))
    return [entry for entry in inputs if entry.name not in initializers]


def model_outputs(model):
    return [_interface(value) for number, value in fields(_graph(model))
            if number == 12]


def read_values(entry, data):
    """The tensors of an output in its file, by the names that the command line
    gives them; a tensor is None as in read_tensor."""
    if entry.is_optional:
        elements = read_elements(data)
        if not elements:
            return []
        data = elements[0][1]
    if not entry.is_sequence:
        return [(entry.name, read_tensor(data))]
    return [(f"{entry.name}[{at}]", read_tensor(element))
            for at, (_, element) in enumerate(read_elements(data))]
