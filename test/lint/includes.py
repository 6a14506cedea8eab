"""includes.py ROOT: who may include whom. The table is docs/layers.md's. A
public header belongs to the component that implements it, includes public
headers alone, and sees LLVM or MLIR only in tilewright/mlir."""

import pathlib
import re
import sys

from sources import sources

EXTERNAL_COMPILER = ("mlir/", "llvm/", "llvm-c/", "mlir-c/")

# Component: the components of this project that it may include, and whether
# it may see LLVM and MLIR. The longest matching prefix of a path is its
# component; a component may always include itself, and support.
LAYERS = {
    "support": ([], False),
    "runtime/abi": ([], False),
    "runtime/core": (["runtime/abi"], False),
    "runtime/cpu": (["runtime/core", "runtime/abi"], False),
    "runtime/cuda": (["runtime/core", "runtime/abi"], False),
    "runtime/emulator": (["runtime/emulator", "runtime/core", "runtime/abi"],
                         False),
    "runtime/emulator/numeric": ([], False),
    "runtime/emulator/ptx": ([], False),
    "runtime/emulator/tensor": (["runtime/emulator/numeric"],
                                False),
    "runtime/emulator/program": (["runtime/emulator/ptx"], False),
    "runtime/emulator/machine": (["runtime/emulator/program",
                                  "runtime/emulator/ptx"],
                                 False),
    "runtime/emulator/counters": (["runtime/emulator/machine",
                                   "runtime/emulator/program",
                                   "runtime/emulator/ptx", "runtime/abi"],
                                  False),
    "runtime/emulator/execute": (["runtime/emulator/machine",
                                  "runtime/emulator/program",
                                  "runtime/emulator/numeric",
                                  "runtime/emulator/tensor"],
                                 False),
    "runtime/null": (["runtime/core", "runtime/abi"], False),
    "runtime/capi": (["runtime/core", "runtime/abi"], False),
    "tileir/ir": ([], True),
    "tileir/analysis": (["tileir/ir"], True),
    "tileir/authoring": (["tileir/diagnostics", "tileir/ir", "runtime/abi"],
                         True),
    "tileir/diagnostics": ([], True),
    "tileir/reference": (["tileir/ir"], True),
    "tileir/text": ([], False),
    "tileir/transforms": (["tileir/ir"], True),
    "codegen/layout": ([], False),
    "codegen/target": ([], False),
    "codegen/schedule": (["codegen/target"], False),
    "codegen/gpu": (["codegen/layout", "tileir/ir"], True),
    "codegen/transforms": (["codegen/gpu", "codegen/layout",
                            "codegen/schedule", "codegen/target",
                            "tileir/ir", "tileir/analysis"], True),
    "codegen/math": ([], True),
    "codegen/llvm": (["codegen/math", "runtime/abi"], True),
    "codegen/numeric": (["tileir/ir"], True),
    "codegen/cpu": (["codegen/llvm", "codegen/numeric", "codegen/schedule",
                     "tileir/diagnostics", "tileir/ir"], True),
    "codegen/nvptx": (["codegen/gpu", "codegen/layout", "codegen/llvm",
                       "codegen/numeric", "codegen/target",
                       "codegen/transforms", "tileir/ir",
                       "tileir/analysis"], True),
    "codegen/pipeline": (["codegen", "tileir/diagnostics", "tileir/ir",
                          "tileir/transforms",
                          "runtime/abi"], True),
    "verify/barriers": (["codegen/gpu", "codegen/layout", "tileir/ir"], True),
    "verify/scheduled": (["codegen/gpu", "codegen/layout", "tileir/ir",
                          "tileir/reference"], True),
    "verify/device": (["tileir/diagnostics", "tileir/ir", "tileir/reference",
                       "runtime/core"], True),
    "library/cache": (["runtime/core"], False),
    "library/plugin": (["codegen/pipeline", "codegen/target",
                        "frontends/interface",
                        "tileir/diagnostics", "tileir/ir", "runtime/core"],
                       True),
    "library/compiler": (["library/cache", "library/plugin", "codegen",
                          "tileir/diagnostics",
                          "tileir/ir", "tileir/text", "tileir/transforms",
                          "runtime/core", "runtime/abi"], True),
    "library/executable": (["library/compiler", "tileir/authoring",
                            "tileir/ir", "runtime/core"],
                           False),
    "library/tuning": (["library/compiler", "library/executable",
                        "autotune/database", "autotune/session",
                        "codegen/schedule", "tileir/authoring",
                        "runtime/core"], False),
    "library/capi": (["library", "tileir/ir", "runtime/capi", "runtime/core"], False),
    "graph/ir": ([], True),
    "graph/analysis": (["graph/ir", "tileir/ir"], True),
    "graph/transforms": (["graph/ir", "graph/analysis"], True),
    "graph/lowering": (["graph/ir", "graph/analysis", "graph/transforms",
                        "tileir/ir"], True),
    "graph/pipeline": (["graph/lowering", "graph/transforms"], True),
    "frontends/interface": (["runtime/core", "tileir/ir"], True),
    "frontends/mlir": (["frontends/interface", "tileir/diagnostics",
                        "tileir/ir"], True),
    "frontends/onnx": (["frontends/interface", "graph/ir", "graph/analysis",
                        "runtime/core", "tileir/ir"], True),
    "library/model": (["library/cache", "library/compiler", "library/plugin",
                       "frontends", "graph", "codegen/pipeline",
                       "codegen/cpu", "codegen/llvm", "codegen/nvptx",
                       "codegen/schedule", "codegen/target",
                       "tileir/analysis", "tileir/diagnostics", "tileir/ir",
                       "tileir/transforms", "runtime/abi", "runtime/core"],
                      True),
    "autotune/space": ([], False),
    "autotune/database": (["runtime/abi", "runtime/core"], False),
    "autotune/cost": (["codegen", "tileir/ir", "tileir/analysis",
                       "runtime/abi"], True),
    "autotune/task": (["autotune/cost", "autotune/database", "autotune/space",
                       "codegen", "graph", "library/compiler",
                       "library/model", "library/plugin",
                       "tileir/analysis", "tileir/diagnostics", "tileir/ir",
                       "tileir/text", "tileir/transforms", "runtime/core"],
                      True),
    "autotune/measure": (["autotune/database", "autotune/space",
                          "autotune/task", "runtime"], False),
    "autotune/search": (["autotune/cost", "autotune/space"],
                        False),
    "autotune/report": (["autotune/database", "runtime/abi"], False),
    "autotune/session": (["autotune", "runtime"], False),
    # The header compiler.h, which includes those of several components.
    "tilewright": (["runtime", "codegen", "library", "frontends", "tileir"],
                   False),
    "tools": (["runtime", "tileir", "codegen", "library", "graph",
               "frontends", "verify", "autotune"], True),
    "python": (["tilewright", "codegen/target", "library", "runtime"], False),
    "bench": (["autotune", "codegen", "runtime", "tileir", "library"], True),
    "examples": (["tilewright", "runtime", "tileir", "codegen", "library", "graph",
                  "frontends"], True),
    "test": (["tilewright", "runtime", "tileir", "codegen", "library", "graph", "frontends",
              "verify", "autotune", "tools"], True),
}
PROJECT = ("tilewright/", "support/", "runtime/", "tileir/", "codegen/", "graph/",
           "frontends/", "library/", "autotune/", "verify/", "tools/",
           "bench/", "examples/", "test/")


