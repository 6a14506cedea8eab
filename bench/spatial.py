"""Maps models on a statically scheduled machine, simulates the schedules, and compares
cycles, times and memory with the bars of a table.

    bench/spatial.py TOOL PYPI [--models DIR] [--machine FILE] [--rows A,B]
                     [--timeout S] [--results FILE]

TOOL is build/bin/tilewright, PYPI the folder .cache/pypi that scripts/test fills.
Models are made here, with random weights; `bert` is model.onnx in DIR/bert. Cycles are
those that the simulator counted, multiply-adds are counted here, from the ONNX file.
Each of these is an error of its row: the planned cycles differ, the tool counts other
multiply-adds, an output differs from ONNX Runtime's by more than 2e-2 of its greatest
magnitude, a command takes longer than S seconds. Other rows are run all the same; the
exit code is then 1. A bar that is not met is no error."""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import spatial_models
from cpu_models import cpu_name, onnx_modules

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Case:
    """A model, and what is asked of it: by the name of a measure its bar."""
    what: str
    make: object
    bars: dict


BERT = {"batch": 2, "tokens": 64, "width": 256, "heads": 4, "hidden": 1024}


def cases(models):
    """By the name that --rows takes."""
    encoder = spatial_models.encoder
    return {
        "ffn": Case("SwiGLU feed-forward [128, 576] x 1536",
                    spatial_models.swiglu(128, 576, 1536),
                    {"mxm_use": 0.60, "cycles": 5529, "simulate_s": 0.5}),
        "ffn-large": Case("SwiGLU feed-forward [512, 2048] x 5632",
                          spatial_models.swiglu(512, 2048, 5632),
                          {"mxm_use": 0.75, "cycles": 230700}),
        "attention": Case("attention block, 256 x 1024, 16 heads",
                          spatial_models.attention(256, 1024, 16),
                          {"mxm_use": 0.25, "cycles": 47200}),
        "bert": Case("BERT, 4 layers",
                     models and spatial_models.recorded(models / "bert"),
                     {"cycles": 40000, "map_s": 10}),
        "resnet50": Case("ResNet-50, batch 1", spatial_models.resnet50(),
                         {"cycles": 200000, "map_s": 60, "simulate_s": 20}),
        "layers-4": Case("4 layers of BERT's size", encoder(4, **BERT), {}),
        "layers-24": Case("24 layers of BERT's size", encoder(24, **BERT), {}),
    }


class Failure(Exception):
    """A row has no figures."""


# A process begins with the peak memory of the one that starts it, so a small one
# does.
STARTER = """
import json, resource, subprocess, sys, time
start = time.monotonic()
try:
    done = subprocess.run(sys.argv[2:], capture_output=True, text=True,
                          timeout=float(sys.argv[1]))
    result = {"code": done.returncode, "output": done.stdout,
              "errors": done.stderr}
except subprocess.TimeoutExpired:
    result = {"code": None}
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"seconds": time.monotonic() - start,
                  "cpu": usage.ru_utime + usage.ru_stime,
                  "memory": usage.ru_maxrss * 1024, **result}))
"""


def measure(command, timeout):
    """Output, seconds, CPU seconds and peak memory in bytes of a command that
    ends well."""
    words = [str(word) for word in command]
    found = json.loads(subprocess.run(
        [sys.executable, "-c", STARTER, str(timeout), *words], check=True,
        stdout=subprocess.PIPE).stdout)
    if found["code"] is None:
        raise Failure(f"{words[1]}: longer than {timeout:.0f} s")
    if found["code"] != 0:
        lines = (found["errors"] + found["output"]).strip().splitlines()
        raise Failure(f"{words[1]}: exit code {found['code']}: "
                      + " ".join(lines[:1]))
    return (found["output"], found["seconds"], found["cpu"],
            found["memory"])


def greatest_difference(session, inputs, outputs):
    """Of the outputs from ONNX Runtime's, relative to their greatest
    magnitudes."""
    worst = 0
    for info, expected in zip(session.get_outputs(),
                              session.run(None, inputs)):
        found = np.load(outputs / f"{info.name}.npy")
        if found.shape != expected.shape:
            raise Failure(f"{info.name}: shape {found.shape}, ONNX Runtime's "
                          f"is {expected.shape}")
        difference = np.abs(found.astype(np.float64) - expected).max()
        worst = max(worst, difference / np.abs(expected).max())
    if not worst <= 2e-2:
        raise Failure(f"outputs differ by {worst:.2g} of their greatest "
                      "magnitude from ONNX Runtime's")
    return worst


def mxm_use(machine, precision, macs, cycles):
    """The share of the chip's multiply-adds that are the model's."""
    def number(value):
        return value["v"] if isinstance(value, dict) else value
    mxm = {key: number(value) for key, value in machine["mxm"].items()
           if key != "types"}
    planes = mxm["planes"] * sum(number(unit.get("count", 1))
                                 for unit in machine["units"]
                                 if unit["kind"] == "mxm")
    passes = number(machine["mxm"]["types"][precision])
    return (macs * passes
            / (cycles * planes * mxm["rows"] * mxm["columns"]))


