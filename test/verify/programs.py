"""Right programs: where levels.py has them from. Each source is a generator of
(name, file, inputs), which it writes to a folder: inputs as `verify` takes them,
none where it finds some itself. One source for each process, since their modules
have the same names."""

import pathlib
import sys

import numpy as np

TEST = pathlib.Path(__file__).resolve().parents[1]


def saved(arrays, folder):
    """{name: file} of {name: array}."""
    folder.mkdir()
    files = {}
    for number, (name, array) in enumerate(arrays.items()):
        files[name] = folder / f"{number}.npy"
        np.save(files[name], array)
    return files


def modules(folder, names):
    """The modules of test/graph/modules; with names, those whose operations or
    form contain one."""
    sys.path.append(str(TEST / "graph/modules"))
    import cases
    import modules as _  # The import adds all cases.
    for number, case in enumerate(cases.CASES):
        if names and not any(n in f"{case.ops} {case.form}" for n in names):
            continue
        path = folder / f"m{number}.mlir"
        path.write_text(case.text)
        yield f"m{number}: {case.ops}: {case.form}", path, {}


def linalg(folder, seeds):
    """Random modules of test/fuzz/linalg."""
    sys.path.append(str(TEST / "fuzz/linalg"))
    from generate import Generator
    for seed in seeds:
        path = folder / f"linalg{seed}.mlir"
        program = Generator(seed).run()
        path.write_text(program.text())
        arrays = {f"input{number}": argument.data
                  for number, argument in enumerate(program.arguments())}
        yield f"linalg {seed}", path, saved(arrays, path.with_suffix(""))


def onnx(folder, seeds, pypi):
    """Random graphs of test/fuzz/onnx; `pypi` is the folder of its wheels."""
    sys.path.append(str(TEST / "fuzz/onnx"))
    import wheels
    missing = wheels.use(pypi)
    if missing:
        raise SystemExit(missing)
    import generate
    import onnx as package
    for seed in seeds:
        for number, case in enumerate(generate.case_from_seed(seed)):
            if not case.expected[0]:
                continue  # These inputs are wrong.
            path = folder / f"onnx{seed}-{number}.onnx"
            package.save(case.model, str(path))
            yield (f"onnx {seed}-{number}: {', '.join(case.operators)}", path,
                   saved(case.feeds[0], path.with_suffix("")))
