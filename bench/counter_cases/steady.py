"""What a step of the loop of a product costs: the difference of two depths."""

import collections
import dataclasses
import json
import pathlib
import tempfile

import sass

from . import matrix_kernels, ours, theirs
from .launches import Buffer, run

SIZE, STEP, WARPS, STAGES = 256, 32, 8, 3
TILE = 128
DEPTHS = (1024, 2048)
# What a step is made of, by the first word of an opcode.
SHOWN = ("HMMA", "LDSM", "LDGSTS", "LDG", "LDS", "STS", "FFMA", "BAR")
SHOWN_OF_TYPES = ("HMMA", "IMMA", "QMMA", "DMMA", "LDSM", "LDGSTS", "LDG", "LDS",
                  "STS", "PRMT", "FADD", "BAR")
SUMS = {"i8": "i32", "f64": "f64"}
TURNS = [(left, right) for left in (False, True) for right in (False, True)]


@dataclasses.dataclass
class Loop:
    """y = x @ w, SIZE x SIZE. The memory of an operand that is turned has the
    columns of the matrix as rows. A dynamic depth is an argument."""
    dtype: str
    is_left_turned: bool = False
    is_right_turned: bool = False
    is_dynamic: bool = False
    precision: str = "ieee"

    @property
    def sums(self):
        return SUMS.get(self.dtype, "f32")

    @property
    def result(self):
        """16-bit floats are rounded to their type."""
        return self.dtype if self.dtype in ("f16", "bf16") else self.sums

    @property
    def step(self):
        """As many bytes along k as of STEP 16-bit floats, at most twice."""
        return {"i8": 2 * STEP, "f8E4M3FN": 2 * STEP, "f64": STEP // 2}.get(
            self.dtype, STEP)

    @property
    def name(self):
        precision = f" {self.precision}" if self.precision != "ieee" else ""
        return (f"{self.dtype}{precision} x{'^T' * self.is_left_turned} "
                f"w{'^T' * self.is_right_turned}" +
                (", dynamic depth" if self.is_dynamic else ""))

    def buffers(self, depth):
        turn = lambda shape, is_turned: shape[::-1] if is_turned else shape
        return [Buffer("x", self.dtype, turn((SIZE, depth), self.is_left_turned)),
                Buffer("w", self.dtype, turn((depth, SIZE), self.is_right_turned)),
                Buffer("y", self.result, (SIZE, SIZE))]

    def view(self, buffer, depth):
        sizes = ["?" if self.is_dynamic and size == depth else str(size)
                 for size in buffer.shape]
        return f"!tile.view<{'x'.join(sizes)}x{buffer.dtype}>"

    def tile(self, *shape, dtype=None):
        return f"tensor<{'x'.join(map(str, shape))}x{dtype or self.dtype}>"

    def operand(self, buffer, view, is_turned, shape, at):
        """The lines that load a tile of this shape as %NAMEt."""
        name, to = buffer.name, self.tile(*shape)
        if not is_turned:
            return f"%{name}t = tile.load %{name}[{', '.join(at)}] : {view} -> {to}"
        loaded = self.tile(*shape[::-1])
        return (f"%{name}l = tile.load %{name}[{', '.join(at[::-1])}] : {view} -> "
                f"{loaded}\n%{name}t = tile.transpose %{name}l [1, 0] : {loaded} "
                f"-> {to}")

    def text(self, depth):
        buffers = self.buffers(depth)
        views = [self.view(each, depth) for each in buffers]
        arguments = ", ".join(
            f"%{each.name}: {view} {{tile.dim_divisible = array<i64: "
            f"{self.step}, {self.step}>}}" for each, view in zip(buffers, views))
        total, blocks = self.tile(TILE, TILE, dtype=self.sums), SIZE // TILE
        left, right, rounded = (self.tile(TILE, self.step),
                                self.tile(self.step, TILE),
                                self.tile(TILE, TILE, dtype=self.result))
        zero = "0" if self.sums == "i32" else "0.0"
        precision = (f"precision {self.precision} "
                     if self.precision != "ieee" else "")
        stored = "%sum" if total == rounded else "%r"
        truncated = ("" if total == rounded else
                     f"%r = arith.truncf %sum : {total} to {rounded}")
        return f"""tile.kernel @product({arguments})
    grid affine_map<()[a, b, c, d, e, f] -> ({blocks}, {blocks})> {{
%i, %j = tile.program_id
%zero = arith.constant dense<{zero}> : {total}
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%steps = tile.count %x, {0 if self.is_left_turned else 1} by {self.step} : {views[0]}
%sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> {total} {{
{self.operand(buffers[0], views[0], self.is_left_turned, (TILE, self.step), ("%i", "%k"))}
{self.operand(buffers[1], views[1], self.is_right_turned, (self.step, TILE), ("%k", "%j"))}
%n = tile.dot %xt, %wt, %acc {precision}: {left}, {right} -> {total}
scf.yield %n : {total}
}}
{truncated}
tile.store {stored}, %y[%i, %j] : {rounded}, {views[2]}
tile.return
}}
"""


