#!/usr/bin/env python3
"""Memory-bound kernels of ours and of Triton: their times on a GPU.

  gpu_times.py prepare TOOL FOLDER [--target sm_90a] [--case NAME ..]
  gpu_times.py time FOLDER [--target sm_90a] [--json FILE] [--markdown FILE]
                    [--repeat N]

`prepare` needs no GPU. It compiles the cases of counter_cases with TOOL
(tilewright, its default schedule, --fast-math) into FOLDER/NAME.twp, and each
with few rows into FOLDER/emulated, with inputs and what the emulator makes of
them, for scripts/gpu-round --emulated. It needs the packages of gpu_counters.py
but Triton.

`time` runs on the machine with the GPU, in a Python with torch, Triton and
SciPy. Each candidate of Triton is timed, and the fastest stands for it. Both
sides are PTX that the driver assembles, launched by one function, from the same
buffers. A time is that between two events around all launches of the case; the
L2 cache is written over before. Prints microseconds, the ratio, and the bytes of
inputs and outputs a second, next to those of a copy of 1 GiB by torch. Packages
of FOLDER that are no cases are timed alone; their shapes must be static.
"""

import argparse
import concurrent.futures
import ctypes
import dataclasses
import json
import math
import multiprocessing
import os
import pathlib
import re
import statistics
import sys
import tempfile

os.environ["TILEWRIGHT_CACHE_DIR"] = "off"
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

from counter_cases import all_cases, named


def prepare(options):
    from counter_cases import cases, ours
    emulated = options.folder / "emulated"
    emulated.mkdir(parents=True, exist_ok=True)
    for case in named(options.case or [""]):
        small = case.small(rows=16)
        inputs = cases.arrays(small)
        weights = {name: inputs[name] for name in case.family.weights}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            package = ours.compile_package(options.tool, case, weights,
                                           options.target, folder)
            package.rename(options.folder / f"{case.name}.twp")
            package = ours.compile_package(options.tool, small, weights,
                                           options.target, folder)
            beside = emulated / f"{case.name}.inputs"
            beside.mkdir()
            for key in case.family.inputs_with_x():
                cases.save(inputs[key], beside / f"{key}.npy")
            ours.execute(options.tool, package,
                         list(case.family.inputs_with_x()), beside)
            expected = emulated / f"{case.name}.expected"
            expected.mkdir()
            (beside / "y.npy").rename(expected / "y.npy")
            package.rename(emulated / f"{case.name}.twp")


class Driver:
    """The CUDA driver, in the context that torch made."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(text))
            raise ValueError(f"{name}: {(text.value or b'?').decode()}")

    def load(self, launch):
        """The module of a launch, and its function there."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module),
                  launch.ptx.encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module,
                  launch.entry.encode())
        if launch.shared > 48 << 10:
            # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.call("cuFuncSetAttribute", function, 8, launch.shared)
        return module, function

    def unload(self, module):
        self.call("cuModuleUnload", module)

    def bind(self, function, launch, arguments, stream):
        """A function that enqueues the launch; `arguments` are of ctypes."""
        pointers = (ctypes.c_void_p * len(arguments))(*(
            ctypes.cast(ctypes.byref(each), ctypes.c_void_p)
            for each in arguments))
        block = (launch.threads, 1, 1)
        words = [*map(ctypes.c_uint, (*launch.grid, *block, launch.shared))]
        handle = ctypes.c_void_p(stream)

        def run():
            self.call("cuLaunchKernel", function, *words, handle, pointers,
                      None)
        run.arguments = arguments  # They live as long: the pointers lead there.
        return run


def parameters_of(ptx, entry):
    """How many the entry has."""
    head = re.search(r"\.entry\s+" + re.escape(entry) + r"\s*\((.*?)\)", ptx,
                     re.DOTALL)
    return len(re.findall(r"\.param\b", head[1])) if head else 0


def compile_candidate(name, number, target):
    """The tuning of a candidate of Triton, and its launches."""
    from counter_cases import theirs
    case = next(each for each in all_cases() if each.name == name)
    tuning = case.family.tunings(case)[number]
    made = [theirs.compile_program(program, target)
            for program in case.family.programs(case, **tuning)]
    return tuning, made


