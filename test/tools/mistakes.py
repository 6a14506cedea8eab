"""mistakes.py TOOL: deliberate mistakes on the command line and in files that
it names. Each is one error in one format, at its location and with what to do:

    [FILE[:LINE[:COLUMN]]: ]error: MESSAGE

with exit code 2 where the command line itself is wrong, 1 where what it names
is. Nothing is printed on the standard output, and nothing is left behind.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import samples

FORMAT = re.compile(r"((?P<place>[^\n]*?): )?error: (?P<text>.+)")


def launch(**changes):
    return json.dumps({**samples.LAUNCH, **changes})


# A tensor of two floats in a SequenceProto.
PROTO_ELEMENT = "\x1a\x0e\x08\x02\x10\x01\x4a\x08" + 8 * "\0"

# name of the file: contents.
FILES = {
    "syntax.mlir": samples.double().replace("tile.load %x", "tile.lod %x"),
    "types.mlir": samples.double().replace("arith.addf %t, %t",
                                           "arith.addi %t, %t"),
    "misspelt.mlir": samples.double('{tile.nme = "x"}'),
    "short.mlir": samples.double('{tile.dims = ["M"]}'),
    "number.mlir": samples.double('{tile.dims = [4, 4]}'),
    # The old names of attributes are read, and checked.
    "old-misspelt.mlir": samples.double('{graph.nme = "x"}'),
    "old-short.mlir": samples.double('{graph.dims = ["M"]}'),
    "old-twice.mlir": samples.double('{graph.name = "y"}'),
    "unbound.mlir": samples.double(
        for_y='{tile.name = "y", tile.dims = ["K", ""]}'),
    "formula.mlir": samples.double(
        for_y='{tile.name = "y", tile.dims = ["M +", ""]}'),
    "twice.mlir": samples.double(for_y='{tile.name = "x"}'),
    "valueless.mlir": samples.SCALE.replace('{tile.name = "factor"}',
                                            '{tile.value = "n"}'),
    "strided.mlir": samples.double().replace(
        "!tile.view<?x4xf32>", "!tile.view<?x4xf32, strides<[8, 1]>>"),
    "open.mlir": "// tunable N = 2, 4\n// tunable M 8\n" + samples.double(),
    "graph-dims.mlir": samples.GRAPH.replace('["N", ""]', '["N"]'),
    "graph-name.mlir": samples.GRAPH.replace('graph.name = "x"',
                                             "graph.name = 3"),
    "graph-misspelt.mlir": samples.GRAPH.replace("graph.dims", "graph.dim"),
    # Of which the reference of graphs does not know the op, and which has no
    # element that is defined.
    "unknown.mlir": samples.UNKNOWN_OP,
    "undefined.mlir": samples.UNDEFINED,
    "empty.mlir": "",
    "text.onnx": "this is no model",
    # SequenceProtos of two and one tensors, of which one is an OptionalProto as
    # well, an OptionalProto of a sequence, one without a value, and nothing.
    "sequence.pb": "\n\x08sequence\x10\x01" + 2 * PROTO_ELEMENT,
    "single.pb": "\n\x06single\x10\x01" + PROTO_ELEMENT,
    "inside.pb": "\n\x06inside\x10\x03\x2a\x22\x10\x01" + 2 * PROTO_ELEMENT,
    "optional.pb": "\n\x08optional\x10\x01",
    "nothing.pb": "",
    "bad.ptx": samples.PTX.replace("st.global", "st.globe"),
    "bad.json": '{"entry": "first",\n "grid": [1,]}',
    "grid.json": launch(grid=[0]),
    "key.json": launch(blocks=[32]),
    "entry.json": launch(entry="frist"),
    "args.json": launch(args=[]),
    "wide.json": launch(args=[{"scalar": "i32", "value": 3}]),
    "no-buffer.json": launch(args=[{"buffer": "none.npy"}]),
}

# (arguments, exit code, place (None: none), words)
PTX = "run k.ptx --device emulator --launch "
COMMAND_LINE = [
    ("", 2, None, ["expected a command", "compile, run, map, tune"]),
    ("comple relu.onnx", 2, None, ["'comple'", "did you mean 'compile'?"]),
    ("--frobnicate", 2, None, ["no option '--frobnicate'"]),
    ("compile", 2, None, ["MODEL is required", "compile --help"]),
    ("compile relu.onnx", 2, None, ["-o X.twp, --emit"]),
    ("compile relu.onnx -o a.twp --taget cpu", 2, None,
     ["'--taget'", "did you mean '--target'?"]),
    ("compile relu.onnx -o a.twp --repeat 3", 2, None,
     ["'--repeat'", "it is one of 'run'"]),
    ("compile relu.onnx -o a.twp other.onnx", 2, None, ["'other.onnx'"]),
    ("compile relu.onnx --emit", 2, None, ["--emit"]),
    ("compile relu.onnx --emit tiles", 2, None,
     ["--emit", "found 'tiles'", "did you mean 'tile'?"]),
    ("compile relu.onnx --emit tile --stop-after form-groups", 2, None,
     ["--stop-after", "--emit"]),
    ("compile double.mlir --target sm_90 --emit ptx", 2, None,
     ["'sm_90'", "did you mean 'sm_90a'?", "cpu, interpreter, sm_80"]),
    ("compile double.mlir --target gpu -o a.twp", 2, None,
     ["--target", "'gpu'", "the targets are"]),
    ("compile double.mlir --emit ptx", 2, None,
     ["--emit ptx needs a GPU: --target sm_80"]),
    ("compile double.mlir -o a.twp --lineinfo", 2, None,
     ["--lineinfo needs a GPU"]),
    ("compile double.mlir --emit asm --target interpreter", 2, None,
     ["--emit asm has no effect", "cpu, sm_80"]),
    ("compile double.mlir -o a.twp --target interpreter --schedule rows=2", 2,
     None, ["--schedule has no effect"]),
    ("compile double.mlir -o a.ptx", 2, None, ["-o a.ptx", "--emit STAGE"]),
    ("compile double.mlir --emit tile -o a.twp", 2, None,
     ["-o a.twp", "without --emit"]),
    ("compile double.mlir --emit tile --json", 2, None, ["--json", "-o FILE"]),
    ("compile double.mlir --target sm_80 --emit cubin", 2, None,
     ["-o DIRECTORY"]),
    ("compile double.mlir -o a.twp --ptxas p", 2, None,
     ["--ptxas has no effect", "--emit cubin"]),
    ("compile double.mlir --explain-fusion", 2, None,
     ["--explain-fusion has no effect", "nothing to fuse"]),
    ("compile double.mlir -o a.twp --fusion attention=off", 2, None,
     ["--fusion has no effect", "nothing to fuse"]),
    ("compile relu.onnx -o a.twp --fusion attn=off", 2, None,
     ["--fusion", "attention=auto, attention=on, attention=off", "'attn=off'"]),
    ("compile relu.onnx -o a.twp --precision f16", 2, None,
     ["--precision", "one of ieee, tf32, tf32x3, bf16x3, bf16x6", "'f16'"]),
    ("run relu.onnx --precision fast", 2, None,
     ["--precision", "one of ieee, tf32, tf32x3, bf16x3, bf16x6", "'fast'"]),
    ("compile double.mlir --emit graph", 2, None, ["--emit tile"]),
    ("compile double.mlir -o a.twp --input-shape x=4x4", 2, None,
     ["--input-shape has no effect", "a graph"]),
    ("compile relu.onnx -o a.twp --max-shape x=2x3", 1, None,
     ["the largest shape of 'x' has no effect", "--explain-fusion"]),
    ("compile relu.onnx -o a.twp --kernel k0", 2, None,
     ["--kernel has no effect", "--emit tile"]),
    ("compile relu.onnx -o a.twp --replace 'y=Relu(x)'", 2, None,
     ["a --with FILE.mlir for each --replace"]),
    ("compile relu.onnx -o a.twp --threads none", 2, None,
     ["--threads", "whole number", "'none'"]),
    ("compile relu.onnx -o a.twp --input-shape x=2by3", 2, None,
     ["--input-shape x", "2x3x45x61", "'2by3'"]),
    ("run relu.onnx --device gpu", 2, None, ["'gpu'", "cpu, cuda, emulator"]),
    ("run relu.onnx --device emulater", 2, None, ["did you mean 'emulator'?"]),
    ("run relu.onnx --repeat 0", 2, None, ["--repeat", "at least 1"]),
    ("run relu.onnx --summary", 2, None,
     ["--summary has no effect", "--device emulator"]),
    ("run relu.onnx --landing late", 2, None,
     ["--landing has no effect", "--device emulator"]),
    ("run relu.onnx --interleave 1 --device interpreter", 2, None,
     ["--interleave has no effect", "--device emulator"]),
    ("run relu.onnx --device emulator --landing soon", 2, None,
     ["--landing", "one of early, late", "'soon'"]),
    ("run relu.onnx --device emulator --interleave x", 2, None,
     ["--interleave", "whole number", "'x'"]),
    ("run relu.onnx --device emulator --summary --json", 2, None, ["--stats"]),
    ("run relu.onnx --launch k.json", 2, None, ["--launch has no effect"]),
    ("run relu.onnx --check none", 2, None, ["--check has no effect"]),
    ("run relu.onnx --kernel k0", 2, None, ["--kernel has no effect"]),
    ("run relu.onnx --target sm_80", 2, None,
     ["--target: no device here runs 'sm_80'", "cpu are cpu"]),
    ("run relu.onnx --device interpreter --threads 2", 2, None,
     ["--threads has no effect"]),
    ("run relu.onnx --input x", 2, None, ["--input", "NAME=VALUE", "'x'"]),
    ("run relu.onnx --input x=x23.npy --input x=x24.npy", 2, None,
     ["'x' is given twice"]),
    ("run relu.onnx --input-shape x=?x3", 2, None, ["--input-shape x", "'?x3'"]),
    ("compile relu.onnx -o a.twp --input-shape x=2xx3", 2, None,
     ["--input-shape x", "? or a name", "'2xx3'"]),
    ("run relu.onnx --input x=x23.npy --input-shape x=2x3", 2, None,
     ["--input x", "leave one out"]),
    ("run relu.onnx --input x=x23.npy --seed 3", 2, None,
     ["--seed has no effect"]),
    ("run scale.mlir --input x=x10.npy --scalar n=many --scalar factor=2", 2,
     None, ["--scalar n", "number of type i64", "'many'"]),
    ("run k.ptx", 2, None, ["--device emulator", "found --device cpu"]),
    ("run k.ptx --device emulator", 2, None, ["--launch L.json"]),
    (PTX + "k.json --input x=x10.npy", 2, None, ["--input has no effect"]),
    (PTX + "k.json --repeat 3", 2, None, ["--repeat has no effect"]),
    ("inspect", 2, None, ["PACKAGE or --layout"]),
    ("inspect double.mlir --target sm_1", 2, None, ["'sm_1'", "sm_80"]),
    ("inspect --layout 'mma.m16n8k16.a f16' --steps", 2, None, ["--steps"]),
    ("devices --jsn", 2, None, ["did you mean '--json'?"]),
    ("tune list", 2, None, ["DB is required", "tune list --help"]),
    ("verify", 2, None, ["BEFORE is required", "verify --help"]),
    ("verify graph.mlir graph.mlir --relation nearly", 2, None,
     ["--relation", "exact, reassociated, bounded or near=R", "'nearly'"]),
    ("verify graph.mlir graph.mlir --relation near=-1", 2, None,
     ["not negative", "'near=-1'"]),
    ("verify graph.mlir graph.mlir --target sm_80", 2, None,
     ["--target has no effect", "one program and its compilation"]),
    ("verify graph.mlir graph.mlir --precision tf32", 2, None,
     ["--precision has no effect"]),
    ("verify graph.mlir --relation bounded", 2, None,
     ["--relation has no effect", "it is of two programs"]),
    ("verify graph.mlir --target sm_1", 2, None, ["'sm_1'", "sm_80"]),
    ("verify graph.mlir graph.mlir --time-limit 0", 2, None,
     ["--time-limit", "greater than 0", "'0'"]),
    ("verify graph.mlir k.ptx", 2, None, ["PTX", "--launch L.json"]),
    ("verify graph.mlir graph.mlir --launch k.json", 2, None,
     ["--launch", "expected 0, found 1"]),
    ("verify k.ptx", 2, None, ["k.ptx is compiled already"]),
]
NAMED = [
    ("compile nofile.onnx", 1, "nofile.onnx", ["no such file"]),
    ("compile rleu.onnx --explain-fusion", 1, "rleu.onnx",
     ["did you mean 'relu.onnx'?"]),
    ("compile text.onnx -o a.twp", 1, "text.onnx", ["ONNX model"]),
    ("compile text.npy -o a.twp", 1, "text.npy", [".onnx, .pt2 or .mlir"]),
    ("compile relu.onnx -o x23.npy/a.twp", 1, None, ["x23.npy"]),
    ("compile relu.onnx --emit tile -o none/a.mlir", 1, "none/a.mlir",
     ["cannot be written", "No such file"]),
    ("compile relu.onnx --emit tile --kernel k", 1, "relu.onnx",
     ["no kernel 'k'", "the kernels are"]),
    ("compile two.mlir -o a.twp", 1, "two.mlir",
     ["expected one tile.kernel, or the name of one, found @scale, @double"]),
    ("compile two.mlir -o a.twp --kernel triple", 1, "two.mlir",
     ["@triple, found @scale, @double"]),
    ("compile syntax.mlir -o a.twp", 1, "syntax.mlir:6:8", ["tile.lod"]),
    ("compile types.mlir -o a.twp", 1, "types.mlir:7:8", ["arith.addi"]),
    ("compile misspelt.mlir --emit tile", 1, "misspelt.mlir:1:21",
     ["tile.nme: is unknown", "tile.name, dims"]),
    ("compile old-misspelt.mlir --emit tile", 1, "old-misspelt.mlir:1:21",
     ["'graph.nme'", "tile.name and tile.dims"]),
    ("compile old-short.mlir --emit tile", 1, "old-short.mlir:1:21",
     ["expected 2 entries", "found 1"]),
    ("compile old-twice.mlir --emit tile", 1, "old-twice.mlir:2:21",
     ["'y' is the name of argument 0 too"]),
    ("compile short.mlir --emit tile", 1, "short.mlir:1:21",
     ["a text for each of 2 dimensions", 'found ["M"]']),
    ("compile number.mlir --emit tile", 1, "number.mlir:1:21",
     ["a text for each of 2 dimensions", "found [4, 4]"]),
    ("compile unbound.mlir --emit tile", 1, "unbound.mlir:2:21",
     ["'K' is that of no input", "those of inputs are M"]),
    ("compile formula.mlir --emit tile", 1, "formula.mlir:2:21", ["'M +'"]),
    ("compile twice.mlir --emit tile", 1, "twice.mlir:2:21",
     ["'x' is the name of argument 0 too"]),
    ("compile valueless.mlir --emit tile", 1, "valueless.mlir:3:20",
     ["tile.value", "an integer or an index"]),
    ("compile strided.mlir -o a.twp", 1, "strided.mlir:1:21",
     ["stride 8", "dense tensors, with 4"]),
    ("compile open.mlir --emit tile", 1, "open.mlir:2",
     ["tunable NAME = 1, 2"]),
    ("compile graph-dims.mlir --emit tile", 1, "graph-dims.mlir:1:17",
     ["expected 2 entries", "found 1"]),
    ("compile graph-name.mlir --emit tile", 1, "graph-name.mlir:1:17",
     ["a text that is not empty"]),
    ("compile graph-misspelt.mlir --emit tile", 1, "graph-misspelt.mlir:1:17",
     ["graph.dim", "graph.name and graph.dims"]),
    ("compile double.mlir -o a.twp --schedule wraps=2", 1, "double.mlir:1:1",
     ["'wraps'"]),
    ("compile relu.onnx -o a.twp --replace 'y=Relu(x)' --with none.mlir", 1,
     None, ["none.mlir"]),
    ("compile double.mlir -o a.twp --tuning none.db", 1, None, ["none.db"]),
    ("run nofile.twp", 1, "nofile.twp", ["no such file"]),
    ("run relu.onnx --input x=none.npy", 1, None, ["none.npy"]),
    ("run relu.onnx --input x=text.npy", 1, "text.npy", ["not a .npy file"]),
    ("run relu.onnx --input x=k.json", 1, "k.json", [".npy or .pb"]),
    *((f"run relu.onnx --input x={name}.pb", 1, f"{name}.pb",
       ["expected an ONNX TensorProto", found])
      for name, found in [("sequence", "a sequence of 2 tensors"),
                          ("inside", "a sequence of 2 tensors"),
                          ("optional", "a sequence of 0 tensors"),
                          ("nothing", ".npy")]),
    ("run relu.onnx --input x=single.pb", 1, None,
     ["rank is 1, expected 2", "f32[2, 3]"]),
    ("run relu.onnx --input x[]=nothing.pb", 1, "nothing.pb",
     ["expected an ONNX SequenceProto"]),
    ("run relu.onnx --input x[]=sequence.pb", 1, "relu.onnx",
     ["which is not an input of the model", "inputs: x"]),
    ("run relu.onnx --input z=x23.npy", 1, None,
     ["no input 'z'", "the model's inputs: x: f32[2, 3]"]),
    ("tune double.mlir --input-shape z=2x4", 1, "double.mlir",
     ["--input-shape", "no argument 'z'", "x, y"]),
    ("tune scale.mlir --input-shape x=2", 1, "scale.mlir",
     ["argument 'n' is no tensor", "--argument"]),
    ("tune double.mlir --input-shape x=2x4 --argument 2x4", 1, None,
     ["--argument", "--input-shape", "leave one out"]),
    ("run relu.onnx --input-shape xx=2x3", 1, "relu.onnx",
     ["'xx'", "the model's inputs: x"]),
    ("run relu.onnx --input x=x24.npy", 1, None,
     ["input 'x' has shape [2, 4]", "expects [2, 3]", "x24.npy"]),
    ("run relu.onnx --scalar x=3", 1, None,
     ["--scalar x", "is a tensor", "--input x=FILE.npy"]),
    ("run double.mlir --input x=i24.npy", 1, None,
     ["dtype i64", "expects f32", "i24.npy"]),
    ("run double.mlir", 1, None, ["'x' has no data", "--input-shape x"]),
    ("run scale.mlir --input x=x10.npy --scalar n=10", 1, None,
     ["'factor' has no value", "--scalar factor=NUMBER"]),
    ("run scale.mlir --input x=x10.npy --scalar n=10 --input factor=2", 1, None,
     ["--scalar NAME=NUMBER"]),
    ("run relu.onnx --device cuda:0", 1, None, ["no CUDA driver"]),
    ("run relu.onnx --device cpu:3", 1, None, ["cpu:0"]),
    ("run relu.onnx --output-dir x23.npy/out", 1, "x23.npy/out",
     ["cannot be created"]),
    ("run relu.onnx --device emulator --stats none/s.json", 1, "none/s.json",
     ["cannot be written"]),
    ("run relu.onnx --device emulator --summary --kernel k", 1, None,
     ["no kernel 'k'", "the kernels are"]),
    (PTX + "none.json", 1, "none.json", ["cannot open"]),
    (PTX + "bad.json", 1, "bad.json:2:13", ["JSON"]),
    (PTX + "grid.json", 1, "grid.json", ["grid", "1 and more"]),
    (PTX + "key.json", 1, "key.json", ["found 'blocks'", "block"]),
    (PTX + "entry.json", 1, "k.ptx", ["'frist'", "first"]),
    (PTX + "args.json", 1, "args.json", ["expected 1 arguments"]),
    (PTX + "wide.json", 1, "wide.json", ["args[0]", "expected 8 bytes"]),
    (PTX + "no-buffer.json", 1, None, ["none.npy"]),
    ("run bad.ptx --device emulator --launch k.json", 1, "bad.ptx:11:5",
     ["st.globe"]),
    ("verify nofile.mlir graph.mlir", 1, "nofile.mlir", ["no such file"]),
    ("verify graph.mlir grahp.mlir", 1, "grahp.mlir",
     ["did you mean 'graph.mlir'?"]),
    ("verify graph.mlir double.mlir", 1, None,
     ["different signatures", "graph.mlir: (x: f32[?, 3]) -> (y: f32[?, 3])",
      "double.mlir: (x: f32[?, 4]) -> (y: f32[?, 4])"]),
    ("verify unknown.mlir graph.mlir", 1, "unknown.mlir:4:8",
     ["linalg.winograd_filter_transform", "does not know this op"]),
    ("verify undefined.mlir graph.mlir --time-limit 0.5", 1, None,
     ["undefined.mlir is defined in 0 of", "expected 100 at least",
      "nothing can be said of graph.mlir"]),
    ("verify undefined.mlir --time-limit 0.1", 1, None,
     ["undefined.mlir is defined in none of"]),
    ("verify graph.mlir k.ptx --launch k.json", 1, None,
     ["different signatures", "k.ptx: () -> (x: i32[32])"]),
    ("verify k.ptx k.ptx --launch k.json --relation reassociated", 1, "k.ptx",
     ["which other results it permits", "exact, or near=R"]),
    ("verify graph.mlir k.ptx --launch entry.json", 1, "k.ptx", ["'frist'"]),
    ("inspect nofile.twp", 1, "nofile.twp", ["no such file"]),
    ("inspect relu.onnx", 1, "relu.onnx", ["a package"]),
    ("inspect --layout 'mma.m16n8k16.a f17'", 1, None, ["column 16", "f17"]),
]


class Checker:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.failures = tool, folder, []

    def problem(self, done, code, location, words):
        text = done.stderr
        found = FORMAT.match(text)
        if done.returncode != code:
            return f"exit {done.returncode}, expected {code}"
        if not found or text.count("error: ") != 1:
            return "expected one error in the one format"
        if location is not None and found["place"] != location:
            return f"expected it at {location}, found {found['place']}"
        if location is None and found["place"]:
            return f"expected no place, found {found['place']}"
        missing = [word for word in words if word not in text]
        if missing:
            return f"expected {missing}"
        return f"printed {done.stdout!r}" if done.stdout else None

    def check(self, line, code, location, words):
        done = subprocess.run(["bash", "-c", f'"$TOOL" {line}'], text=True,
                              cwd=self.folder, capture_output=True,
                              env={**os.environ, "TOOL": self.tool},
                              check=False, timeout=120)
        problem = self.problem(done, code, location, words)
        package = self.folder / "a.twp"
        if package.exists():
            problem = problem or "it left a package"
            shutil.rmtree(package)
        if problem:
            self.failures.append(f"tilewright {line}\n  {problem}\n"
                                 f"{done.stdout}{done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        samples.write(folder)
        for name, text in FILES.items():
            (folder / name).write_text(text)
        checker = Checker(os.path.abspath(sys.argv[1]), folder)
        for mistake in COMMAND_LINE + NAMED:
            checker.check(*mistake)
    print("\n".join(checker.failures), file=sys.stderr)
    print(f"{len(COMMAND_LINE) + len(NAMED)} mistakes, "
          f"{len(checker.failures)} not told well")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    sys.exit(main())