PUBLIC = "include/"
MLIR_HEADERS = "tilewright/mlir/"
# The component that a public header, or all of a folder, belongs to.
OWNERS = {
    "tilewright/runtime.h": "runtime/core",
    "tilewright/emulator.h": "runtime/core",
    "tilewright/authoring.h": "tileir/authoring",
    "tilewright/tuning.h": "library/tuning",
    "tilewright/support": "support",
    "tilewright/manifest": "runtime/abi",
    "tilewright/runtime": "runtime/core",
    "tilewright/authoring": "tileir/authoring",
    "tilewright/tuning": "library/tuning",
    "tilewright/c/tilewright.h": "runtime/capi",
    "tilewright/c/tilewright-compiler.h": "library/capi",
    "tilewright/codegen/CpuSchedule.h": "codegen/schedule",
    "tilewright/codegen/CpuTarget.h": "codegen/cpu",
    "tilewright/codegen/GpuTarget.h": "codegen/target",
    "tilewright/codegen/CodeOptions.h": "codegen/pipeline",
    "tilewright/codegen/KernelImage.h": "codegen/pipeline",
    "tilewright/codegen/PassPrinter.h": "codegen/pipeline",
    "tilewright/codegen/GpuSchedule.h": "codegen/schedule",
    "tilewright/codegen/CompilationControl.h": "codegen/llvm",
    "tilewright/compiler/Cache.h": "library/cache",
    "tilewright/compiler/CompileModel.h": "library/model",
    "tilewright/compiler/CompileRequest.h": "library/compiler",
    "tilewright/compiler/Compiler.h": "library/compiler",
    "tilewright/compiler/DeviceTensor.h": "library/executable",
    "tilewright/compiler/DiagnosticText.h": "library/compiler",
    "tilewright/compiler/Executable.h": "library/executable",
    "tilewright/compiler/ModelKind.h": "library/model",
    "tilewright/compiler/ModelSource.h": "frontends/interface",
    "tilewright/compiler/Plugins.h": "library/plugin",
    "tilewright/compiler/RemarkText.h": "library/compiler",
    "tilewright/compiler/ScheduleTable.h": "library/model",
    "tilewright/compiler/TileModule.h": "tileir/ir",
    "tilewright/mlir/Compile.h": "codegen/pipeline",
    "tilewright/mlir/Frontend.h": "frontends/interface",
    "tilewright/mlir/Registry.h": "library/plugin",
    "tilewright/mlir/Tile.h": "tileir/ir",
    "tilewright/mlir": "tileir/ir",
}
INCLUDE = re.compile(r'\s*#\s*include\s+[<"]([^>"]+)[>"]')


