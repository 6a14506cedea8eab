"""blame.py TOOL BLAME [PASS...] [--small | --by-kernel] [--passes N] [--time S]:
makes passes wrong, and asks who is named for it.

For each pass, or for N of them, looks for a module of test/graph/modules that
the pass changes, makes an op behind it wrong (blame.cpp), and demands that

- the pass is named, and no other;
- the program that comes with it has at most MOST_OPS ops that compute, and shows
  the fault again.

Prints one line for each pass, and a summary. With --small the module is a
product of matrices for the CPU, with --by-kernel two large ones, and the model is
judged kernel by kernel. With --passes the same passes each time; without it as
many as there is time for."""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "graph/modules"))
import cases  # noqa: E402
import modules  # noqa: E402, F401, the import adds all cases

MOST_OPS = 12
TARGETS = ("cpu", "sm_80")
# A pass may be hidden: no fault behind it changes a result.
TRIES = 4


SMALL = cases.Case("product", "", '''
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %product : tensor<?x?xf32>
}
''', [], None, ())


# Two products, the first of which the second reads behind an op.
KERNELS = cases.Case("kernels", "", '''
func.func @main(%a: tensor<64x96xf32>, %b: tensor<96x80xf32>,
                %c: tensor<80x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x80xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<64x96xf32>, tensor<96x80xf32>)
      outs(%zero : tensor<64x80xf32>) -> tensor<64x80xf32>
  %positive = arith.maximumf %product, %zero : tensor<64x80xf32>
  %other = arith.constant dense<0.0> : tensor<64x48xf32>
  %y = linalg.matmul
      ins(%positive, %c : tensor<64x80xf32>, tensor<80x48xf32>)
      outs(%other : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %y : tensor<64x48xf32>
}
''', [], None, ())


def tested_passes(tool, module, target):
    """The flags of passes that change the module."""
    try:
        ran = subprocess.run([tool, "verify", module, "--target", target,
                              "--json", "--time-limit", "0.3"],
                             capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return []
    if ran.returncode != 0:
        return []
    # Of a large module, which is judged by kernel, none is taken.
    passes = json.loads(ran.stdout)["targets"][0].get("passes", [])
    return [entry["pass"].split(":")[0] for entry in passes
            if entry["evidence"] == "tested" and entry["pass"] != "llvm"]


def blame(program, module, target, name, options):
    """What the program found; nothing where no fault changes a result."""
    try:
        ran = subprocess.run([program, module, target, name, "--tries", "4",
                              *options],
                             capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return {"problem": "no end after 300 s"}
    if ran.returncode != 0:
        return {"problem": f"exit code {ran.returncode}: {ran.stderr[-300:]}"}
    return json.loads(ran.stdout.strip().splitlines()[-1])


def problem_of(name, found):
    """What is wrong with a verdict."""
    if "problem" in found:
        return found["problem"]
    # What a level that cannot be executed hides is named together.
    if name not in [each.split(":")[0] for each in found["guilty"].split(",")]:
        return f"{found['guilty']} is named"
    if found["ops"] > MOST_OPS:
        return f"the reproducer has {found['ops']} ops"
    if name not in found["again"]:
        return "the reproducer does not show it"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("blame")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--by-kernel", action="store_true")
    parser.add_argument("--passes", type=int)
    parser.add_argument("--time", type=float, default=1e9)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    end = time.monotonic() + arguments.time
    all_cases = list(cases.CASES)
    if arguments.small or arguments.by_kernel:
        all_cases = [SMALL if arguments.small else KERNELS]
    options = ["--by-kernel"] if arguments.by_kernel else []
    random.Random(1).shuffle(all_cases)
    done, bad, hidden = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for case in all_cases:
            path = pathlib.Path(folder) / "m.mlir"
            path.write_text(case.text)
            for target in TARGETS[:1] if len(all_cases) == 1 else TARGETS:
                enough = arguments.passes and len(done) >= arguments.passes
                if time.monotonic() > end or enough:
                    break
                for name in dict.fromkeys(
                        tested_passes(arguments.tool, path, target)):
                    enough = arguments.passes and len(done) >= arguments.passes
                    if time.monotonic() > end or enough:
                        break
                    if name in done or hidden.get(name, 0) >= TRIES:
                        continue
                    if arguments.names and name not in arguments.names:
                        continue
                    found = blame(arguments.blame, path, target, name, options)
                    if not found:
                        hidden[name] = hidden.get(name, 0) + 1
                        continue
                    done[name] = found
                    problem = problem_of(name, found)
                    if problem:
                        bad[name] = problem
                    print(f"{name} ({case.ops}, {target}): "
                          f"{json.dumps(found)} {problem}", flush=True)
    print(f"{len(done) - len(bad)} of {len(done)} wrong passes named; hidden: "
          f"{', '.join(sorted(set(hidden) - set(done))) or 'none'}")
    for name, problem in bad.items():
        print(f"  {name}: {problem}")
    sys.exit(1 if bad or not done else 0)


if __name__ == "__main__":
    main()
