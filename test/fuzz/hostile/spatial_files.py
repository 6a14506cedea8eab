"""Schedule packages: lines by their tokens, manifests by their members, tensors
by their headers."""

import copy
import hashlib
import json
import re
import struct

import edges
import mutate_json
import tensors
from mutate_text import Mutator, Text
from reader import ROOT, Reader

EXAMPLE = ROOT / "examples/spatial/relu.tws"
# Repetitions beyond these only take time.
MANY = re.compile(rb"\*\d{5,}/")
WORDS = (
    ["add", "sub", "mul", "min", "max", "lt", "eq", "divide"],
    ["exp", "tanh", "move", "abs", "floor", "convert"],
    ["read", "write", "load", "map", "transpose", "send", "receive", "gather"],
    ["u0", "u1", "u2", "u3", "u4", "u5"], ["b0", "b1", "b2"],
    ["e0", "e1", "w0", "w1", "w2", "w9"], ["x", "wt", "h", "y"],
)


class SpatialFiles(Reader):
    """X.tws, which all three commands read."""
    name, weight = "spatial", 3

    def prepare(self):
        self.files = {path.name: path.read_bytes()
                      for path in sorted(EXAMPLE.iterdir())}
        lines = re.sub(rb";.*", b"", self.files["chip-0.txt"])
        self.lines = Text(lines.decode())
        self.mutator = Mutator([self.lines], WORDS)

    def _change(self, random, files):
        name = random.choice(["chip-0.txt", "chip-0.txt", *sorted(files)])
        if name == "chip-0.txt":
            files[name] = MANY.sub(
                b"*99/", self.mutator.mutate(random, self.lines))
        elif name == "manifest.json":
            manifest = mutate_json.mutate(
                random, copy.deepcopy(json.loads(self.files[name])))
            files[name] = mutate_json.text(random, manifest)
        elif random.random() < 0.2:
            files[name] = edges.damage(random, files[name])
        else:
            size, = struct.unpack_from("<Q", self.files[name])
            header = json.loads(self.files[name][8:8 + size])
            files[name] = tensors.safetensors(random, header,
                                              self.files[name][8 + size:])

    def make(self, random):
        files = dict(self.files)
        self._change(random, files)
        if random.random() < 0.1:
            del files[random.choice(sorted(files))]
        weights = files.get("weights.safetensors", b"")
        if random.random() < 0.9 and "manifest.json" in files:
            digest = hashlib.sha256(weights).hexdigest().encode()
            files["manifest.json"] = re.sub(
                rb"sha256:\w*", b"sha256:" + digest, files["manifest.json"])
        for name, data in files.items():
            self.write("s.tws/" + name, data)
        read = [self.session.tool, "inspect", "s.tws", "--units", "--memory"]
        command = random.choice([
            ["run", "s.tws"], ["verify", "s.tws"], ["inspect", "s.tws"],
            ["run", "s.tws", "--output-dir", "out"]])
        return [self.tool(*command, reads=read, errors=False)]
