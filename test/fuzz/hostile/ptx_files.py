"""PTX by its instructions and directives, with launch files by their members,
on the emulator."""

import json
import re

import mutate_json
from mutate_text import Mutator, Text
from reader import ROOT, Reader

HEAD = ".version 8.7\n.target sm_90a\n.address_size 64\n"
X = {"buffer": {"shape": [64], "dtype": "f32"}, "output": "x"}


def entry(body, before="", parameters=".param .u64 x"):
    return f"{HEAD}{before}\n.visible .entry k({parameters}) {{\n{body}\nret;\n}}\n"


SCALE = entry("""  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  .reg .pred %p<2>;
  ld.param.u64 %d0, [x];
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p0, %r0, 32;
  @!%p0 bra END;
  mad.wide.u32 %d1, %r0, 4, %d0;
  ld.global.f32 %r1, [%d1];
  fma.rn.f32 %r2, %r1, 0f40000000, %r1;
  cvt.rzi.s32.f32 %r3, %r2;
  shl.b32 %r3, %r3, 33;
  st.global.f32 [%d1+4], %r2;
END:""")
SHARED = entry("""  .shared .align 16 .b8 s[256];
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, s;
  mad.lo.u32 %r1, %r0, 4, %r1;
  st.shared.b32 [%r1], %r0;
  bar.sync 0;
  ld.shared.v2.b32 {%r2, %r3}, [s+8];
  shfl.sync.down.b32 %r4, %r0, 16, 31, -1;
  vote.sync.ballot.b32 %r5, 1, -1;
  redux.sync.add.s32 %r6, %r0, -1;
  atom.shared.add.u32 %r7, [s], 1;
  barrier.sync 0, 32;""")
CALLS = entry("""  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  .param .b32 p;
  .param .b32 q;
  .local .align 8 .b8 l[64];
  st.param.b32 [p], 3;
  call (q), f, (p);
  ld.param.b32 %r1, [q];
  mov.u64 %d1, l;
  cvta.local.u64 %d1, %d1;
  st.b32 [%d1+60], %r1;
  ld.global.u64 %d2, [t];
  pr: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (q), %d2, (p), pr;
  prmt.b32 %r2, %r1, 7, 0x3210;
  bfe.u32 %r2, %r1, 4, 40;""",
              ".func (.param .b32 o) f(.param .b32 i)\n{ .reg .b32 %r<2>;\n"
              "ld.param.b32 %r1, [i];\nst.param.b32 [o], %r1;\nret;\n}\n"
              ".global .u64 t[2] = { f, 0 };\n"
              ".const .align 8 .b32 c[4] = {1, 2, 3, 4};")
TENSOR = entry("""  .shared .align 128 .b8 s[8192];
  .shared .align 8 .b64 m;
  .reg .b32 %r<16>;
  .reg .b64 %d<4>;
  .reg .pred %p;
  mov.u64 %d0, x;
  mbarrier.init.shared.b64 [m], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [m], 64;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%d0, {0, 0}], [m];
  mbarrier.try_wait.parity.shared.b64 %p, [m], 0;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [s];
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r4, %r5, %r6, %r7}, {%r0, %r1, %r2, %r3}, {%r0, %r1}, {%r4, %r5, %r6, %r7};
  cp.async.ca.shared.global [s], [t], 16;
  cp.async.wait_all;""", ".global .align 16 .b8 t[64];",
               ".param .align 64 .b8 x[128]")
MAP = {"tensorMap": {"of": {"shape": [8, 16], "dtype": "f16"}, "dtype": "f16",
                     "shape": [16, 8], "strides": [32], "box": [8, 4],
                     "swizzle": "none"}}
SAMPLES = [(SCALE, [X]), (SHARED, [X]), (CALLS, [X]), (TENSOR, [MAP])]
TYPES = [".b8", ".b16", ".b32", ".b64", ".b128", ".u8", ".u16", ".u32", ".u64",
         ".s8", ".s16", ".s32", ".s64", ".f16", ".f16x2", ".bf16", ".f32",
         ".f64", ".pred", ".tf32", ".e4m3x2"]
SPACES = [".global", ".shared", ".local", ".const", ".param", ".shared::cta",
          ".shared::cluster", ""]
