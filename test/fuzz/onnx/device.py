"""Runs a case by the command line, and checks it."""

import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "forked"))
import forked  # noqa: E402

# "accepted": it ran, and ONNX Runtime says that it must not.
FAULTS = ("wrong", "accepted", "crash", "hang")
VERDICTS = ("match", "rejected") + FAULTS
LIMIT = 60


@dataclasses.dataclass
class Verdict:
    kind: str
    text: str = ""
    assignment: int = None
    outputs: tuple = ()  # Names of the wrong ones.
    found: dict = dataclasses.field(default_factory=dict)

    @property
    def reason(self):
        return self.kind + ": " + normalize(self.text)


def normalize(text):
    """A message without names and numbers, so that those of one cause are
    equal."""
    line = text.strip().splitlines()[0] if text.strip() else ""
    line = re.sub(r"\S*\.(onnx|twp)\b:?", "MODEL", line)
    line = re.sub(r"'(\w+?)_[tcx]\d+'", r"'\1'", line)
    line = re.sub(r"\b[tcxS]\d+(\.dim\d+)?\b", "X", line)
    line = re.sub(r"\[[^\[\]]*\]", "[..]", line)
    return re.sub(r"-?\b\d[\d.]*(e[+-]?\d+)?\b", "#", line)[:220]


class Device:
    """The command line: `device` is cpu, interpreter or emulator; `target`,
    of a GPU, goes with emulator."""

    def __init__(self, tool, device="cpu", target=None, limit=LIMIT,
                 options=()):
        self.tool, self.device, self.limit = str(tool), device, limit
        self.options = options  # Of compile.
        self.target = target or ("sm_90a" if device == "emulator" else device)

    def execute(self, arguments):
        return forked.run([self.tool, *map(str, arguments)],
                          capture_output=True, text=True,
                          timeout=self.limit, check=False)

    def check(self, case):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="fuzz-"))
        try:
            return self.check_in(case, folder)
        except subprocess.TimeoutExpired:
            return Verdict("hang", f"no end after {self.limit} s")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def check_in(self, case, folder):
        model = folder / "m.onnx"
        onnx.save(case.model, str(model))
        package = model
        if self.device != "interpreter" and not case.by_run:
            package = folder / "m.twp"
            done = self.execute(["compile", model, "-o", package,
                                 "--target", self.target, *self.options])
            if done.returncode:
                return self.rejection(case, done)
        for k in range(len(case.feeds)):
            verdict = self.check_one(case, k, package, folder)
            if verdict.kind != "match":
                verdict.assignment = k
                return verdict
        return Verdict("match")

    @staticmethod
    def rejection(case, done):
        found = failure(done)
        must = all(values is None for values in case.expected)
        return Verdict("match") if found.kind == "rejected" and must else found

    def check_one(self, case, k, package, folder):
        arguments = ["run", package, "--json", "--device", self.device,
                     "--output-dir", folder / f"out{k}"]
        if self.device != "interpreter":
            arguments += ["--threads", "1"]
        for number, (name, value) in enumerate(case.feeds[k].items()):
            path = folder / f"in{k}_{number}.npy"
            np.save(path, value)
            arguments += ["--input", f"{name}={path}"]
        done = self.execute(arguments)
        if case.expected[k] is None:
            if done.returncode:
                return self.rejection(case, done)
            return Verdict("accepted", "it runs, ONNX Runtime rejects: "
                           + case.errors[k]["rejected"])
        if done.returncode:
            return failure(done)
        bad, texts = {}, []
        for entry in json.loads(done.stdout)["outputs"]:
            name = entry["name"]
            value = np.load(entry["file"])
            text = difference(value, case.expected[k][name],
                              case.errors[k][name])
            if text:
                bad[name] = value
                texts.append(f"output {name}: {text}")
        return Verdict("wrong", "; ".join(texts), outputs=tuple(bad),
                       found=bad) if bad else Verdict("match")


def failure(done):
    text = done.stderr.strip()
    # 4: a device that checks found it.
    if done.returncode in (1, 4) and re.match(r"([^\n]+: )?error: ", text):
        return Verdict("rejected", text)
    return Verdict("crash", f"exit code {done.returncode}: {text[-600:]}")


def brief(array):
    return np.array2string(np.asarray(array), threshold=12,
                           separator=",").replace("\n", "")


def difference(found, expected, error):
    """How `found` differs by more than `error`, or None."""
    if found.dtype != expected.dtype:
        return f"dtype {found.dtype}, expected {expected.dtype}"
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    if expected.dtype.kind == "f":
        with np.errstate(all="ignore"):
            distance = np.abs(found.astype(float) - expected.astype(float))
        good = (found == expected) | (distance <= error) | np.isinf(error) | \
            (np.isnan(found) & np.isnan(expected))
    else:
        good = found == expected
    if np.all(good):
        return None
    at = tuple(int(i) for i in np.argwhere(~good)[0]) if found.ndim else ()
    return (f"{int(np.sum(~good))} of {found.size} elements differ, at "
            f"{list(at)} found {found[at]}, expected {expected[at]}"
            f" +- {np.broadcast_to(error, found.shape)[at]:.1e}")
