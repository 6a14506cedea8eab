"""Messages of ONNX as trees that may be changed, and their bytes: a file is
known by its fields, without the onnx package, and a mutant may break the rules
of protobuf too."""

import struct

# Message: {field: (name, kind)}. Kinds are messages of this table, or number,
# numbers (packed or not), float, floats, text and bytes.
MESSAGES = {
    "Model": {1: ("ir_version", "number"), 2: ("producer_name", "text"),
              4: ("domain", "text"), 5: ("model_version", "number"),
              6: ("doc_string", "text"), 7: ("graph", "Graph"),
              8: ("opset_import", "Opset"), 14: ("metadata_props", "Entry"),
              25: ("functions", "Function")},
    "Graph": {1: ("node", "Node"), 2: ("name", "text"),
              5: ("initializer", "Tensor"), 10: ("doc_string", "text"),
              11: ("input", "ValueInfo"), 12: ("output", "ValueInfo"),
              13: ("value_info", "ValueInfo"),
              15: ("sparse_initializer", "Sparse"),
              16: ("metadata_props", "Entry")},
    "Node": {1: ("input", "value"), 2: ("output", "value"),
             3: ("name", "text"), 4: ("op_type", "op"),
             5: ("attribute", "Attribute"), 6: ("doc_string", "text"),
             7: ("domain", "text"), 8: ("overload", "text"),
             9: ("metadata_props", "Entry")},
    "Attribute": {1: ("name", "text"), 2: ("f", "float"), 3: ("i", "number"),
                  4: ("s", "text"), 5: ("t", "Tensor"), 6: ("g", "Graph"),
                  7: ("floats", "floats"), 8: ("ints", "numbers"),
                  9: ("strings", "text"), 10: ("tensors", "Tensor"),
                  11: ("graphs", "Graph"), 14: ("tp", "Type"),
                  20: ("type", "number"), 21: ("ref_attr_name", "text"),
                  22: ("sparse_tensor", "Sparse")},
    "Tensor": {1: ("dims", "numbers"), 2: ("data_type", "dtype"),
               3: ("segment", "bytes"), 4: ("float_data", "floats"),
               5: ("int32_data", "numbers"), 6: ("string_data", "bytes"),
               7: ("int64_data", "numbers"), 8: ("name", "value"),
               9: ("raw_data", "bytes"), 10: ("double_data", "bytes"),
               11: ("uint64_data", "numbers"), 13: ("external_data", "Entry"),
               14: ("data_location", "number")},
    "Sparse": {1: ("values", "Tensor"), 2: ("indices", "Tensor"),
               3: ("dims", "numbers")},
    "ValueInfo": {1: ("name", "value"), 2: ("type", "Type"),
                  3: ("doc_string", "text")},
    "Type": {1: ("tensor_type", "TensorType"), 4: ("sequence_type", "Wrapped"),
             5: ("map_type", "Map"), 6: ("denotation", "text"),
             8: ("sparse_tensor_type", "TensorType"),
             9: ("optional_type", "Wrapped")},
    "Wrapped": {1: ("elem_type", "Type")},
    "Map": {1: ("key_type", "dtype"), 2: ("value_type", "Type")},
    "TensorType": {1: ("elem_type", "dtype"), 2: ("shape", "Shape")},
    "Shape": {1: ("dim", "Dimension")},
    "Dimension": {1: ("dim_value", "number"), 2: ("dim_param", "text"),
                  3: ("denotation", "text")},
    "Function": {1: ("name", "op"), 4: ("input", "value"),
                 5: ("output", "value"), 6: ("attribute", "text"),
                 7: ("node", "Node"), 8: ("doc_string", "text"),
                 9: ("opset_import", "Opset"), 10: ("domain", "text"),
                 11: ("attribute_proto", "Attribute"),
                 12: ("value_info", "ValueInfo"), 13: ("overload", "text")},
    "Opset": {1: ("domain", "text"), 2: ("version", "number")},
    "Entry": {1: ("key", "text"), 2: ("value", "text")},
}
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Field:
    """`value`: an integer, bytes, a list of numbers, or a list of Fields.
    `wire` is what the file says that it is; `extra` is added to its length."""
    __slots__ = ("number", "wire", "kind", "value", "extra")

    def __init__(self, number, wire, kind, value, extra=0):
        self.number, self.wire, self.kind = number, wire, kind
        self.value, self.extra = value, extra

    def copy(self):
        value = self.value
        if isinstance(value, list):
            value = [v.copy() if isinstance(v, Field) else v for v in value]
        return Field(self.number, self.wire, self.kind, value, self.extra)


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = _varint(data, at)
        values.append(value)
    return values


def parse(data, message="Model"):
    """The Fields of a message."""
    fields, at = [], 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        kind = MESSAGES[message].get(number, ("", "bytes"))[1]
        if wire == VARINT:
            value, at = _varint(data, at)
        elif wire == BYTES:
            size, at = _varint(data, at)
            value, at = data[at:at + size], at + size
            if kind in MESSAGES:
                value = parse(value, kind)
            elif kind == "numbers":
                value = _packed(value)
        else:
            size = 8 if wire == FIXED64 else 4
            value, at = data[at:at + size], at + size
        fields.append(Field(number, wire, kind, value))
    return fields


def write(fields):
    """The bytes of a message."""
    out = []
    for field in fields:
        value = field.value
        if isinstance(value, int) and field.wire == VARINT:
            out.append(varint(field.number << 3) + varint(value))
            continue
        if isinstance(value, int):
            value = struct.pack("<Q", value & (1 << 64) - 1)
        elif isinstance(value, list):
            value = write(value) if field.kind in MESSAGES else \
                b"".join(map(varint, value))
        head = varint(field.number << 3 | field.wire)
        if field.wire == BYTES:
            head += varint(len(value) + field.extra)
        out.append(head + value)
    return b"".join(out)


def walk(fields):
    """(the list that a field is in, its index) of each field of a tree."""
    for index, field in enumerate(fields):
        yield fields, index
        if field.kind in MESSAGES and isinstance(field.value, list):
            yield from walk(field.value)
