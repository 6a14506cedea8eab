"""Entries of the cache: damaged ones, and others' while a second process
writes them. Whatever the cache holds, the package is the same."""

import shutil
import struct
import subprocess
import threading

import edges
from reader import ROOT, Reader, Skipped
from run import environment
from xxh64 import xxh64

MODEL = ROOT / "examples/1-run-a-model/mlp.mlir"


def content(path):
    return {str(f.relative_to(path)): f.read_bytes()
            for f in path.rglob("*") if f.is_file()}


class Writer(threading.Thread):
    """Compiles into the cache, again and again: entries come anew after each
    removal."""

    def __init__(self, reader):
        super().__init__(daemon=True)
        self.reader, self.ends = reader, threading.Event()
        self.failed = None

    def run(self):
        number = 0
        while not self.ends.is_set():
            number += 1
            # Another model each time, of which kernels are the same.
            done = subprocess.run(
                [self.reader.session.tool, "compile", MODEL, "--target", "cpu",
                 "--cache", self.reader.cache, "--schedule",
                 f"threads={number % 3 + 1}", "-o",
                 self.reader.session.samples / "writer.twp"],
                capture_output=True, text=True, check=False,
                env=environment(self.reader.session.sanitized))
            if done.returncode:
                self.failed = f"the writer: {done.returncode} {done.stderr}"


class Caches(Reader):
    """A cache that another process writes."""
    name, weight, needs_compiler = "cache", 1, True

    def prepare(self):
        self.cache = self.session.samples / "cache"
        self.expected = {}
        for threads in (1, 2, 3):
            self.session.prepare(*self._compile(threads, "expected.twp"))
            self.expected[threads] = content(
                self.session.samples / "expected.twp")
        if not list(self.cache.rglob("*.entry")):
            raise Skipped("no entry was written")
        # Seeds name a state of the cache, too: a copy that stays.
        self.saved = self.session.samples / "saved"
        shutil.copytree(self.cache, self.saved)
        self.writer = Writer(self)
        self.writer.start()

    def _compile(self, threads, package):
        return [self.session.tool, "compile", MODEL, "--target", "cpu",
                "--cache", self.cache, "--schedule", f"threads={threads}",
                "-o", package]

    def _damage(self, random, path):
        """Names are of what was saved: the writer may have removed one."""
        name = path.relative_to(self.saved)
        data = path.read_bytes()
        header, payload = bytearray(data[:64]), data[64:]
        change = random.randrange(7)
        if change == 0:
            field, width = random.choice([(0, 8), (8, 4), (12, 4), (16, 8),
                                          (48, 8), (56, 8)])
            value = edges.integer(random) & (1 << 8 * width) - 1
            header[field:field + width] = value.to_bytes(width, "little")
        elif change == 1:
            payload = edges.raw(random, payload)
        elif change == 2:
            header, payload = edges.damage(random, data), b""
        elif change == 3:
            # A whole entry, of another key.
            other = random.choice(sorted(self.saved.rglob("*.entry")))
            header, payload = other.read_bytes(), b""
        target = self.cache / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if change == 5:
            target.unlink(missing_ok=True)
        elif change == 6:
            shutil.rmtree(target.parent, ignore_errors=True)
        else:
            target.write_bytes(bytes(header) + payload)

    def _forge(self, random):
        """A cache of its own, whose entries are whole but have other fields:
        who writes a cache chooses kernels, but neither crashes a reader nor
        writes outside of the package."""
        cache = self.session.folder / "cache"
        shutil.copytree(self.saved, cache)
        for path in sorted(cache.rglob("*.entry")):
            data = bytearray(path.read_bytes())
            payload = data[64:]
            lengths = [at for at in range(0, len(payload) - 7)
                       if payload[at + 2:at + 8] == bytes(6)]
            for _ in range(random.randint(0, 3)):
                at = random.choice(lengths or [0])
                if random.random() < 0.5:
                    value = edges.integer(random) & (1 << 64) - 1
                    payload[at:at + 8] = struct.pack("<Q", value)
                else:
                    name = random.choice(edges.STRINGS).encode()
                    payload[at:at + 8] = struct.pack("<Q", len(name)) + name
            if random.random() < 0.3:
                payload = bytearray(payload.replace(
                    b"manifest.json", b"../forged.txt"))
            if b"manifest.json" in payload and random.random() < 0.3:
                # A warning with notes in notes.
                level = bytes(64) + struct.pack("<Q", 1)
                payload = (payload[:24] + struct.pack("<Q", 1) +
                           level * random.choice([9, 300000]))
            data[48:64] = struct.pack("<QQ", len(payload),
                                      xxh64(bytes(payload), len(payload)))
            path.write_bytes(bytes(data[:64]) + payload)
        command = self._compile(random.choice([1, 2, 3]), "out/m.twp")
        command[command.index(self.cache)] = cache
        (self.session.folder / "out").mkdir()
        return [self.tool(*command[1:], check=self._check_forged)]

    def _check_forged(self, _):
        made = [p.name for p in (self.session.folder / "out").iterdir()]
        return None if made in ([], ["m.twp"]) else f"wrote {made}"

    def make(self, random):
        if random.random() < 0.4:
            return self._forge(random)
        entries = sorted(self.saved.rglob("*.entry"))
        for _ in range(random.randint(1, 4)):
            self._damage(random, random.choice(entries))
        threads = random.choice([1, 2, 3])
        return [self.tool(*self._compile(threads, "m.twp")[1:],
                          check=lambda _: self._check(threads))]

    def _check(self, threads):
        if self.writer.failed:
            return self.writer.failed
        path = self.session.folder / "m.twp"
        if not path.exists():
            return "no package"
        if content(path) != self.expected[threads]:
            return "another package than without damage"
        return None

    def finish(self):
        self.writer.ends.set()
        self.writer.join()
