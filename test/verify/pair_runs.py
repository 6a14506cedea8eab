"""Runs the programs of the corpus: modules on the reference of graphs, tile
kernels on the interpreter, scheduled ones on the emulator in several orders."""

import json
import pathlib
import re
import sys
import tempfile

import numpy as np

import pair_cases

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "forked"))
import forked  # noqa: E402

# Seconds that one run may take.
LIMIT = 120


# When copies land, and seeds of the order of warps.
ORDERS = (("early", "1"), ("late", "2"))


def finish(command):
    """Exit code, output and errors of a program."""
    result = forked.run([str(word) for word in command], capture_output=True,
                        text=True, timeout=LIMIT, check=False)
    return result.returncode, result.stdout, result.stderr


class Fault(Exception):
    """A program does what is not defined."""


def start(command, fault=None):
    """What it printed. With `fault`, an exit code, that one is a Fault."""
    code, output, errors = finish(command)
    if code and code == fault and "does not parse" not in errors:
        raise Fault((errors + output).strip())
    if code:
        raise RuntimeError(f"{command[0]}: exit code {code}: {errors}{output}")
    return output


def stopped(tool, case, which, folder):
    """A file of --stop-after whose kernel is this one."""
    kernel, file = folder / "kernel.mlir", folder / f"{which}.mlir"
    kernel.write_text(case.programs["before"])
    start([tool, "compile", kernel, "--target", "sm_80", "--schedule",
           case.schedule, "--stop-after", "insert-barriers", "-o", file])
    text = re.sub(r"^#loc\d* = .*\n", "", file.read_text(), flags=re.M)
    text = re.sub(r' loc\((#loc\d*|"[^"]*":\d+:\d+|unknown)\)', "", text)
    names = re.findall(r"^#\w+ = .*\n", case.programs[which], re.M)
    ours = case.programs[which][case.programs[which].index("tile.kernel"):]
    outer, code = text.split("graph.gpu_code {", 1)
    code = re.sub(r"\n      tile\.kernel .*?\n      \}\n",
                  lambda _: "\n" + ours, code, count=1, flags=re.S)
    file.write_text("".join(names) + outer + "graph.gpu_code {" + code)
    return file


class Runner:
    def __init__(self, tool, interpreter):
        self.tool, self.interpreter = tool, interpreter

    def run(self, case, which, arrays, folder):
        """The outputs by name, or the text of the fault."""
        text = case.programs[which]
        with tempfile.TemporaryDirectory(dir=folder) as name:
            work = pathlib.Path(name)
            inputs = self.inputs(text, arrays, work)
            try:
                if pair_cases.is_scheduled(text):
                    return self.run_scheduled(case, which, inputs, work)
                (work / "p.mlir").write_text(text)
                return self.run_file(work / "p.mlir", text, inputs, work)
            except Fault as fault:
                return str(fault)

    def inputs(self, text, arrays, work):
        """The options of the command line: by name, then by position."""
        options, order = [], list(arrays)
        names = pair_cases.input_names(text)
        for number, argument in enumerate(pair_cases.inputs_of(text)):
            key = argument.name if argument.name in arrays else order[number]
            file = work / f"in{number}.npy"
            np.save(file, arrays[key])
            options += ["--input", f"{names[number]}={file}"]
        return options

    def run_file(self, path, text, inputs, work):
        options = [path, "--output-dir", work, *inputs]
        if pair_cases.is_kernel(text):
            return self.run_kernel(options + ["--device", "interpreter"])
        start([self.interpreter, *options], fault=1)
        return {result.name: np.load(work / f"{result.name}.npy")
                for result in pair_cases.results_of(text)}

    def run_kernel(self, options):
        report = json.loads(start([self.tool, "run", *options, "--json"],
                                  fault=4))
        return {output["name"]: np.load(output["file"])
                for output in report["outputs"]}

    def run_scheduled(self, case, which, inputs, work):
        package = work / "p.twp"
        start([self.tool, "compile", stopped(self.tool, case, which, work),
               "--resume", "--target", "sm_80", "-o", package])
        found = {}
        for landing, seed in ORDERS:
            now = self.run_kernel(
                [package, "--output-dir", work, *inputs, "--device", "emulator",
                 "--landing", landing, "--interleave", seed])
            for name, value in now.items():
                if name in found and found[name].tobytes() != value.tobytes():
                    raise Fault(f"{name} differs between orders")
            found.update(now)
        return found


def difference(case, before, after):
    """None if the program before has a fault, else what differs, or ''."""
    if isinstance(before, str):
        return None
    if isinstance(after, str):
        return after
    if list(before) != list(after):
        return f"outputs {list(after)}, expected {list(before)}"
    for output, a in before.items():
        b = after[output]
        if a.shape != b.shape:
            return f"{output}: shape {b.shape}, expected {a.shape}"
        wrong = pair_cases.differing(a, b, case.element(output), case.relation)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            return f"{output}{list(at)}: {b[at]}, expected {a[at]}"
    return ""
