#!/usr/bin/env python3
"""One model of torch_models.py by all doors, in one process; torch_times.py runs it.

  torch_case.py TOOL MODEL --threads N --work DIR [--row N] [--no-inductor]
           [--onnx] [--key KEY]

Prints one line of JSON. Times are in seconds, each a pair: of the wall, and of the CPU,
that is of this process and its children. `call`: the least of a call, by who ran it, by
turns. `first`: the first call, and of it the compiler's part without Dynamo and
AOTAutograd (of Inductor without its passes before its inner compiler, too). `compile`:
TOOL's time for the .pt2 archive (with --onnx, for the same model by ONNX), and its peak
of memory. `wrong`: whose results differ from eager's. With --row N, MODEL is a function
along N elements, as an archive only.
"""

import argparse
import functools
import json
import os
import pathlib
import resource
import subprocess
import sys
import time
import warnings

# Inductor's compilations in this process, so that its CPU time counts.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

import numpy as np
import torch
import torch._inductor.config
from torch._inductor import compile_fx

import tilewright
import tilewright.torch

import torch_models

TURNS = 5
# Calls of one turn take about so many seconds.
TURN_SECONDS = 0.3


def now():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return np.array([time.perf_counter(), time.process_time() +
                     children.ru_utime + children.ru_stime])


class Part:
    """The time in a function; functools.partial takes what calls it."""

    def __init__(self):
        self.seconds = np.zeros(2)

    def wrap(self, function):
        @functools.wraps(function)
        def timed(*arguments, **keywords):
            start = now()
            try:
                return function(*arguments, **keywords)
            finally:
                self.seconds += now() - start
        return timed


def inductor(model, freezing):
    """Compiled by Inductor, and the time of its own part."""
    part = Part()
    inner = part.wrap(compile_fx.compile_fx_inner)

    def backend(module, inputs):
        return compile_fx.compile_fx(module, inputs, inner_compile=inner)
    compiled = torch.compile(model, backend=backend)

    def call(*arguments):
        # Freezing is decided when a graph is compiled.
        with torch._inductor.config.patch(freezing=freezing):
            return compiled(*arguments)
    return compiled, call, part


def ours(model, **options):
    part, compiler = Part(), tilewright.torch._compile.GraphCompiler
    original = compiler.compile

    def first(*arguments):
        compiler.compile = part.wrap(original)
        try:
            return compiled(*arguments)
        finally:
            compiler.compile = original
    compiled = torch.compile(
        model, backend="tilewright",
        options={"threads": torch.get_num_threads(), "strict": True, **options})
    return compiled, first, part


def flat(value):
    if torch.is_tensor(value):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for part in value for t in flat(part)]
    return flat(list(value.values()))


def is_same(found, expected):
    """Within 1e-3, relative to the largest element; integers exactly."""
    found, expected = np.asarray(found), expected.numpy()
    if expected.dtype.kind != "f":
        return np.array_equal(found, expected)
    scale = np.abs(expected).max(initial=1e-6)
    return np.allclose(found, expected, rtol=1e-3, atol=1e-3 * scale,
                       equal_nan=True)


# The memory of a child that Python starts begins with that of its parent, so a small
# process stands between.
COMPILE = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"seconds": [time.perf_counter() - start,
                              used.ru_utime + used.ru_stime],
                  "peak": used.ru_maxrss * 1024}))
sys.exit(code)
"""


def compile_file(tool, file, package, threads):
    """Seconds and peak bytes of the command."""
    output = subprocess.run(
        [sys.executable, "-S", "-c", COMPILE, tool, "compile", file, "--target",
         "cpu", "--no-cache", "--threads", str(threads), "-o", package],
        check=True, capture_output=True, text=True).stdout
    return json.loads(output)


class Package:
    """A call of the package of an archive, from arrays to arrays."""

    def __init__(self, program, package, arguments, threads):
        self.session = tilewright.open("cpu", threads).load_model(
            package).session()
        names = program.graph_signature.user_inputs
        self.inputs = {name: value.numpy()
                       for name, value in zip(names, arguments)}

    def __call__(self, *_):
        return list(self.session.run(self.inputs).values())


def least(function, arguments, repeat):
    times = []
    for _ in range(repeat):
        start = now()
        function(*arguments)
        times.append(now() - start)
    return np.min(times, axis=0)


def first_call(function, arguments, part):
    start = now()
    result = function(*arguments)
    total = now() - start
    return result, {"total": list(total), "part": list(part.seconds)}


def measure(options):
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    if options.row:
        model, arguments = torch_models.rows(options.row)[options.model]
    else:
        model, arguments = torch_models.MODELS[options.model]()
    model.eval()
    weights = sum(p.numel() * p.element_size()
                  for p in {id(t): t for t in [*model.parameters(),
                                               *model.buffers()]}.values())
    result = {"key": options.key, "model": options.model, "threads": options.threads,
              "weights": weights, "first": {}, "compile": {}, "wrong": []}
    expected, runners = flat(model(*arguments)), {"eager": model}

    def add(name, made):
        compiled, first, part = made
        found, result["first"][name] = first_call(first, arguments, part)
        runners[name] = compiled
        check(name, flat(found))

    def check(name, found):
        if len(found) != len(expected) or not all(
                map(is_same, found, expected)):
            result["wrong"].append(name)

    if not options.row:
        add("ours", ours(model))
        add("ours, frozen", ours(model, freeze=True))
    archive = options.work / "model.pt2"
    program = torch.export.export(model, arguments)
    torch.export.save(program, archive)
    result["compile"]["pt2"] = compile_file(
        options.tool, archive, options.work / "model.twp", options.threads)
    runners["ours, .pt2"] = Package(program, options.work / "model.twp",
                                    arguments, options.threads)
    check("ours, .pt2", runners["ours, .pt2"]())
    if options.onnx:
        torch.onnx.export(program, (), options.work / "model.onnx",
                          external_data=False, verbose=False)
        result["compile"]["onnx"] = compile_file(
            options.tool, options.work / "model.onnx",
            options.work / "onnx.twp", options.threads)
    if not options.no_inductor:
        add("Inductor", inductor(model, False))
        add("Inductor, frozen", inductor(model, True))
    times = {name: [] for name in runners}
    seconds = least(model, arguments, 1)[0]
    repeat = max(1, min(20, int(TURN_SECONDS / seconds)))
    for _ in range(TURNS):
        for name, runner in runners.items():
            times[name].append(least(runner, arguments, repeat))
    result["call"] = {name: list(np.min(each, axis=0))
                      for name, each in times.items()}
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--row", type=int)
    parser.add_argument("--key", default="")
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--onnx", action="store_true")
    warnings.simplefilter("ignore")
    with torch.no_grad():
        found = measure(parser.parse_args())
    print(json.dumps(found, default=float))
    sys.exit(1 if found["wrong"] else 0)


if __name__ == "__main__":
    main()