class Memory:
    """Buffers on the GPU by name: `indices` as given, all else from a normal
    distribution."""

    def __init__(self, indices):
        self.indices, self.tensors = indices, {}

    def pointer(self, buffer):
        import torch
        from counter_cases.launches import BITS
        if buffer.name not in self.tensors:
            count = math.prod(buffer.shape)
            if buffer.name in self.indices:
                tensor = torch.from_numpy(self.indices[buffer.name]).cuda()
            elif buffer.dtype in ("f32", "f16", "bf16"):
                tensor = torch.randn(count, device="cuda").to(
                    {"f32": torch.float32, "f16": torch.float16,
                     "bf16": torch.bfloat16}[buffer.dtype])
            else:
                tensor = torch.zeros(count * BITS[buffer.dtype] // 8,
                                     dtype=torch.uint8, device="cuda")
            self.tensors[buffer.name] = tensor
        return self.tensors[buffer.name].data_ptr()

    def argument(self, each):
        from counter_cases.launches import Buffer
        if each is None:
            return ctypes.c_void_p(0)
        if isinstance(each, Buffer):
            return ctypes.c_void_p(self.pointer(each))
        kind, value = each
        return (ctypes.c_int64 if kind == "i64" else ctypes.c_int32)(value)


class Timer:
    def __init__(self, repeat):
        import torch
        self.torch, self.driver, self.repeat = torch, Driver(), repeat
        size = torch.cuda.get_device_properties(0).L2_cache_size
        self.flush = torch.empty(2 * size, dtype=torch.int8, device="cuda")
        self.stream = torch.cuda.current_stream().cuda_stream

    def microseconds(self, runs, repeat):
        """Of all functions of `runs`, one after the other."""
        event = lambda: self.torch.cuda.Event(enable_timing=True)
        pairs = []
        for _ in range(repeat + 3):
            start, end = event(), event()
            self.flush.zero_()
            start.record()
            for run in runs:
                run()
            end.record()
            pairs.append((start, end))
        self.torch.cuda.synchronize()
        return [start.elapsed_time(end) * 1e3 for start, end in pairs[3:]]

    def time(self, launches, memory, repeat=None):
        loaded = [self.driver.load(launch) for launch in launches]
        runs = []
        for launch, (_, function) in zip(launches, loaded):
            # Triton's pointers to scratch memory, as many as it has.
            given = [each for each in launch.arguments if each is not None]
            missing = parameters_of(launch.ptx, launch.entry) - len(given)
            if missing < 0:
                raise ValueError(f"{launch.entry} has fewer parameters than "
                                 "arguments")
            arguments = [memory.argument(each) for each in
                         given + [None] * missing]
            runs.append(self.driver.bind(function, launch, arguments,
                                         self.stream))
        times = self.microseconds(runs, repeat or self.repeat)
        for module, _ in loaded:
            self.driver.unload(module)
        return times


@dataclasses.dataclass
class Row:
    case: str
    bytes: int = None
    ours: list = None
    triton: list = None
    tuning: dict = None
    kernels: int = 0
    problems: list = dataclasses.field(default_factory=list)

    @property
    def ratio(self):
        return (statistics.median(self.ours) / statistics.median(self.triton)
                if self.ours and self.triton else None)


def time_ours(timer, row, package, rows, memory):
    from counter_cases import ours
    try:
        launches = list(ours.launches(package, rows))
        row.kernels = len(launches)
        row.ours = timer.time(launches, memory)
    except ValueError as error:
        row.problems.append(f"ours: {error}")


def time_case(timer, case, folder, candidates):
    from counter_cases import cases
    from counter_cases.launches import BITS
    row = Row(case.name, sum(math.prod(each.shape) * BITS[each.dtype] // 8
                             for each in case.buffers()))
    memory = Memory(cases.arrays(case, case.family.indices))
    best, launches = None, []
    for future in candidates:
        try:
            tuning, made = future.result()
            found = statistics.median(timer.time(made, memory, 7))
        except Exception as error:  # Of Triton, whatever it raises.
            row.problems.append(f"Triton: {str(error).strip()[:200]}")
            continue
        if best is None or found < best:
            best, row.tuning, launches = found, tuning, made
    time_ours(timer, row, folder / f"{case.name}.twp", case.shape[0], memory)
    if launches:
        row.triton = timer.time(launches, memory)
    return row