OPCODES = ["add", "sub", "mul.lo", "mul.hi", "mul.wide", "div", "rem", "mad.lo",
           "min", "max", "and", "or", "xor", "not", "shl", "shr", "popc", "clz",
           "bfind", "brev", "bfi", "sad", "mov", "ld", "st", "cvta", "setp.lt",
           "selp", "atom.add", "atom.cas", "red.add", "fma.rn", "sqrt.rn",
           "rcp.rn", "ex2.approx", "lg2.approx", "sin.approx", "copysign",
           "testp.nan", "abs", "neg", "bar.sync", "trap", "exit", "nanosleep",
           "prefetch.L1", "isspacep.global", "activemask", "match.any.sync",
           "elect.sync", "griddepcontrol.wait", "brkpt", "bra", "ret", "call"]
SUFFIX = re.compile(r"\.[a-z]+\d+(?:x\d)?\b")
KEYS = ("entry", "grid", "block", "cluster", "dynamicShared", "args")


class Ptx(Reader):
    """PTX with launch files."""
    name, weight = "ptx", 6

    def prepare(self):
        self.samples = [(Text(text), text, arguments)
                        for text, arguments in SAMPLES]
        if self.session.has_compiler():
            for target, model in [("sm_80", "2-tile-kernel/softmax.mlir"),
                                  ("sm_90a", "2-tile-kernel/softmax.mlir")]:
                text = self.session.prepare(
                    self.session.tool, "compile", ROOT / "examples" / model,
                    "--target", target, "--emit", "ptx", "--no-cache")
                self.samples.append((Text(text), text, None))
        self.mutator = Mutator([s for s, _, _ in self.samples],
                               [TYPES, SPACES[:-1]])

    def _instruction(self, random, text):
        """Another opcode, type or space in one line."""
        lines = text.split("\n")
        at = random.randrange(len(lines))
        change = random.randrange(4)
        if change == 0:
            lines[at] = re.sub(r"^(\s*(?:@!?%\w+\s+)?)[a-z]\w*",
                               lambda m: m[1] + random.choice(OPCODES),
                               lines[at], count=1)
        elif change == 1:
            found = list(SUFFIX.finditer(lines[at]))
            if found:
                where = random.choice(found)
                lines[at] = (lines[at][:where.start()] + random.choice(TYPES) +
                             lines[at][where.end():])
        elif change == 2:
            lines[at] = re.sub(r"\.(?:global|shared|local|param|const)\b",
                               lambda m: random.choice(SPACES), lines[at],
                               count=1)
        else:
            lines[at] = f"@{random.choice(['', '!'])}%p0 " + lines[at].strip()
        return "\n".join(lines)

    def _launch(self, random, text, arguments):
        if arguments is None:
            found = re.search(r"\.entry (\w+)\(([^)]*)\)", text)
            count = found[2].count(".param")
            buffer = {"shape": [16, 5], "dtype": "f32"}
            arguments = [{"buffer": buffer, "output": "y"} if i % 4 == 0 else
                         {"scalar": "u64", "value": 4} for i in range(count)]
            launch = {"entry": found[1]}
        else:
            launch = {"entry": "k"}
        launch |= {"grid": [1], "block": [128 if arguments is None else 64],
                   "cluster": [1, 1, 1], "dynamicShared": 0, "args": arguments}
        if random.random() < 0.4:
            launch = mutate_json.mutate(random, launch)
            return mutate_json.text(random, launch)
        return json.dumps(launch).encode()

    def make(self, random):
        sample, text, arguments = random.choice(self.samples)
        launch = self._launch(random, text, arguments)
        kind = random.random()
        if kind < 0.4:
            for _ in range(random.randint(1, 3)):
                text = self._instruction(random, text)
            data = text.encode()
        elif kind < 0.85:
            data = self.mutator.mutate(random, sample)
        else:
            data = text.encode()
        self.write("k.ptx", data)
        self.write("k.json", launch)
        options = random.choice([
            [], [], ["--check", "bounds,init"], ["--seed", "7"], ["--json"],
            ["--summary"], ["--stats", "s.json", "--html", "h.html"],
            ["--blocks", str(random.choice([1, 2, 1 << 31]))],
            ["--output-dir", "out"]])
        return [self.tool("run", "k.ptx", "--device", "emulator", "--threads",
                          "1", "--launch", "k.json", "--max-instructions",
                          "20000", "--max-memory", "1024", *options)]
