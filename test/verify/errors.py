"""errors.py TOOL [--targets cpu,sm_80] [--seeds N] [NAME...]: the modules of
test/graph/modules, compiled and run, with their errors against exact arithmetic:
none is above its bound. With names, only the modules whose operations or form
contain one. Prints how much larger bounds are than errors, and which modules
have none."""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "graph" / "modules"))
import cases  # noqa: E402
import modules  # noqa: E402,F401, the import adds all cases

# Modules that have no exact results, and why.
NOT_EXACT = {
    "winograd": "the reference of graphs does not know this op",
    "tensor.bitcast": "depends on the format of floats",
    "a stride of 2^63 - 1, one window":
        "no inputs of the sizes that are tried are defined",
}


class Sweep:
    """What all runs came to."""

    def __init__(self):
        self.runs, self.ratios = 0, []
        self.without, self.failures = [], []

    def add(self, name, report):
        for target in report["targets"]:
            where = f"{name} ({target['target']})"
            self.runs += 1
            if "no_bounds" in target:
                self.without.append(f"{where}: {target['no_bounds']}")
                continue
            for output in target["outputs"]:
                if output["exceeded"]:
                    self.failures.append(f"{where}: {json.dumps(output)}")
                if output["unbounded"]:
                    self.without.append(
                        f"{where}: {output['unbounded']} of "
                        f"{output['compared']} elements of {output['output']}")
                if output["bounds"]["error"]:
                    self.ratios.append(1 / output["bounds"]["error"])

    def summary(self):
        logs = [math.log(ratio) for ratio in self.ratios]
        mean = math.exp(sum(logs) / max(len(logs), 1))
        return (f"{self.runs} runs; bound / greatest error: geometric mean "
                f"{mean:.2f}, at most {max(self.ratios, default=0):.0f}; "
                f"{len(self.without)} without bounds")


def verify(tool, path, seed, targets):
    """The report, or the error's text."""
    command = [tool, "verify", str(path), "--numerics", "--json", "--target",
               targets, "--seed", str(seed), "--samples", "300"]
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "takes more than 300 seconds"
    if done.returncode not in (0, 4):
        return f"exit {done.returncode}: {done.stderr.strip()}"
    return json.loads(done.stdout)


def chosen_modules(names):
    for case in cases.CASES:
        name = f"{case.ops} {case.form}"
        if not names or any(part in name for part in names):
            yield name, case.text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--targets", default="cpu,sm_80")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_intermixed_args()
    sweep = Sweep()
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for number, (name, text) in enumerate(
                chosen_modules(arguments.names)):
            path = pathlib.Path(folder) / f"m{number}.mlir"
            path.write_text(text)
            jobs += [(name, pool.submit(verify, arguments.tool, path, seed,
                                        arguments.targets))
                     for seed in range(arguments.seeds)]
        for name, job in jobs:
            found = job.result()
            why = [text for part, text in NOT_EXACT.items() if part in name]
            if isinstance(found, dict):
                sweep.add(name, found)
                if why:
                    sweep.failures.append(f"{name} has exact results: remove it "
                                          "from NOT_EXACT")
            elif not why:
                sweep.failures.append(f"{name}: {found}")
    for line in sweep.without:
        print("no bounds:", line[:400].replace("\n", " "))
    for line in sweep.failures:
        print("FAILED", line[:600])
    print(sweep.summary())
    return 1 if sweep.failures or not sweep.runs else 0


if __name__ == "__main__":
    sys.exit(main())