def run_case(arguments, modules, case, folder):
    """The figures of a case."""
    onnx, onnxruntime = modules
    if not case.make:
        raise Failure("needs --models")
    model, inputs = case.make(onnx)
    path, package = folder / "model.onnx", folder / "model.tws"
    onnx.save(model, path)
    macs = spatial_models.count_products(onnx, model)
    output, map_s, map_cpu, memory = measure(
        [arguments.tool, "map", path, "--machine", arguments.machine,
         "--precision", arguments.precision, "-o", package, "--json"],
        arguments.timeout)
    planned = json.loads(output)
    if planned["macs"] != macs:
        raise Failure(f"map counts {planned['macs']} multiply-adds, the ONNX "
                      f"file has {macs}")
    command = [arguments.tool, "run", package, "--json", "--output-dir",
               folder / "outputs"]
    for number, (name, values) in enumerate(inputs.items()):
        np.save(folder / f"{number}.npy", values)
        command += ["--input", f"{name}={folder / f'{number}.npy'}"]
    output, run_s, run_cpu, _ = measure(command, arguments.timeout)
    found = json.loads(output)
    if found["cycles"] != planned["cycles"]:
        raise Failure(f"{planned['cycles']} cycles are planned, the simulator "
                      f"counts {found['cycles']}")
    session = onnxruntime.InferenceSession(str(path))
    machine = json.loads(arguments.machine.read_text())
    return {"cycles": found["cycles"], "lower_bound": planned["lower_bound"],
            "macs": macs, "units": planned["units"],
            "mxm_use": mxm_use(machine, arguments.precision, macs,
                               found["cycles"]),
            "map_s": map_s, "map_cpu": map_cpu, "run_cpu": run_cpu,
            "ms": planned["ms"], "memory": memory,
            "weights": path.stat().st_size,
            "simulate_s": found["ms"] / 1000, "run_s": run_s,
            "difference": greatest_difference(session, inputs,
                                              folder / "outputs")}


#===--- Tables -----------------------------------------------------------===#

TITLES = {"mxm_use": ("MXM use", "at least"), "cycles": ("cycles", "at most"),
          "map_s": ("map, s", "at most"), "memory": ("map, MiB", "at most"),
          "simulate_s": ("simulation, s", "at most"),
          "growth": ("map, 24 layers / 4 layers", "at most")}


def text_of(measured, value):
    if measured == "mxm_use":
        return f"{100 * value:.1f} %"
    if measured == "cycles":
        return f"{value:,}"
    if measured == "memory":
        return f"{value / 2 ** 20:,.0f}"
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def verdict(what, measured, bar, value):
    """A line of the table of bars."""
    title, side = TITLES[measured]
    is_met = value >= bar if side == "at least" else value <= bar
    return (f"| {what} | {title} | {side} {text_of(measured, bar)} | "
            f"{text_of(measured, value)} | {'met' if is_met else 'not met'} |")


def bar_lines(chosen, figures):
    lines = ["| what | measure | bar | found | |", "|---|---|---:|---:|---|"]
    for name, case in chosen.items():
        found = figures[name]
        if isinstance(found, Failure):
            lines.append(f"| {case.what} | | | {found} | error |")
            continue
        bars = dict(case.bars)
        bars["memory"] = 3 * found["weights"] + 500e6
        lines += [verdict(case.what, measured, bar, found[measured])
                  for measured, bar in bars.items()]
    few, many = figures.get("layers-4"), figures.get("layers-24")
    if isinstance(few, dict) and isinstance(many, dict):
        lines.append(verdict("24 layers of BERT's size", "growth", 7,
                             many["map_s"] / few["map_s"]))
    return lines


def figure_lines(figures):
    lines = ["| row | million multiply-adds | cycles | lower bound | mxm | vxm "
             "| sxm | mem | map s: import, vectors, schedule, write | CPU s "
             "| run s | CPU s | greatest difference |",
             "|---|" + "---:|" * 12]
    for name, found in figures.items():
        if isinstance(found, Failure):
            continue
        units = " | ".join(f"{100 * found['units'].get(kind, 0):.1f} %"
                           for kind in ("mxm", "vxm", "sxm", "mem"))
        parts = ", ".join(
            f"{found['ms'][part] / 1000:.2f}"
            for part in ("import", "vectors", "schedule", "write"))
        lines.append(
            f"| {name} | {found['macs'] / 1e6:,.1f} | {found['cycles']:,} | "
            f"{found['lower_bound']:,} | {units} | {parts} | "
            f"{found['map_cpu']:.1f} | {found['run_s']:.2f} | "
            f"{found['run_cpu']:.2f} | {found['difference']:.1g} |")
    return lines


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("pypi", type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--machine", type=pathlib.Path,
                        default=HERE.parent / "examples/machines/tsp1.json")
    parser.add_argument("--precision", default="f16")
    parser.add_argument("--rows", default="")
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--results", type=pathlib.Path)
    arguments = parser.parse_args()
    known = cases(arguments.models)
    names = [name for name in arguments.rows.split(",") if name] or list(known)
    for name in names:
        if name not in known:
            parser.error(f"--rows: there is no row '{name}'; the rows are "
                         + ", ".join(known))
    return arguments, {name: known[name] for name in names}


def main():
    arguments, chosen = parse_arguments()
    modules = onnx_modules(arguments.pypi)
    figures = {}
    for name, case in chosen.items():
        print(f"{name} ..", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                figures[name] = run_case(arguments, modules, case,
                                         pathlib.Path(folder))
            except Failure as failure:
                figures[name] = failure
    version = subprocess.run([arguments.tool, "--version"], text=True,
                             capture_output=True, check=True).stdout.split()[1]
    text = "\n".join([
        "# Models on a statically scheduled machine", "",
        f"{datetime.date.today()}, {cpu_name()} ({os.cpu_count()} cores), "
        f"tilewright {version}. {arguments.machine.stem}, "
        f"{arguments.precision}, random weights.", "",
        *bar_lines(chosen, figures), "", *figure_lines(figures), ""])
    print(text)
    if arguments.results:
        arguments.results.write_text(text)
    sys.exit(any(isinstance(each, Failure) for each in figures.values()))


if __name__ == "__main__":
    main()
