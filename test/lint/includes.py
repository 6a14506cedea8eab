"""includes.py ROOT: who may include whom. The table is docs/layers.md's."""

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
    "library/plugin": (["codegen/target", "frontends/interface",
                        "tileir/diagnostics", "tileir/ir", "runtime/core"],
                       True),
    "library/compiler": (["library/cache", "library/plugin", "codegen",
                          "tileir/diagnostics",
                          "tileir/ir", "tileir/transforms", "runtime/core",
                          "runtime/abi"], True),
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
                       "tileir/diagnostics", "tileir/ir", "tileir/text",
                       "tileir/transforms", "runtime/abi", "runtime/core"],
                      True),
    "autotune/space": ([], False),
    "autotune/database": (["runtime/abi", "runtime/core"], False),
    "autotune/cost": (["codegen", "tileir/ir", "tileir/analysis",
                       "runtime/abi"], True),
    "autotune/task": (["autotune/cost", "autotune/database", "autotune/space",
                       "codegen", "graph", "library/compiler",
                       "library/model", "library/plugin", "tileir/ir",
                       "tileir/text", "tileir/transforms",
                       "runtime/core"], True),
    "autotune/measure": (["autotune/database", "autotune/space",
                          "autotune/task", "runtime"], False),
    "autotune/search": (["autotune/cost", "autotune/space"],
                        False),
    "autotune/report": (["autotune/database", "runtime/abi"], False),
    "autotune/session": (["autotune", "runtime"], False),
    "tools": (["runtime", "tileir", "codegen", "library", "graph",
               "frontends", "verify", "autotune"], True),
    "python": (["codegen/target", "library", "runtime"], False),
    "bench": (["autotune", "codegen", "runtime", "tileir", "library"], True),
    "examples": (["runtime", "tileir", "codegen", "library", "graph",
                  "frontends"], True),
    "test": (["runtime", "tileir", "codegen", "library", "graph", "frontends",
              "verify", "autotune", "tools"], True),
}
PROJECT = ("support/", "runtime/", "tileir/", "codegen/", "graph/",
           "frontends/", "library/", "autotune/", "verify/", "tools/",
           "bench/", "examples/", "test/")


# Headers that programs which know no MLIR include: nothing that these include
# may see it either.
PLAIN_HEADERS = ("frontends/interface/ModelSource.h", "library/cache/Cache.h",
                 "library/compiler/Compiler.h",
                 "library/compiler/DiagnosticText.h",
                 "library/compiler/RemarkText.h", "library/model/CompileModel.h",
                 "library/model/ModelKind.h", "library/plugin/Plugins.h",
                 "tileir/ir/TileModule.h", "codegen/pipeline/KernelImage.h")
INCLUDE = re.compile(r'\s*#\s*include\s+[<"]([^>"]+)[>"]')


def includes(text):
    """The line numbers and names of what a text includes."""
    for line, content in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(content)
        if match:
            yield line, match.group(1)


def seen_from(root, header, seen):
    """Adds to `seen` each external header of the compiler that `header` leads
    to, and who includes it."""
    if header in seen or not (root / header).exists():
        return
    seen[header] = None
    for line, name in includes((root / header).read_text(encoding="utf-8")):
        if name.startswith(EXTERNAL_COMPILER):
            seen[name] = f"{header}:{line}"
        seen_from(root, name, seen)


def component(path):
    matches = [name for name in LAYERS
               if path == name or path.startswith(name + "/")]
    return max(matches, key=len, default=None)


def main():
    root = pathlib.Path(sys.argv[1])
    problems = []
    for path in sources(root):
        own = component(str(path))
        if own is None:
            problems.append(f"{path}: no layer is given for this folder")
            continue
        allowed, sees_compiler = LAYERS[own]
        text = (root / path).read_text(encoding="utf-8")
        for line, name in includes(text):
            if name.startswith(EXTERNAL_COMPILER) and not sees_compiler:
                problems.append(f"{path}:{line}: {own} must not see {name}")
            if not name.startswith(PROJECT):
                continue
            target = component(name)
            fine = target in (own, "support") or any(
                name.startswith(prefix + "/") for prefix in allowed)
            if not fine:
                problems.append(f"{path}:{line}: {own} must not include {name}")
    for header in PLAIN_HEADERS:
        seen = {}
        seen_from(root, header, seen)
        problems += [f"{place}: {header} must not lead to {name}"
                     for name, place in seen.items() if place]
    print("\n".join(problems) or "all includes keep to the layers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
