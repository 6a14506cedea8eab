"""includes.py ROOT: who may include whom, and which namespaces a folder has, by
the table in docs/layers.md. A public header belongs to the component that
implements it, includes public headers alone, and sees LLVM or MLIR only in
tilewright/mlir. Folders that serve all formats of models name none."""

import pathlib
import re
import sys

from sources import sources

TABLE = "docs/layers.md"
EXTERNAL_COMPILER = ("mlir/", "llvm/", "llvm-c/", "mlir-c/")

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
    "tilewright/compiler/CompileModel.h": "library/model/import",
    "tilewright/compiler/CompileRequest.h": "library/compiler",
    "tilewright/compiler/Compiler.h": "library/compiler",
    "tilewright/compiler/DeviceTensor.h": "library/executable",
    "tilewright/compiler/DiagnosticText.h": "library/compiler",
    "tilewright/compiler/Executable.h": "library/executable",
    "tilewright/compiler/MapModel.h": "library/model/map",
    "tilewright/compiler/ModelKind.h": "library/model/import",
    "tilewright/compiler/ModelSource.h": "frontends/interface",
    "tilewright/compiler/Plugins.h": "library/plugin",
    "tilewright/compiler/RemarkText.h": "library/compiler",
    "tilewright/compiler/ScheduleTable.h": "library/model/import",
    "tilewright/compiler/TileModule.h": "tileir/ir",
    "tilewright/compiler/TorchOperators.h": "frontends/torch",
    "tilewright/compiler/TorchProgram.h": "frontends/torch/program",
    "tilewright/mlir/Compile.h": "codegen/pipeline",
    "tilewright/mlir/Frontend.h": "frontends/interface",
    "tilewright/mlir/Registry.h": "library/plugin",
    "tilewright/mlir/Relation.h": "library/plugin",
    "tilewright/mlir/Tile.h": "tileir/ir",
    "tilewright/mlir": "tileir/ir",
}
# Words of one format of models, which a folder does not know.
FORMAT_WORDS = {
    "graph/build": re.compile("onnx|opset|NodeProto", re.I),
}
# Namespaces whose members a program may add to.
EXTERNAL_NAMESPACES = {"llvm", "mlir", "support"}
NAMESPACE = re.compile(r"^namespace (\w[\w:]*) \{(.*?)^\} // namespace \1$",
                       re.M | re.S)
FORWARD = re.compile(r"\s*((class|struct|enum class) \w+( : \w+)?;\s*)*")
INCLUDE = re.compile(r'\s*#\s*include\s+[<"]([^>"]+)[>"]')


def includes(text):
    """The line numbers and names of what a text includes."""
    for line, content in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(content)
        if match:
            yield line, match.group(1)


class Layer:
    """A component, as a row of the table describes it."""

    def __init__(self, allowed, sees_compiler, namespaces):
        self.may_include_all = allowed.startswith("anything")
        self.allowed = names(allowed)
        self.sees_compiler = sees_compiler.startswith("yes")
        self.has_any_namespace = namespaces.startswith("any")
        self.namespaces = {"tilewright" if name == "tilewright"
                           else "tilewright::" + name
                           for name in names(namespaces)}


def names(cell):
    """Those in backticks; `a/{b,c}` is a/b and a/c."""
    found = []
    for text in re.findall(r"`([^`]+)`", cell):
        braces = re.fullmatch(r"(.*)\{(.*)\}", text)
        found += ([braces[1] + part for part in braces[2].split(",")]
                  if braces else [text])
    return found


def read_layers(root):
    """{component: Layer}."""
    layers = {}
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| (.*?) \| (.*?) \|$",
                      (root / TABLE).read_text(encoding="utf-8"), re.M)
    for folders, *cells in rows:
        for folder in names(folders):
            layers[folder] = Layer(*cells)
    return layers


def longest_prefix(table, path):
    matches = [name for name in table
               if path == name or path.startswith(name + "/")]
    return max(matches, key=len, default=None)


def component(layers, path):
    """Of a source, or of what an include names."""
    path = path.removeprefix(PUBLIC)
    owner = longest_prefix(OWNERS, path)
    return OWNERS[owner] if owner else longest_prefix(layers, path)


def opened(text):
    """The outermost namespaces in which a text defines something."""
    return {name for name, body in NAMESPACE.findall(text)
            if not FORWARD.fullmatch(body)}


def namespace_problems(root, path, text, layer):
    """The namespaces that are neither the folder's, nor in it, nor those of
    public headers that the file includes."""
    if layer.has_any_namespace or path.startswith(PUBLIC):
        return
    allowed = set(layer.namespaces)
    for _, name in includes(text):
        if name.startswith("tilewright/") and (root / PUBLIC / name).exists():
            allowed |= opened((root / PUBLIC / name).read_text(encoding="utf-8"))
    for name in sorted(opened(text) - EXTERNAL_NAMESPACES):
        if not any(name == each or
                   (each != "tilewright" and name.startswith(each + "::"))
                   for each in allowed):
            yield (f"{path}: expected the namespace "
                   f"{' or '.join(sorted(layer.namespaces))}, found {name}")


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


def format_problems(own, path, text):
    """The lines that speak of a format that the folder does not know."""
    words = FORMAT_WORDS.get(own)
    for line, content in enumerate(text.splitlines(), 1):
        if words and words.search(content):
            yield (f"{path}:{line}: {own} must not speak of "
                   f"{words.search(content)[0]}")


def main():
    root = pathlib.Path(sys.argv[1])
    layers = read_layers(root)
    problems = [f"{TABLE}: there is no folder {folder}" for folder in layers
                if folder != "tilewright" and not (root / folder).is_dir()]
    for path in sources(root):
        own = component(layers, path.as_posix())
        if own is None:
            problems.append(f"{path}: no layer is given for this folder")
            continue
        layer = layers[own]
        text = (root / path).read_text(encoding="utf-8")
        problems += public_problems(path.as_posix(), text)
        problems += format_problems(own, path, text)
        problems += namespace_problems(root, path.as_posix(), text, layer)
        for line, name in includes(text):
            if name.startswith(EXTERNAL_COMPILER) and not layer.sees_compiler:
                problems.append(f"{path}:{line}: {own} must not see {name}")
            if not name.startswith(PROJECT):
                continue
            target = component(layers, name)
            fine = layer.may_include_all or target == "support" or any(
                f"{target}/".startswith(f"{prefix}/")
                for prefix in [own, *layer.allowed])
            if not fine:
                problems.append(f"{path}:{line}: {own} must not include {name}")
    print("\n".join(problems) or
          "all includes and namespaces keep to the layers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
