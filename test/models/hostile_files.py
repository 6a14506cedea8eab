"""hostile_files.py TOOL: files that are no files, links that lead elsewhere,
names that are no names, threads that do not start, runs without an end. Each
gets one error at once and leaves nothing behind."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

from bad_input import GOOD, X, Y, interface, message, model, node


def weight(location):
    """A tensor f32[3] whose elements are in another file."""
    where = message((1, "location"), (2, location))
    return message((1, 3), (2, 1), (8, "w"), (13, where), (14, 1))


def with_weight(location):
    return model([node("Add", ["x", "w"], ["y"])], [X], [Y],
                 initializers=[weight(location)])


class Case:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.failed = tool, folder, 0
        self.temporary = folder / "tmp"
        self.temporary.mkdir()

    def start(self, *arguments, **options):
        limit = (4 << 30, 4 << 30)
        return subprocess.Popen(
            [self.tool, *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=self.folder,
            env={**os.environ, "TMPDIR": str(self.temporary)},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
            **options)

    def run(self, *arguments):
        process = self.start(*arguments)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        return process.returncode, out, err.decode(errors="replace")

    def expect(self, code, text, *arguments):
        returned, out, err = self.run(*arguments)
        one = err.count("error: ") == (code != 0)
        if returned != code or text not in err or not one:
            self.failed += 1
            print(f"{arguments}: expected {code} and '{text}', found "
                  f"{returned} and '{err[:300]}'")
        if list(self.temporary.iterdir()):
            self.failed += 1
            print(f"{arguments}: leaves {list(self.temporary.iterdir())}")
        return out

    def compile(self, code, text, name):
        self.expect(code, text, "compile", name, "--no-cache", "-o", "m.twp")


def check_no_files(case):
    """As a model, a tensor, a kernel, a launch file and weights."""
    folder = case.folder
    (folder / "good.onnx").write_bytes(GOOD)
    (folder / "k.ptx").write_text(
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k() { ret; }\n")
    (folder / "k.json").write_text(
        '{"entry": "k", "grid": [1], "block": [32]}')
    for kind, make, found in [
            ("pipe", os.mkfifo, "found a pipe"),
            ("loop", lambda path: os.symlink(path.name, path), ""),
            ("zero", lambda path: os.symlink("/dev/zero", path),
             "found a device"),
            ("folder", os.mkdir, "found a directory")]:
        for end in ["onnx", "pb", "npy", "ptx", "json", "bin"]:
            make(folder / f"{kind}.{end}")
        if kind != "folder":
            case.compile(1, found, f"{kind}.onnx")
        for end in ["pb", "npy"]:
            case.expect(1, found, "run", "good.onnx", "--input",
                        f"x={kind}.{end}")
        ptx = ["--device", "emulator", "--launch"]
        case.expect(1, found, "run", f"{kind}.ptx", *ptx, "k.json")
        case.expect(1, found, "run", "k.ptx", *ptx, f"{kind}.json")
        (folder / "w.onnx").write_bytes(with_weight(f"{kind}.bin"))
        case.compile(1, "" if kind == "zero" else found, "w.onnx")


def check_weights(case):
    """Data in another file are beside the model."""
    outside = "lies outside the model's folder"
    inner = case.folder / "inner"
    inner.mkdir()
    data = b"\0" * 12
    (case.folder / "secret.bin").write_bytes(data)
    (inner / "secret.bin").symlink_to(case.folder / "secret.bin")
    (inner / "up").symlink_to(case.folder)
    (inner / "w..bin").write_bytes(data)
    for location, code, text in [
            ("secret.bin", 1, outside), ("up/secret.bin", 1, outside),
            ("../secret.bin", 1, outside), ("up/../secret.bin", 1, outside),
            ("w..bin\0x", 1, outside), ("/etc/hostname", 1, outside),
            ("none.bin", 1, "cannot open"), ("w..bin", 0, "")]:
        (inner / "m.onnx").write_bytes(with_weight(location))
        case.compile(code, text, "inner/m.onnx")
    # As a cache of downloads has them: links to files beside each other.
    blobs, view = case.folder / "blobs", case.folder / "view"
    blobs.mkdir()
    view.mkdir()
    (blobs / "1").write_bytes(with_weight("w.bin"))
    (blobs / "2").write_bytes(data)
    (view / "m.onnx").symlink_to("../blobs/1")
    (view / "w.bin").symlink_to("../blobs/2")
    case.compile(0, "", "view/m.onnx")


def check_names(case):
    folder = case.folder
    (folder / "two.onnx").write_bytes(model(
        [node("Relu", ["x"], ["a/b"]), node("Exp", ["x"], ["a b"], "m")], [X],
        [interface("a/b", [2, 3]), interface("a b", [2, 3])]))
    case.expect(1, "outputs 'a/b' and 'a b' would both be written to a_b.npy",
                "run", "two.onnx", "--output-dir", "out")
    case.expect(0, "", "run", "two.onnx")
    # Escape sequences of terminals, in an error and in a result.
    strange = "y\x1b[2J\x7f\xc2\x9b"
    (folder / "strange.onnx").write_bytes(model(
        [node("Relu", ["x"], [strange])], [X], [interface(strange, [2, 3])]))
    out = case.expect(0, "", "run", "strange.onnx")
    assert b"y\\x1b[2J\\x7f" in out and b"\x1b" not in out, out
    (folder / "wrong.onnx").write_bytes(
        model([node("Relu", [strange], ["y"])], [X], [Y]))
    case.compile(1, "y\\x1b[2J\\x7f", "wrong.onnx")
    # A folder that is no UTF-8.
    out = case.expect(0, "", "run", "good.onnx", "--json", "--output-dir",
                      b"out\xff")
    assert json.loads(out)["outputs"][0]["file"].endswith("y.npy")


def check_packages(case):
    """Links in a package that lead to themselves, or nowhere."""
    case.expect(0, "", "compile", "good.onnx", "--no-cache", "-o", "good.twp")
    kernel = next((case.folder / "good.twp").glob("kernels/*.o"))
    name = f"kernels/{kernel.name}"
    for listed, target, text in [
            (True, kernel.name, "Too many levels of symbolic links"),
            (True, "none", "is missing"),
            (True, "/dev/zero", "found a device"),
            (False, "extra", "is not in its manifest.json"),
            (False, "none", "is not in its manifest.json")]:
        package = case.folder / "linked.twp"
        shutil.copytree(case.folder / "good.twp", package)
        link = package / (name if listed else "kernels/extra")
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        case.expect(1, text, "run", "linked.twp")
        case.expect(1, text, "inspect", "linked.twp")
        # What is no sound package is not replaced.
        returned, _, err = case.run("compile", "good.onnx", "--no-cache",
                                    "-o", "linked.twp")
        assert returned in (0, 1) and "filesystem error" not in err, err
        shutil.rmtree(package)
    (case.folder / "self").symlink_to("self")
    for place in ["self/m.twp", "self"]:
        case.expect(1, "self", "compile", "good.onnx", "--no-cache", "-o",
                    place)
        case.expect(1, "self", "run", place)
        case.expect(1, "self", "run", "good.onnx", "--output-dir", place)
    case.expect(1, "no such file", "run", "self/m.onnx")


def check_threads(case):
    """More threads than fit into 4 GiB of addresses."""
    case.expect(1, "threads, expected 4096", "run", "good.twp", "--threads",
                "4096")
    # These share the work with those that start.
    (case.folder / "many.onnx").write_bytes(model(
        [node("Relu", ["x"], ["y"])], [interface("x", [3000, 3000])],
        [interface("y", [3000, 3000])]))
    case.expect(0, "", "compile", "many.onnx", "--no-cache", "-o", "many.twp",
                "--target", "sm_80", "--threads", "4096")
    case.expect(0, "", "run", "many.twp", "--device", "emulator", "--threads",
                "4096")


def check_time_limit(case):
    """A sum of 10^12 numbers is not waited for, on any device."""
    (case.folder / "long.onnx").write_bytes(model(
        [node("Expand", ["x", "s"], ["a"]),
         node("ReduceSum", ["a"], ["y"], "m")],
        [interface("x", []), interface("s", [1], 7)], [interface("y", [1])]))
    np.save(case.folder / "s.npy", np.array([10**12]))
    for device in ["cpu", "interpreter", "emulator"]:
        case.expect(1, "longer than 1 s (--time-limit)", "run",
                    "long.onnx", "--input", "s=s.npy", "--scalar", "x=1",
                    "--device", device, "--time-limit", "1")
    case.expect(0, "", "run", "good.onnx", "--time-limit", "100")
    case.expect(2, "--time-limit", "run", "good.onnx", "--time-limit", "-1")


def check_interrupted(case):
    """The package of a model that runs is removed by each end."""
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        process = case.start("run", "good.onnx", "--repeat", "1000000000")
        while not list(case.temporary.iterdir()) and process.poll() is None:
            time.sleep(0.01)
        made, = case.temporary.iterdir()
        assert made.stat().st_mode & 0o777 == 0o700, oct(made.stat().st_mode)
        assert str(process.pid) not in made.name
        time.sleep(0.5)
        process.send_signal(number)
        process.communicate(timeout=60)
        assert process.returncode == 130, process.returncode
        assert not list(case.temporary.iterdir()), number


def main(tool):
    with tempfile.TemporaryDirectory() as folder:
        case = Case(os.path.abspath(tool), pathlib.Path(folder))
        for check in [check_no_files, check_weights, check_names,
                      check_packages, check_threads, check_time_limit,
                      check_interrupted]:
            check(case)
        print(f"{case.failed} failed")
        return case.failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