def includes(text):
    """The line numbers and names of what a text includes."""
    for line, content in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(content)
        if match:
            yield line, match.group(1)


def longest_prefix(table, path):
    matches = [name for name in table
               if path == name or path.startswith(name + "/")]
    return max(matches, key=len, default=None)


def component(path):
    """Of a source, or of what an include names."""
    path = path.removeprefix(PUBLIC)
    owner = longest_prefix(OWNERS, path)
    return OWNERS[owner] if owner else longest_prefix(LAYERS, path)


def public_problems(path, text):
    """What a public header includes and should not."""
    if not path.startswith(PUBLIC):
        return
    of_mlir = path.startswith(PUBLIC + MLIR_HEADERS)
    for line, name in includes(text):
        if of_mlir and name.startswith(EXTERNAL_COMPILER):
            continue
        if name.startswith(MLIR_HEADERS) and not of_mlir:
            yield f"{path}:{line}: not in {MLIR_HEADERS}, must not see {name}"
        elif "/" in name and not name.startswith("tilewright/"):
            yield f"{path}:{line}: a public header must not include {name}"


def main():
    root = pathlib.Path(sys.argv[1])
    problems = []
    for path in sources(root):
        own = component(path.as_posix())
        if own is None:
            problems.append(f"{path}: no layer is given for this folder")
            continue
        allowed, sees_compiler = LAYERS[own]
        text = (root / path).read_text(encoding="utf-8")
        problems += public_problems(path.as_posix(), text)
        for line, name in includes(text):
            if name.startswith(EXTERNAL_COMPILER) and not sees_compiler:
                problems.append(f"{path}:{line}: {own} must not see {name}")
            if not name.startswith(PROJECT):
                continue
            target = component(name)
            fine = target in (own, "support") or any(
                f"{target}/".startswith(f"{prefix}/")
                for prefix in allowed)
            if not fine:
                problems.append(f"{path}:{line}: {own} must not include {name}")
    print("\n".join(problems) or "all includes keep to the layers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
