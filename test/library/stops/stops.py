"""stops.py TOOL FOLDER NAME [--every N] [--all] [OPTION..]: a model or a tile
kernel is stopped after every Nth of its passes (each, if not given), and after
the last, down to the llvm dialect of each kernel, and what lies between two stops
runs in a process of its own. What is written is what one process leaves that ran
all passes before it, but for locations; and from the first and the last of these
modules comes the package that a plain compilation makes, byte for byte: nothing
that a pass needs is anywhere but in the IR. With --all, every file of that name in
the folder is one of them. Exits with 77 without the model."""

import argparse
import pathlib
import re
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "forked"))
import forked  # noqa: E402

TARGETS = ["--target", "cpu,sm_80,sm_90a"]


def compile_model(tool, model, *arguments):
    """The exit code of a compilation, and its errors."""
    done = forked.run([tool, "compile", model, *TARGETS, *arguments],
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


def check(tool, model, every, options):
    # How PTX is written is no matter of the module.
    always = [option for option in options if option == "--lineinfo"]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        plain = make(tool, model, scratch / "plain.twp", *options)
        passes = passes_of(tool, model)
        stop, modules, done = model, [], 0
        for number, after in enumerate(passes, start=1):
            if number % every and number != len(passes):
                continue
            # Among the passes that are left, the name may come later.
            name = after.partition(":")[0]
            left = [each.partition(":")[0] for each in passes[done:number]]
            again = f":{left.count(name)}" if left.count(name) > 1 else ""
            stop = make(tool, stop, scratch / f"{number}.mlir",
                        "--stop-after", name + again,
                        *(options if stop == model else ["--resume"]))
            done = number
            direct = make(tool, model, scratch / "direct.mlir", "--stop-after",
                          after, *options)
            if parts_of(direct) != parts_of(stop):
                sys.exit(f"{model}: after {after} one process leaves another "
                         f"module than {number}")
            if not modules or parts_of(modules[-1])[0] != parts_of(stop)[0]:
                modules.append(stop)
        # The stops between them showed what the passes need.
        for stop in modules[::len(modules) - 1 or 1]:
            package = make(tool, stop, stop.with_suffix(".twp"), "--resume",
                           *always)
            if files := differences(package, plain):
                after = passes[int(stop.stem) - 1]
                sys.exit(f"{model}: stopped after {after} these differ: "
                         f"{', '.join(files)}")
    print(f"{model.name}: {len(passes)} stops, {len(modules)} modules")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("name")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    arguments, options = parser.parse_known_args()
    found = sorted(arguments.folder.rglob(arguments.name))
    if not found:
        print(f"skipped: there is no {arguments.name} in {arguments.folder}")
        return 77
    for model in found if arguments.all else found[:1]:
        check(arguments.tool, model, arguments.every, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
