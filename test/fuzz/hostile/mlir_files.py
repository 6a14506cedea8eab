"""Programs as MLIR text: tile kernels and linalg on tensors, changed by
tokens; and the schedules that are given with them."""

import re
import sys

import edges
from mutate_text import Mutator, Text
from reader import HERE, ROOT, Reader

RUN_LINE = re.compile(r"^// (?:RUN|CHECK|XFAIL|REQUIRES|[A-Z-]+:).*\n", re.M)
FLOAT_OPS = ["arith.addf", "arith.subf", "arith.mulf", "arith.divf",
             "arith.maximumf", "arith.minnumf", "arith.remf", "math.powf"]
INTEGER_OPS = ["arith.addi", "arith.subi", "arith.muli", "arith.divsi",
               "arith.divui", "arith.ceildivsi", "arith.floordivsi",
               "arith.remsi", "arith.shli", "arith.shrsi", "arith.andi"]
FUNCTIONS = ["math.exp", "math.log", "math.sqrt", "math.erf", "math.tanh",
             "math.absf", "arith.negf", "arith.extf", "arith.truncf",
             "arith.fptosi", "arith.index_cast", "arith.bitcast"]
DIVISIONS = ["ceildiv", "floordiv", "mod", "+", "*", "-"]
TILE_OPS = ["tile.load", "tile.store", "tile.reduce", "tile.scan", "tile.dot",
            "tile.reshape", "tile.transpose", "tile.broadcast", "tile.splat",
            "tile.iota", "tile.slice", "tile.concat", "tile.gather",
            "tile.load_ptr", "tile.store_ptr", "tile.assert", "tile.sort"]
WORDS = [FLOAT_OPS, INTEGER_OPS, FUNCTIONS, DIVISIONS]
MOST = 6000


def parts(paths, word):
    """Texts of the parts of test files that contain `word`."""
    found = []
    for path in sorted(paths):
        if "invalid" in path.name:
            continue
        for part in re.split(r"^// -----.*\n", path.read_text(), flags=re.M):
            part = RUN_LINE.sub("", part)
            if word in part and len(part) < MOST:
                found.append(Text(part))
    return found


class MlirText(Reader):
    """What both levels do."""
    ways, needs_compiler = (), True

    def make(self, random):
        text = self.mutator.mutate(random, random.choice(self.samples))
        self.write("m.mlir", text)
        way = random.choice(self.ways)
        reads = [self.session.tool, "compile", "m.mlir", "--no-cache", "-o",
                 "r.twp"] if way[0] == "run" else None
        return [self.tool(*way, reads=reads, json="--json" in way)]


class TileText(MlirText):
    """Tile kernels."""
    name, weight = "tile", 5
    ways = [
        ["compile", "m.mlir", "--no-cache", "--emit", "tile"],
        ["compile", "m.mlir", "--no-cache", "-o", "m.twp"],
        ["compile", "m.mlir", "--no-cache", "--target", "sm_80", "--emit",
         "scheduled"],
        ["compile", "m.mlir", "--no-cache", "--target", "sm_90a", "-o",
         "m.twp", "--json"],
        ["compile", "m.mlir", "--no-cache", "--target", "sm_100a", "--emit",
         "ptx"],
        ["run", "m.mlir", "--device", "interpreter"],
        ["run", "m.mlir", "--device", "emulator", "--threads", "1"]]

    def prepare(self):
        self.samples = parts([*(ROOT / "examples").glob("*/*.mlir"),
                              *(ROOT / "test/tileir").rglob("*.mlir"),
                              *(ROOT / "test/tools").rglob("*.mlir")],
                             "tile.kernel")
        generator = self.session.tools / "tilewright-fuzz-tile"
        if generator.exists():
            for seed in range(1, 13):
                text = self.session.prepare(generator, "--replay", seed,
                                            "--print")
                self.samples.append(Text(text))
        self.mutator = Mutator(self.samples, [*WORDS, TILE_OPS])


def upstream(session):
    """Ops of upstream's dialects, most of which no model has: parsers and
    verifiers see them before they are rejected. Each also as a generic op."""
    optimizer = session.program("tilewright-opt")
    for path in sorted((HERE / "upstream").glob("*.mlir")):
        yield Text(path.read_text())
        yield Text(session.prepare(optimizer, "--mlir-print-op-generic",
                                   "--allow-unregistered-dialect", path))


