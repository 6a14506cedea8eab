"""schedules.py TOOL EXAMPLES: schedules on the command line. The one of the
documentation runs in 17 cycles, and each single shift of one of its lines is a
finding of `run` and of `verify`, which exit with 4; what cannot be read is one
error and exit 1, an option that a schedule does not have is exit 2."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

# A change of a file of the package, and the code that both judges find.
FINDINGS = [
    ("chip-0.txt", "@1 u3.b0 read r0", "@2 u3.b0 read r0", "missing-operand"),
    ("chip-0.txt", "read r0:x", "read r1:x", "undefined-read"),
    ("chip-0.txt", "buffer 0:wt[0]", "buffer 1:wt[0]", "undefined-read"),
    ("chip-0.txt", "@15 u3.b1 write w0:y[0].0 -> r0",
     "@15 u3.b1 write w0:y[0].0 -> r0\n@15 u3.b1 write w0:y[0].0 -> r0",
     "bank-conflict"),
    ("chip-0.txt", "u4.a0 max", "u4.a4 max", "capacity"),
    ("chip-0.txt", "@0 u2.b0 read r0+1:wt[0+2]", "@0 u2.b0 read r0+1:wt[1+2]",
     "wrong-operand"),
    ("chip-0.txt", "-> e0:h[0]", "-> e1:h[0]", "missing-operand"),
    ("chip-0.txt", "write w0:y[0].0 -> r0", "write w0:y[0].0 -> r1",
     "lost-value"),
    ("manifest.json", '"cycles": 17', '"cycles": 18', "wrong-length"),
    ("manifest.json", '"cycles": 17', '"cycles": 16', "wrong-length"),
]
# A change, and what the one error has.
ERRORS = [
    ("chip-0.txt", "@13 u4.a0 max", "@13 u4.a0 maximum",
     "chip-0.txt:9: error: expected an operation, found 'maximum'"),
    ("chip-0.txt", "e0:h[0] 0", "e0:h[1] 0",
     "chip-0.txt:9: error: the value 'h' has the vectors 0 to 0, and no 1"),
    ("manifest.json", '"shape": [4]', '"shape": [5]',
     "input 'x': layout: expected each of 5 elements once"),
    ("manifest.json", '"read_delay": 2', '"read_delay": 0',
     "mem.read_delay: expected an integer from 1"),
    ("manifest.json", '"sha256:', '"sha256:0', "the manifest expects sha256:0"),
]


class Test:
    """Calls the tool in a folder of its own."""

    def __init__(self, tool, folder, example):
        self.tool, self.folder, self.example = tool, folder, example

    def call(self, *arguments, code=0):
        done = subprocess.run([self.tool, *map(str, arguments)],
                              capture_output=True, text=True,
                              cwd=self.folder, check=False)
        if done.returncode != code:
            sys.exit(f"{arguments}: expected exit {code}, found "
                     f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def changed(self, file, old, new):
        """A copy of the example with `new` in place of `old`."""
        shutil.rmtree(self.folder / "c.tws", ignore_errors=True)
        shutil.copytree(self.example, self.folder / "c.tws")
        path = self.folder / "c.tws" / file
        text = path.read_text(encoding="utf-8")
        if old not in text:
            sys.exit(f"{file} has no '{old}'")
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def expect(self, found, expected, what):
        if found != expected:
            sys.exit(f"{what}: expected {expected}, found {found}")

    def expect_in(self, part, text, what):
        if part not in text:
            sys.exit(f"{what}: expected '{part}' in\n{text}")


def check_runs(test):
    np.save(test.folder / "x.npy", np.array([1, -1, 2, .5], np.float32))
    done = test.call("run", test.example, "--input", "x=x.npy",
                     "--output-dir", "out", "--json")
    result = json.loads(done.stdout)
    test.expect(np.load(test.folder / "out/y.npy").tolist(),
                [7, 1.5, 1.25, 0], "y")
    test.expect([result["cycles"], result["interval"]], [17, 17], "run --json")
    test.expect(result["outputs"][0]["shape"], [4], "run --json")
    text = test.call("run", test.example, "--seed", 3).stdout
    test.expect_in("random input, seed 3", text, "run")
    test.expect_in("17 cycles on toy4", text, "run")
    test.expect(json.loads(test.call("verify", test.example,
                                     "--json").stdout),
                {"findings": [], "cycles": 17, "interval": 17}, "verify")
    shutil.copytree(test.example, test.folder / "folder")
    test.expect_in("17 cycles", test.call("verify", "folder").stdout,
                   "a folder with another name")


def check_inspection(test):
    shown = json.loads(test.call("inspect", test.example, "--units",
                                 "--memory", "--json").stdout)
    test.expect([shown[k] for k in ("machine", "cycles", "lines",
                                    "instructions", "values",
                                    "constant_bytes")],
                ["toy4", 17, 7, 10, 4, 64], "inspect --json")
    test.expect(shown["grades"], {"assumed": 25}, "grades")
    units = {unit["unit"]: unit for unit in shown["units"]}
    test.expect(units["u0"]["queues"][0]["busy_cycles"], 2, "u0.p0.w")
    test.expect(units["u4"]["busy"], 1 / 17 / 4, "u4")
    for unit in shown["units"]:
        for queue in unit["queues"]:
            test.expect(queue["busy_cycles"]
                        + sum(queue["idle_cycles"].values()), 17,
                        queue["queue"])
    test.expect(units["u0"]["queues"][1]["idle_cycles"]["dependence"], 6,
                "u0.p0.a")
    slices = {s["unit"]: s for s in shown["memory"]["slices"]}
    test.expect(slices["u3"]["rows"], [1, 1] + 13 * [0] + [1, 1], "u3")
    test.expect(slices["u2"]["constants"], 4, "u2")
    text = test.call("inspect", test.example, "--units", "--memory").stdout
    for part in ("25 of the machine's 25 numbers are assumed",
                 "u0    mxm     5.9 %   p0.w 11.8 %   p0.a 5.9 %",
                 "  u4    ALUs             76.5 % ",
                 "rows in use, of 8192 of each unit"):
        test.expect_in(part, text, "inspect")


def first_findings(test, what):
    """The codes of the first finding of both judges, which must be one."""
    codes = []
    for command in ("run", "verify"):
        done = test.call(command, "c.tws", "--json", code=4)
        found = json.loads(done.stdout)["findings"][0]
        test.expect_in(f"({found['code']})", done.stderr.splitlines()[0],
                       what)
        codes.append((found["code"], found["cycle"], found["queue"]))
    test.expect(codes[0], codes[1], what)
    return codes[0][0]


def check_findings(test):
    for file, old, new, code in FINDINGS:
        test.changed(file, old, new)
        test.expect(first_findings(test, new), code, new)
    lines = (test.example / "chip-0.txt").read_text(encoding="utf-8")
    for line in re.findall(r"^@.*", lines, re.M):
        cycle = int(re.match(r"@(\d+)", line)[1])
        for other in {max(0, cycle - 1), cycle + 1} - {cycle}:
            shifted = re.sub(r"@\d+", f"@{other}", line)
            test.changed("chip-0.txt", line, shifted)
            first_findings(test, shifted)


def check_errors(test):
    for file, old, new, expected in ERRORS:
        test.changed(file, old, new)
        for command in ("run", "verify", "inspect"):
            done = test.call(command, "c.tws", code=1)
            test.expect(done.stdout, "", new)
            test.expect_in(expected, done.stderr, new)
    for words, expected in [
            (("run", "--device", "cpu"), "--device is not for a schedule"),
            (("run", "--input-shape", "x=4"), "--input-shape is not"),
            (("inspect", "--steps"), "--steps is not for a schedule")]:
        done = test.call(words[0], test.example, *words[1:], code=2)
        test.expect_in(expected, done.stderr, words)
    np.save(test.folder / "short.npy", np.zeros(3, np.float32))
    for words, expected in [
            (("--input", "x=short.npy"),
             "short.npy: error: input 'x': expected f32 [4], found f32 [3]"),
            (("--input", "z=x.npy"), "there is no input 'z'"),
            (("--scalar", "x=3"), "--scalar x: the input is a tensor")]:
        done = test.call("run", test.example, *words, code=1)
        test.expect_in(expected, done.stderr, words)
    done = test.call("verify", "absent.tws", code=1)
    test.expect_in("absent.tws", done.stderr, "a schedule that is not there")


def main():
    tool, examples = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        test = Test(tool, pathlib.Path(folder), examples / "spatial/relu.tws")
        check_runs(test)
        check_inspection(test)
        check_findings(test)
        check_errors(test)


if __name__ == "__main__":
    main()