def all_loops():
    return [Loop(dtype, *turned, is_dynamic) for dtype in ("f16", "bf16")
            for is_dynamic in (False, True) for turned in TURNS
            if not is_dynamic or turned == (False, False)]


def typed_loops(target):
    """Of the other types; those of 8-bit floats where `target` has them."""
    types = [("f32", "tf32"), ("i8", "ieee"), ("f64", "ieee"),
             ("f32", "tf32x3"), ("f32", "bf16x3"), ("f32", "bf16x6")]
    if int(target[3:5]) >= 89:
        types = [("f8E4M3FN", "fast")]
    return [Loop(dtype, *turned, precision=precision)
            for dtype, precision in types for turned in TURNS
            if precision in ("tf32", "ieee", "fast") or turned == (False, False)]


def our_launch(tool, loop, depth, target, schedule, folder):
    source, package = folder / "product.mlir", folder / "product.twp"
    source.write_text(loop.text(depth))
    run(tool, "compile", source, "--target", target, "--schedule", schedule,
        "-o", package)
    buffers = loop.buffers(depth)
    step = {"kernel": "product",
            "arguments": [{"buffer": i, "dims": list(each.shape)}
                          for i, each in enumerate(buffers)]}
    manifest = json.loads((package / "manifest.json").read_text())
    return ours.launch_of(package, manifest, step, buffers, {})


def their_launch(loop, depth, target):
    strides = lambda turned, shape: (1, shape[0]) if turned else (shape[1], 1)
    x, w, y = loop.buffers(depth)
    xm, xk = strides(loop.is_left_turned, (SIZE, depth))
    wk, wn = strides(loop.is_right_turned, (depth, SIZE))
    sizes = {"K": depth} if loop.is_dynamic else {}
    constants = {"M": SIZE, "N": SIZE, "K": depth, "XM": xm, "XK": xk,
                 "WK": wk, "WN": wn, "BM": TILE, "BN": TILE, "BK": loop.step,
                 "PRECISION": loop.precision.replace("fast", "ieee")}
    constants = {name: size for name, size in constants.items()
                 if name not in sizes}
    blocks = SIZE // TILE
    return theirs.compile_program(
        theirs.Program(matrix_kernels.matmul, [y, x, w], sizes, constants,
                       (blocks, blocks, 1), WARPS, STAGES), target)


def issued(tool, launch, folder):
    """Instructions by the first word of their opcode, of the warps of a block;
    all blocks do the same."""
    measured = sass.measure(tool, launch.ptx, launch.write(folder),
                            ["--blocks", "1"])
    if measured.missing:
        raise ValueError(measured.missing)
    found = collections.Counter()
    for block, times in measured.executions.blocks:
        for each in block.instructions:
            found[each.stem] += times
    return found, measured.figures


def cost(tool, step, made):
    """Of a step and warp, {opcode: instructions}, and the figures of the longer
    loop; `made(depth, folder)`: its launch."""
    totals = []
    for depth in DEPTHS:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            launch = made(depth, folder)
            found, figures = issued(tool, launch, folder)
            totals.append(found)
    warps = launch.threads // 32
    steps = (DEPTHS[1] - DEPTHS[0]) // step
    less, more = totals
    return {stem: (more[stem] - less[stem]) / (steps * warps)
            for stem in more | less}, figures


def table(tool, target, schedule, of_types=False):
    """In Markdown, "ours / Triton"."""
    shown_stems = SHOWN_OF_TYPES if of_types else SHOWN
    yield (f"Instructions of a warp and step of {TILE} x {TILE} x {STEP}" +
           (" (bytes 64, f64 16)" if of_types else "") +
           f", {target}, ours with `{schedule}`:\n")
    yield ("| product | issue slots | ratio | " + " | ".join(shown_stems) +
           " | registers | spilled B |")
    yield "|---|" + "---:|" * (len(shown_stems) + 4)
    for loop in typed_loops(target) if of_types else all_loops():
        sides = [cost(tool, loop.step, lambda depth, folder: our_launch(
                     tool, loop, depth, target, schedule, folder)),
                 cost(tool, loop.step,
                      lambda depth, _: their_launch(loop, depth, target))]
        both = lambda of: " / ".join(of(*side) for side in sides)
        slots = [sum(found.values()) for found, _ in sides]
        shown = [both(lambda found, _: f"{found.get(stem, 0):.1f}")
                 for stem in shown_stems]
        cells = [" / ".join(f"{each:.1f}" for each in slots),
                 f"{slots[0] / slots[1]:.2f}", *shown,
                 both(lambda _, figures: str(figures.registers)),
                 both(lambda _, figures: str(figures.spilled_bytes))]
        yield f"| {loop.name} | {' | '.join(cells)} |"