class LinalgText(MlirText):
    """linalg on tensors."""
    name, weight = "linalg", 5
    ways = [
        ["compile", "m.mlir", "--no-cache", "--emit", "graph"],
        ["compile", "m.mlir", "--no-cache", "-o", "m.twp"],
        ["compile", "m.mlir", "--no-cache", "-o", "m.twp", "--json"],
        ["compile", "m.mlir", "--no-cache", "--target", "sm_90a", "-o",
         "m.twp"],
        ["run", "m.mlir", "--device", "interpreter"],
        ["run", "m.mlir", "--device", "emulator", "--threads", "1"]]

    def prepare(self):
        self.samples = parts([*(ROOT / "examples").glob("*/*.mlir"),
                              *(ROOT / "test/graph").rglob("*.mlir"),
                              *(ROOT / "test/frontends").rglob("*.mlir")],
                             "func.func")
        sys.path.append(str(ROOT / "test/fuzz/linalg"))
        # pylint: disable=import-outside-toplevel
        from generate import Generator
        self.samples += [Text(Generator(seed).run().text())
                         for seed in range(1, 13)]
        self.samples += upstream(self.session)
        self.mutator = Mutator(self.samples, WORDS)


class Schedules(Reader):
    """`--schedule`, `--target` and the attributes that say the same."""
    name, weight, needs_compiler = "schedules", 2, True
    gpu = ["warps", "vector_bits", "min_blocks", "max_registers", "persistent",
           "group"]
    cpu = ["rows", "vectors", "unroll", "packlhs", "packrhs", "order", "chunk",
           "threads"]
    tiling = ["tile0", "tile1", "tile2", "step0", "step1", "grid"]
    other = ["tunable.rows", "BM", "Warps", "", "warps.", "tile", "tile-1",
             "tile99999999999", "step18446744073709551616", "stages"]
    values = [1, 2, 3, 4, 8, 16, 32, 64, 128]

    def prepare(self):
        self.models = [ROOT / "examples/1-run-a-model/mlp.mlir",
                       ROOT / "examples/2-tile-kernel/softmax.mlir",
                       self.session.samples / "gemm.mlir"]
        self.models[2].write_text(GEMM)

    def _text(self, random):
        names = random.choice([self.gpu, self.cpu, self.tiling,
                               self.gpu + self.cpu + self.tiling + self.other])
        parts_of = []
        for _ in range(random.randint(1, 5)):
            value = random.choice(self.values) if random.random() < 0.85 else \
                edges.integer(random)
            mark = random.choice(["="] * 60 + ["", "==", ":", " = ", "=-"])
            parts_of.append(f"{random.choice(names)}{mark}{value}")
        text = random.choice([" "] * 40 + [",", ";", "\t", "\n"]).join(parts_of)
        if random.random() < 0.05:
            text += random.choice(edges.STRINGS)
        return text.replace("\0", "")

    def make(self, random):
        target = random.choice(["cpu", "sm_80", "sm_90a", "cpu,sm_100a"])
        if random.random() < 0.05:
            target += random.choice(["x", ",", ",cpu", ",sm_", ",sm_99999999"])
        arguments = ["compile", random.choice(self.models), "--no-cache",
                     "--target", target, "-o", "m.twp", "--time-limit", "15"]
        text = self._text(random)
        if random.random() < 0.2 and target.startswith("sm_"):
            # In the kernel's text.
            source = self.models[1].read_text().replace(
                "tile.kernel @softmax(", "tile.kernel @softmax(", 1)
            inside = ", ".join(part.replace("=", " = ")
                               for part in text.split())
            source = source.replace(
                "} {\n", "} {\n", 1).replace(
                ")> {", f")> attributes {{tile.schedule = "
                f"#tile.schedule<{inside}>}} {{", 1)
            arguments[1] = self.write("k.mlir", source.encode())
        else:
            arguments += ["--schedule", text[:100000]]
        return [self.tool(*arguments)]


GEMM = """func.func @main(%a: tensor<64x48xf32> {graph.name = "a"},
    %b: tensor<48x80xf32> {graph.name = "b"})
    -> (tensor<64x80xf32> {graph.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x80xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x80xf32>)
    -> tensor<64x80xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x80xf32>)
    outs(%f : tensor<64x80xf32>) -> tensor<64x80xf32>
  return %y : tensor<64x80xf32>
}
"""
