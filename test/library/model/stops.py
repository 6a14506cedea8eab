"""stops.py TOOL FOLDER NAME [OPTION..]: a model or a tile kernel is stopped
after each of its passes, down to the llvm dialect of each kernel, and gone on
with in another process. What is written at a stop is the same, but for
locations, whether one process ran all passes before it or each ran in one of its
own. From each stop whose module is not that of the stop before comes the package
that a plain compilation makes, byte for byte: nothing that a pass needs is
anywhere but in the IR. Exits with 77 without the model."""

import pathlib
import re
import subprocess
import sys
import tempfile

TARGETS = ["--target", "cpu,sm_80,sm_90a"]


def compile_model(tool, model, *arguments):
    """The exit code of a compilation, and its errors."""
    done = subprocess.run([tool, "compile", model, *TARGETS, *arguments],
                          text=True, capture_output=True, check=False)
    return done.returncode, done.stderr.strip()


def make(tool, model, output, *arguments):
    code, error = compile_model(tool, model, "-o", output, *arguments)
    if code:
        sys.exit(f"{model} {' '.join(arguments)}: {error[-2000:]}")
    return output


def passes_of(tool, model):
    """The passes in order, as a stop that there is not lists them."""
    _, error = compile_model(tool, model, "--stop-after", "none", "-o",
                             "none.mlir")
    listed = re.search(r"these run: (.*)", error)
    if not listed:
        sys.exit(f"{model}: expected the passes, found {error}")
    return listed[1].split(", ")


LOCATION = re.compile(rb'( ?loc\((?:"[^"]*"|[^()"]|\([^()]*\))*\))|'
                      rb'^#loc\d* = .*\n', re.MULTILINE)
# MLIR's parser writes a default down that its builders leave out.
DEFAULT = b"unnamed_addr = 0 : i64, "


def parts_of(checkpoint):
    """The module at a stop without locations, and the passes that are left."""
    module, _, rest = checkpoint.read_bytes().rpartition(b"{-#")
    return LOCATION.sub(b"", module).replace(DEFAULT, b""), rest


def differences(package, expected):
    """The files that are not in both, or not the same bytes."""
    names = {path.relative_to(folder) for folder in (package, expected)
             for path in folder.rglob("*") if path.is_file()}
    return [str(name) for name in sorted(names)
            if not (package / name).exists() or not (expected / name).exists()
            or (package / name).read_bytes() != (expected / name).read_bytes()]


def main():
    tool, folder, name, *options = sys.argv[1:]
    # How PTX is written is no matter of the module.
    always = [option for option in options if option == "--lineinfo"]
    found = sorted(pathlib.Path(folder).rglob(name))
    if not found:
        print(f"skipped: there is no {name} in {folder}")
        return 77
    model = found[0]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        plain = make(tool, model, scratch / "plain.twp", *options)
        passes = passes_of(tool, model)
        stop, module, packages = model, None, 0
        for number, after in enumerate(passes):
            direct = make(tool, model, scratch / "direct.mlir", "--stop-after",
                          after, *options)
            # Of the passes that are left it is the first of its name.
            chained = make(tool, stop, scratch / f"{number}.mlir",
                           "--stop-after", after.partition(":")[0],
                           *(options if stop == model else []))
            if parts_of(direct) != parts_of(chained):
                sys.exit(f"{model}: after {after} one process leaves another "
                         f"module than {number + 1}")
            stop = chained
            if module == parts_of(stop)[0]:
                continue
            module, packages = parts_of(stop)[0], packages + 1
            package = make(tool, stop, scratch / f"{number}.twp", *always)
            if files := differences(package, plain):
                sys.exit(f"{model}: stopped after {after} these differ: "
                         f"{', '.join(files)}")
    print(f"{model.name}: {len(passes)} stops, {packages} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
