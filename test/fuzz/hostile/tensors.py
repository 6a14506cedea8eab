"""Tensors in files: .npy headers by their fields, safetensors by JSON."""

import json
import struct

import edges
import mutate_json
from reader import Reader

DESCRIPTIONS = ["<f4", ">f4", "|f4", "=f4", "<f8", "<f2", "<i4", "<u8", "|u1",
                "|b1", "?", "<c8", "|O", "|S4", "<U4", "<M8[ns]", "|V2", "",
                "<f4294967296", "<f-4", "float32", "f", "<f40", "\u00e9"]
SHAPES = ["(2, 3)", "(6,)", "()", "(2, 3,)", "(3, 2)", "(-2, -3)", "(2, 0)",
          "(0, 9223372036854775807)", "[2, 3]", "(2 3)", "(2, 3", "(2L, 3L)",
          "(True, 3)", "(2.0, 3)", "(None, 3)", "6"]
# Headers that are right for 24 bytes, and what else they may be.
RIGHT = [("<f4", "(2, 3)"), ("<f8", "(3,)"), ("|u1", "(24,)"), ("<i2", "(3, 4)"),
         ("<u8", "(1, 1, 3)"), ("<f2", "(12,)"), ("|b1", "(4, 6)")]


def header_text(random):
    """A dict of Python, of which some fields are others."""
    descr, shape = random.choice(RIGHT)
    fields = {"descr": repr(descr), "shape": shape,
              "fortran_order": random.choice(["True", "False"])}
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        change = random.randrange(7)
        if change == 0:
            fields["descr"] = repr(random.choice(DESCRIPTIONS))
        elif change == 1:
            fields["fortran_order"] = random.choice(
                ["True", "0", "1", "'False'", "None", "false", ""])
        elif change == 2:
            fields["shape"] = random.choice(SHAPES)
        elif change == 3:
            rank = random.choice([1, 2, 3, 63, 64, 65, 1000])
            sizes = [random.choice([1, 1, 0, edges.integer(random)])
                     for _ in range(rank)]
            fields["shape"] = "(" + ", ".join(map(str, sizes)) + ",)"
        elif change == 4:
            fields.pop(random.choice(sorted(fields)), None)
        elif change == 5:
            fields[random.choice(["extra", "shape ", "Descr", "\x1b"])] = "1"
        else:
            depth = random.choice([2, 100, 50000])
            fields["descr"] = "[" * depth + "('a', '<f4')" + "]" * depth
        if not fields:
            break
    keys = list(fields)
    random.shuffle(keys)
    quote = random.choice(["'"] * 30 + ['"'])
    return "{" + ", ".join(f"{quote}{k}{quote}: {fields[k]}"
                           for k in keys) + ", }"


def npy(random):
    text = header_text(random).encode("utf-8", "surrogatepass")
    version = random.choice([(1, 0)] * 40 + [(2, 0), (3, 0), (0, 0), (1, 1),
                                            (255, 255)])
    wide = version[0] >= 2
    if random.random() < 0.97:
        text = text.ljust(-(len(text) + (13 if wide else 11)) % 64 + len(text))
        text += b"\n"
    size = len(text)
    if random.random() < 0.1:
        size = edges.integer(random)
    size &= (1 << (32 if wide else 16)) - 1
    data = bytes(random.choice([24] * 30 + [0, 23, 25, 48, 4096]))
    whole = (b"\x93NUMPY" + bytes(version) +
             struct.pack("<I" if wide else "<H", size) + text + data)
    return edges.damage(random, whole) if random.random() < 0.05 else whole


LAUNCH = {"entry": "k", "grid": [1], "block": [32], "args": [
    {"buffer": "x.npy", "output": "y"}]}
KERNEL = (".version 8.0\n.target sm_80\n.address_size 64\n"
          ".visible .entry k(.param .u64 p) { ret; }\n")


class Npy(Reader):
    """Buffers of a launch, which are written again."""
    name, weight = "npy", 3

    def prepare(self):
        self.kernel = self.session.samples / "k.ptx"
        self.kernel.write_text(KERNEL)
        self.launch = json.dumps(LAUNCH).encode()

    def make(self, random):
        self.write("x.npy", npy(random))
        self.write("k.json", self.launch)
        return [self.tool("run", self.kernel, "--device", "emulator",
                          "--threads", "1", "--launch", "k.json",
                          "--output-dir", "out")]


def safetensors(random, tensors, data):
    """`tensors`: what the header says."""
    changed = mutate_json.mutate(random, tensors) if random.random() < 0.9 \
        else tensors
    header = mutate_json.text(random, changed)
    if random.random() < 0.3:
        header = header.ljust(-len(header) % 8 + len(header))
    size = len(header)
    if random.random() < 0.15:
        size = edges.integer(random) & (1 << 64) - 1
    if random.random() < 0.2:
        data = edges.raw(random, data)
    whole = struct.pack("<Q", size) + header + data
    return edges.damage(random, whole) if random.random() < 0.05 else whole
