"""Packages: manifests by their members, files that are others or absent, and
weights in safetensors.

A package is code (docs/security.md): its kernels run on the emulator only,
which checks each access."""

import copy
import json
import struct

import edges
import mutate_json
import tensors
from reader import ROOT, Reader
from xxh64 import xxh64

# All that a manifest may have, for builds without the compiler, too.
MANIFEST = {
    "tilewright_package": 1, "producer": "p", "name": "m", "metadata": {},
    "symbols": ["N"],
    "inputs": [{"name": "x", "dtype": "f32", "shape": ["N"], "buffer": 0}],
    "outputs": [{"name": "y", "dtype": "f32", "shape": ["N"], "buffer": 1}],
    "buffers": [{"kind": "input", "dtype": "f32", "bytes": "4 * N"},
                {"kind": "output", "dtype": "f32", "bytes": "4 * N"},
                {"kind": "weight", "dtype": "f32", "bytes": 16,
                 "weight": "w"},
                {"kind": "transient", "dtype": "f32", "bytes": "max(N, 2)"},
                {"kind": "transient", "dtype": "f32", "bytes": 4, "alias": 3}],
    "kernels": [{
        "name": "k", "target": "sm_80", "features": "", "image": "k.ptx",
        "entry": "k", "arguments": [
            {"view": "f32", "rank": 1, "passed": ["pointer", "dim0"]},
            {"view": "f32", "rank": 1, "passed": ["pointer"]},
            {"scalar": "index"}],
        "grid": ["ceildiv(arg0.dim0, 32)", 1, 1], "scratch": 0, "block": 32,
        "cluster": [1, 1, 1], "shared": 64,
        "guards": ["arg1.dim0 == 4", "aligned(arg0, 4)"]}],
    "steps": [{"kernel": "k", "arguments": [
        {"buffer": 1, "dims": ["N"]}, {"buffer": 2, "dims": [4]},
        {"scalar": "N - 1"}], "label": "l"}],
    "checks": [{"that": "mod(N, 1)", "equals": 0, "message": "whole"}],
    "files": {},
}
KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y, .param .u64 n, .param .u64 w, .param .u64 m)
{ .reg .b64 %a<4>; .reg .b32 %r<4>; .reg .pred %p; .shared .b8 s[64];
  ld.param.u64 %a1, [y]; ld.param.u64 %a2, [w]; ld.param.u64 %a3, [n];
  mov.u32 %r1, %tid.x; cvt.u32.u64 %r3, %a3; setp.ge.u32 %p, %r1, %r3;
  ld.global.b32 %r2, [%a2]; @%p ret; mad.wide.u32 %a1, %r1, 4, %a1;
  st.global.b32 [%a1], %r2; ret; }
"""
WEIGHTS = {"w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}


def weights_file(tensors_of, data):
    header = json.dumps(tensors_of).encode()
    return struct.pack("<Q", len(header)) + header + data


class Package:
    """A manifest and the other files, by name."""

    def __init__(self, manifest, files):
        self.manifest, self.files = manifest, files

    @staticmethod
    def read(path):
        files = {str(f.relative_to(path)): f.read_bytes()
                 for f in path.rglob("*") if f.is_file()}
        return Package(json.loads(files.pop("manifest.json")), files)

    def write(self, reader, manifest, files, keep_hashes):
        if isinstance(manifest, dict) and isinstance(manifest.get("files"),
                                                     dict) and keep_hashes:
            for name, data in files.items():
                if name in manifest["files"] or not self.manifest["files"]:
                    manifest["files"][name] = {
                        "bytes": len(data),
                        "hash": f"xxh64:{xxh64(data):016x}"}
        for name, data in files.items():
            reader.write("p.twp/" + name, data)
        return manifest


class Packages(Reader):
    """Manifests, files and weights of packages."""
    name, weight = "packages", 3

    def prepare(self):
        files = {"k.ptx": KERNEL.encode(),
                 "weights.safetensors": weights_file(WEIGHTS, bytes(16))}
        self.packages = [Package(copy.deepcopy(MANIFEST), files)]
        if self.session.has_compiler():
            for number, model in enumerate(
                    ["1-run-a-model/mlp.onnx", "10-fused-op/feed-forward.onnx"]):
                name = f"{number}.twp"
                self.session.prepare(
                    self.session.tool, "compile", ROOT / "examples" / model,
                    "--no-cache", "--target", "sm_80", "-o", name)
                self.packages.append(
                    Package.read(self.session.samples / name))

    def _files(self, random, files):
        """Others, exchanged, absent; the weights by their header."""
        change = random.randrange(5)
        name = random.choice(sorted(files))
        if change == 0:
            del files[name]
        elif change == 1:
            other = random.choice(sorted(files))
            files[name], files[other] = files[other], files[name]
        elif change == 2:
            files[name] = edges.damage(random, files[name])
        elif "weights.safetensors" in files:
            old = files["weights.safetensors"]
            size, = struct.unpack_from("<Q", old)
            files["weights.safetensors"] = tensors.safetensors(
                random, json.loads(old[8:8 + size]), old[8 + size:])

    def make(self, random):
        package = random.choice(self.packages)
        manifest = copy.deepcopy(package.manifest)
        files = dict(package.files)
        kind = random.random()
        if kind < 0.4:
            self._files(random, files)
        manifest = package.write(self, manifest, files, random.random() < 0.9)
        if kind >= 0.35:
            manifest = mutate_json.mutate(random, manifest)
        self.write("p.twp/manifest.json", mutate_json.text(random, manifest))
        if random.random() < 0.3:
            return [self.tool("inspect", "p.twp", *random.choice(
                [[], ["--steps"], ["--json"]]), check=None)]
        sizes = []
        if isinstance(manifest, dict):
            shape = random.choice(["2", "32", "0", "2x2", "70000"])
            sizes = ["--input-shape", f"x={shape}"]
        return [self.tool("run", "p.twp", "--device", "emulator", "--threads",
                          "1", *sizes)]


class Safetensors(Packages):
    """Weights of packages, whose hash is that of the mutant."""
    name, weight = "safetensors", 2

    def make(self, random):
        package = random.choice(self.packages[:1])
        manifest, files = copy.deepcopy(package.manifest), dict(package.files)
        files["weights.safetensors"] = tensors.safetensors(
            random, {**WEIGHTS, "v": {"dtype": "I64", "shape": [2, 1],
                                      "data_offsets": [16, 32]}}, bytes(32))
        manifest = package.write(self, manifest, files, True)
        self.write("p.twp/manifest.json", json.dumps(manifest).encode())
        return [self.tool("run", "p.twp", "--device", "emulator", "--threads",
                          "1", "--input-shape", "x=32")]


