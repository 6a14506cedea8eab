"""verify_plugins.py TOOL WRONG EXAMPLE: `tilewright verify` on passes of
plug-ins. WRONG is built of test/library/plugin/WrongPlugin.cpp, EXAMPLE of
ExamplePlugin.cpp, whose pass is right. Who is named, under which relation, with a
program that shows it again; and what --stop-after, --resume and --print-ir-after
know of such passes."""

import json
import pathlib
import sys
import tempfile

import run_anywhere

DIFFERENT = 4

KERNEL = """\
tile.kernel @k(%x: !tile.view<64xf32> {tile.name = "x"},
               %y: !tile.view<64xf32> {tile.name = "y"},
               %r: !tile.view<64xf32> {tile.name = "r"})
    grid affine_map<()[n, m, l] -> (n ceildiv 32)> {
  %i = tile.program_id
  %a = tile.load %x[%i] : !tile.view<64xf32> -> tensor<32xf32>
  %b = tile.load %y[%i] : !tile.view<64xf32> -> tensor<32xf32>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %three = arith.constant dense<3.0> : tensor<32xf32>
  %c = arith.BODY : tensor<32xf32>
  tile.store %c, %r[%i] : tensor<32xf32>, !tile.view<64xf32>
}
"""
# A product, behind it what the pass gets wrong, in a kernel of its own.
MODEL = """\
func.func @main(%a: tensor<16x24xf32> {graph.name = "a"},
                %b: tensor<24x16xf32> {graph.name = "b"})
    -> (tensor<16xf32> {graph.name = "y"}) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %least = arith.constant dense<0.0> : tensor<16xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<16x24xf32>, tensor<24x16xf32>)
      outs(%zero : tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = linalg.reduce { arith.maximumf } ins(%product : tensor<16x16xf32>)
      outs(%least : tensor<16xf32>) dimensions = [1]
  %z = arith.minimumf %y, %least : tensor<16xf32>
  return %z : tensor<16xf32>
}
"""
# The kernel, who is guilty, its relation, and whether it is declared.
WRONG_CASES = [
    ("divf %a, %b", "multiply-by-inverse", "near=2.384185791015625e-07", True),
    ("minimumf %a, %b", "exchange-minima", "bounded", True),
    ("addf %a, %zero", "drop-zeros", "exact", False)]


def write(tool, name, text):
    (tool.folder / name).write_text(text)


def report(tool, line, code):
    return json.loads(tool(f"{line} --json", code).stdout)["targets"][0]


def check_wrong(tool, wrong, case, target):
    """The pass is named, and its program shows it again."""
    body, name, relation, declared = case
    write(tool, "k.mlir", KERNEL.replace("BODY", body))
    out = f"{name}-out"
    found = report(tool, f"verify k.mlir {wrong} --target {target} "
                   f"--output-dir {out}", DIFFERENT)
    guilty = found["guilty"]
    assert (guilty["pass"], guilty["relation"]) == (name, relation), guilty
    last = found["passes"][-1]
    assert last["pass"] == name, last
    assert last.get("declared", True) == declared, last
    tool.load(out, "in", "x.npy")
    small = f"{out}/reproducer.mlir"
    again = report(tool, f"verify {small} {wrong}", DIFFERENT)
    assert again["guilty"]["pass"] == name, again
    done = tool(f"verify {small}", 1)
    assert done.stderr == (
        f"{small}: error: cannot go on with the pass 'multiply-by-inverse': "
        "there is none; one of a plug-in needs the plug-in\n"), done.stderr
    tool(f"verify {out}/before.mlir {out}/after.mlir", DIFFERENT)


def check_text(tool, wrong):
    """What a person reads."""
    write(tool, "k.mlir", KERNEL.replace("BODY", WRONG_CASES[2][0]))
    text = tool(f"verify k.mlir {wrong}", DIFFERENT).stdout
    assert " runs; declares no relation\n" in text, text
    assert ("guilty: drop-zeros, which is exact, as it declares no relation\n"
            in text), text


def check_right(tool, wrong):
    """What a pass declares is what it is judged by."""
    write(tool, "k.mlir", KERNEL.replace("BODY", "divf %a, %three"))
    found = report(tool, f"verify k.mlir {wrong}", 0)
    kinds = {each["pass"]: each["evidence"] for each in found["passes"]}
    assert kinds["multiply-by-inverse"] == "tested", kinds
    assert kinds["drop-zeros"] == "unchanged", kinds


def check_kernels(tool, wrong):
    """A model, as a whole and kernel by kernel."""
    write(tool, "m.mlir", MODEL)
    whole = report(tool, f"verify m.mlir {wrong}", DIFFERENT)
    assert whole["guilty"]["pass"] == "exchange-minima", whole
    found = report(tool, f"verify m.mlir {wrong} --by-kernel --output-dir m",
                   DIFFERENT)
    assert found["guilty"]["pass"] == "exchange-minima", found
    assert found["guilty"]["kernel"], found
    again = report(tool, f"verify m/reproducer.mlir {wrong}", DIFFERENT)
    assert again["guilty"]["pass"] == "exchange-minima", again


def files_of(tool, package):
    root = tool.folder / package
    return {str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and path.name != "evidence.json"}


def check_stops(tool, example):
    """The passes are on the list of all, and run once."""
    write(tool, "k.mlir", KERNEL.replace("BODY", "addf %a, %a"))
    options = f"--target cpu,sm_80,interpreter {example}"
    tool(f"compile k.mlir {options} -o whole.twp")
    tool(f"verify k.mlir {example} --target cpu --evidence whole.twp")
    evidence = tool.json("whole.twp/evidence.json")
    assert '"declared": false' in json.dumps(evidence), evidence
    tool("inspect whole.twp --evidence")
    for name in ("split-kernels", "double-by-product:2", "inline-calls"):
        tool(f"compile k.mlir {options} --stop-after {name} -o stopped.mlir")
        tool(f"compile stopped.mlir {options} --resume -o resumed.twp")
        assert files_of(tool, "resumed.twp") == files_of(tool, "whole.twp"), name
    text = tool(f"compile k.mlir {example} --stop-after inline-calls "
                "--print-ir-after double-by-product -o stopped.mlir").stderr
    assert text.count("// after double-by-product on tile.kernel") == 1, text
    assert text.count("// after") == 1, text
    write(tool, "stopped.mlir", (tool.folder / "stopped.mlir").read_text()
          .replace("builtin.module(", "tile.kernel("))
    done = tool(f"compile stopped.mlir {example} --resume -o x.twp", 1)
    assert "expected passes in 'builtin.module(...)'" in done.stderr, done


def main():
    program, *plugins = (pathlib.Path(file).resolve()
                         for file in sys.argv[1:4])
    wrong, example = (f"--plugin {plugin}" for plugin in plugins)
    with tempfile.TemporaryDirectory() as folder:
        tool = run_anywhere.Tool(str(program), pathlib.Path(folder))
        for number, case in enumerate(WRONG_CASES):
            check_wrong(tool, wrong, case, "sm_80" if number % 2 else "cpu")
        check_text(tool, wrong)
        check_right(tool, wrong)
        check_kernels(tool, wrong)
        check_stops(tool, example)


if __name__ == "__main__":
    main()