def copy_rate(timer):
    """Bytes a second, read and written."""
    torch = timer.torch
    x = torch.zeros(1 << 28, device="cuda")
    y = torch.empty_like(x)
    times = timer.microseconds([lambda: y.copy_(x)], timer.repeat)
    return 2 * 4 * x.numel() / statistics.median(times) * 1e6


def table(rows, rate):
    yield ("| case | kernels | ours us | Triton us | ratio | GB/s | of a copy |")
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        median = lambda times: statistics.median(times) if times else math.nan
        mine = median(row.ours)
        speed = (row.bytes or math.nan) / mine * 1e6
        yield (f"| {row.case} | {row.kernels} | {mine:.1f} | "
               f"{median(row.triton):.1f} | {row.ratio or math.nan:.2f} | "
               f"{speed / 1e9:,.0f} | {speed / rate:.0%} |")
    ratios = [row.ratio for row in rows if row.ratio]
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        worst = max((row for row in rows if row.ratio),
                    key=lambda row: row.ratio)
        yield (f"\nOurs to Triton's: geometric mean {mean:.2f} of {len(ratios)} "
               f"cases, worst {worst.ratio:.2f} ({worst.case}). A copy moves "
               f"{rate / 1e9:,.0f} GB/s.")
    for row in rows:
        for problem in row.problems:
            yield f"- {row.case}: {problem}"


def time(options):
    import torch
    import triton
    # The workers start before this process uses the GPU.
    pool = concurrent.futures.ProcessPoolExecutor(
        os.cpu_count(), multiprocessing.get_context("spawn"))
    cases = [case for case in all_cases()
             if (options.folder / f"{case.name}.twp").is_dir()]
    candidates = {case.name: [pool.submit(compile_candidate, case.name, i,
                                          options.target)
                              for i in range(len(case.family.tunings(case)))]
                  for case in cases}
    timer, rows = Timer(options.repeat), []
    rate = copy_rate(timer)

    def add(row):
        rows.append(row)
        print(row.case, row.ratio, *row.problems, file=sys.stderr, flush=True)
        if options.json:
            options.json.write_text(json.dumps(
                {"device": torch.cuda.get_device_name(0),
                 "torch": torch.__version__, "triton": triton.__version__,
                 "copy_bytes_per_second": rate,
                 "rows": [dataclasses.asdict(row) for row in rows]}) + "\n")
    for package in sorted(options.folder.glob("*.twp")):
        if package.stem not in candidates:
            row = Row(package.stem)
            time_ours(timer, row, package, None, Memory({}))
            add(row)
    for case in cases:
        add(time_case(timer, case, options.folder, candidates[case.name]))
    pool.shutdown(cancel_futures=True)
    text = "\n".join([f"{torch.cuda.get_device_name(0)}, torch "
                      f"{torch.__version__}, Triton {triton.__version__}", "",
                      *table(rows, rate)]) + "\n"
    print(text, end="")
    if options.markdown:
        options.markdown.write_text(text)
    return 1 if any(not row.ours or (row.case in candidates and not row.triton)
                    for row in rows) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    making = commands.add_parser("prepare")
    making.add_argument("tool", type=pathlib.Path)
    making.add_argument("folder", type=pathlib.Path)
    making.add_argument("--target", default="sm_90a")
    making.add_argument("--case", nargs="+")
    making.set_defaults(action=prepare)
    timing = commands.add_parser("time")
    timing.add_argument("folder", type=pathlib.Path)
    timing.add_argument("--target", default="sm_90a")
    timing.add_argument("--repeat", type=int, default=30)
    timing.add_argument("--json", type=pathlib.Path)
    timing.add_argument("--markdown", type=pathlib.Path)
    timing.set_defaults(action=time)
    options = parser.parse_args()
    return options.action(options)


if __name__ == "__main__":
    sys.exit(main())
