#!/usr/bin/env python3
"""Models mapped on machines: map_models.py TOOL COMPARE MODELS MACHINES [--models A,B] [--pairs ring8:f32,..]

Each model of the folder MODELS, with its recorded inputs and outputs, is
mapped, verified and simulated. The outputs must equal ONNX Runtime's (f32:
within 1e-3 relative and 1e-4; f16: within 2e-2 of the greatest magnitude), the
simulated cycles those of the map, and a second map must give the same bytes.
COMPARE (compare-vectors) says whether the program on vectors gives the same bits
as the schedule.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

import numpy

SHAPES = {"bert_dyn": ["input_ids=2x37", "attention_mask=2x37"]}


def run(*command):
    """The text of a command that must end well."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def contents(folder):
    """The bytes of each file of a package, by name."""
    files = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    return files


def check_outputs(model, precision, folder):
    for path in glob.glob(os.path.join(model, "out.*.npy")):
        name = os.path.basename(path)[len("out."):]
        expected = numpy.load(path)
        found = numpy.load(os.path.join(folder, name))
        difference = numpy.abs(expected - found)
        if precision == "f32":
            permitted = 1e-3 * numpy.abs(expected) + 1e-4
        else:
            permitted = 2e-2 * numpy.abs(expected).max()
        if found.shape != expected.shape or not (difference <= permitted).all():
            sys.exit(f"{model}: output {name} differs by {difference.max()}")


def check(tool, compare, model, machine, precision, effort):
    """Maps, verifies and simulates one model."""
    name = os.path.basename(model)
    shapes = [text for shape in SHAPES.get(name, [])
              for text in ("--input-shape", shape)]
    with tempfile.TemporaryDirectory() as folder:
        packages = [os.path.join(folder, f"{i}.tws") for i in range(2)]
        for package in packages:
            report = json.loads(run(
                tool, "map", os.path.join(model, "model.onnx"), "--machine",
                machine, "--precision", precision, "-o", package, "--json",
                "--effort", effort, *shapes))
        if contents(packages[0]) != contents(packages[1]):
            sys.exit(f"{name}: two maps differ")
        run(tool, "verify", packages[0])
        inputs, files = [], {}
        for path in glob.glob(os.path.join(model, "in.*.npy")):
            key = os.path.basename(path)[len("in."):-len(".npy")]
            inputs += ["--input", f"{key}={path}"]
            files[key] = path
        outputs = os.path.join(folder, "out")
        simulated = json.loads(run(tool, "run", packages[0], *inputs,
                                   "--output-dir", outputs, "--json"))
        if simulated["cycles"] != report["cycles"]:
            sys.exit(f"{name}: {report['cycles']} cycles were planned, "
                     f"{simulated['cycles']} simulated")
        if report["lower_bound"] > report["cycles"]:
            sys.exit(f"{name}: the bound is above the schedule: {report}")
        check_outputs(model, precision, outputs)
        graph = os.path.join(folder, "graph.mlir")
        run(tool, "compile", os.path.join(model, "model.onnx"), "--target",
            "cpu", "--stop-after", "verify-graph-form", "-o", graph, *shapes)
        with open(os.path.join(packages[0], "manifest.json"),
                  encoding="utf-8") as file:
            order = [entry["name"] for entry in json.load(file)["inputs"]]
        run(compare, graph, machine, precision, *[files[key] for key in order])
    print(f"{name} on {os.path.basename(machine)} in {precision}: "
          f"{report['cycles']} cycles, bound {report['lower_bound']}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("compare")
    parser.add_argument("models")
    parser.add_argument("machines")
    parser.add_argument("--models", dest="names",
                        default="bert,bert_dyn,gpt2,llama,vit,whisper,unet,"
                                "mobilenetv3")
    parser.add_argument("--pairs", default="ring8:f32,tsp1:f16")
    parser.add_argument("--effort", default="5")
    arguments = parser.parse_args()
    for name in arguments.names.split(","):
        for pair in arguments.pairs.split(","):
            machine, precision = pair.split(":")
            check(arguments.tool, arguments.compare,
                  os.path.join(arguments.models, name),
                  os.path.join(arguments.machines, machine + ".json"),
                  precision, arguments.effort)


if __name__ == "__main__":
    main()
