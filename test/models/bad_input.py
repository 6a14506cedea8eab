"""bad_input.py TOOL: wrong models, packages, inputs and locations to write. Each
gives one message, "error: ..." or "FILE: error: ...", the exit code of the
contract, and leaves nothing behind."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "forked"))
import forked  # noqa: E402


# A small writer of protobuf messages: (field, value) pairs.
def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def message(*parts):
    out = b""
    for field, value in parts:
        if isinstance(value, int):
            out += varint(field << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(field << 3 | 2) + varint(len(data)) + data
    return out


def interface(name, shape, kind=1):
    dims = [(1, message((1, size) if isinstance(size, int) else (2, size)))
            for size in shape]
    return message((1, name), (2, message(
        (1, message((1, kind), (2, message(*dims)))))))


def node(op, inputs, outputs, name="n"):
    return message(*[(1, text) for text in inputs],
                   *[(2, text) for text in outputs], (3, name), (4, op))


def model(nodes, inputs, outputs, opset=17, initializers=()):
    graph = message(*[(1, entry) for entry in nodes], (2, "g"),
                    *[(5, entry) for entry in initializers],
                    *[(11, entry) for entry in inputs],
                    *[(12, entry) for entry in outputs])
    return message((1, 8), (7, graph), (8, message((1, ""), (2, opset))))


def subgraph(nodes, inputs, outputs, initializers=()):
    """Inputs and outputs that are names have no type."""
    def info(entry):
        return message((1, entry)) if isinstance(entry, str) else entry
    return message(*[(1, entry) for entry in nodes], (2, "g"),
                   *[(5, entry) for entry in initializers],
                   *[(11, info(entry)) for entry in inputs],
                   *[(12, info(entry)) for entry in outputs])


def with_graphs(entry, **graphs):
    """A node with graphs as attributes."""
    return entry + b"".join(
        message((5, message((1, name), (6, graph), (20, 5))))
        for name, graph in graphs.items())


def cast(source, target, kind):
    return node("Cast", [source], [target]) + message(
        (5, message((1, "to"), (3, kind), (20, 2))))


def branches(other):
    """y = c ? Relu(x) : `other`, of f32[2, 3] on the one side."""
    pick = with_graphs(node("If", ["c"], ["y"], "pick"),
                       then_branch=subgraph([node("Relu", ["x"], ["a"])], [],
                                            ["a"]),
                       else_branch=subgraph(*other))
    return model([pick], [X, C], [Y])


def loop(nodes):
    """y = x after m iterations of nodes from s to t."""
    body = subgraph([node("Identity", ["on"], ["on2"]), *nodes],
                    [interface("i", [], 7), interface("on", [], 9), "s"],
                    [interface("on2", [], 9), "t"], [ZERO])
    return model([with_graphs(node("Loop", ["m", "", "x"], ["y"], "rep"),
                              body=body)], [X, M], [Y])


C, M = interface("c", [], 9), interface("m", [], 7)
ZERO = message((1, 1), (2, 7), (8, "zero"), (7, 0))
X, Y = interface("x", [2, 3]), interface("y", [2, 3])
GOOD = model([node("Relu", ["x"], ["y"])], [X], [Y])
HUGE = interface("x", [1 << 40, 1 << 40])
BAD_MODELS = {
    "truncated": GOOD[:len(GOOD) // 2],
    "text": b"this is no model",
    "empty": b"",
    "cyclic": model([node("Add", ["x", "b"], ["a"]),
                     node("Add", ["x", "a"], ["b"], "m")], [X],
                    [interface("a", [2, 3])]),
    "unknown-op": model([node("Frobnicate", ["x"], ["y"])], [X], [Y]),
    "unknown-input": model([node("Relu", ["z"], ["y"])], [X], [Y]),
    "too-few-inputs": model([node("Add", ["x"], ["y"])], [X], [Y]),
    "no-such-output": model([node("Relu", ["x"], ["z"])], [X], [Y]),
    "wrong-shapes": model([node("MatMul", ["x", "w"], ["y"])],
                          [X, interface("w", [4, 3])], [Y]),
    "wrong-type": model([node("Add", ["x", "i"], ["y"])],
                        [X, interface("i", [2, 3], 7)], [Y]),
    "string-input": model([node("Identity", ["s"], ["y"])],
                          [interface("s", [2], 8)],
                          [interface("y", [2], 8)]),
    "huge-shape": model([node("Relu", ["x"], ["y"])], [HUGE],
                        [interface("y", [1 << 40, 1 << 40])]),
    "new-opset": model([node("Relu", ["x"], ["y"])], [X], [Y], opset=1000),
    "short-weight": model(
        [node("Add", ["x", "w"], ["y"])], [X], [Y],
        initializers=[message((1, 2), (1, 3), (2, 1), (8, "w"),
                              (9, b"\0" * 7))]),
}


class Checker:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.failures = tool, folder, []

    def expect(self, label, arguments, code=1, words=(), **options):
        result = forked.run([self.tool, *map(str, arguments)],
                            capture_output=True, text=True, timeout=120,
                            check=False, **options)
        text = result.stderr
        problem = None
        if result.returncode != code:
            problem = f"exit code {result.returncode}, expected {code}"
        elif code == 1 and (not re.match(r"([^\n]+: )?error: ", text) or
                            text.count("error: ") != 1):
            problem = "expected exactly one message"
        for word in words:
            if word not in text:
                problem = problem or f"the message lacks '{word}'"
        if problem:
            self.failures.append(f"{label}: {problem}\n{text}")
        else:
            print(f"{label}: {text.splitlines()[0] if text else code}")


def check_models(check):
    for label, data in BAD_MODELS.items():
        path = check.folder / f"{label}.onnx"
        path.write_bytes(data)
        package = check.folder / f"{label}.twp"
        check.expect(f"model {label}", ["compile", path, "-o", package])
        if package.exists():
            check.failures.append(f"model {label}: left a package")
    check.expect("model absent", ["compile", check.folder / "none.onnx", "-o",
                                  check.folder / "none.twp"])
    check.expect("model of no known kind", ["compile", __file__, "-o",
                                            check.folder / "py.twp"])


# Models whose control flow makes no sense, and what their errors say.
BAD_CONTROL = {
    "branches of two types": (
        branches(([cast("x", "b", 7)], [], ["b"])),
        ["node 'pick' (If): expected results of one type, found f32[2, 3] "
         "in one branch and i64[2, 3] in the other"]),
    "branches of two ranks": (
        branches(([node("Unsqueeze", ["x", "zero"], ["b"])], [], ["b"],
                  [ZERO])),
        ["node 'pick' (If)", "f32[2, 3] in one", "f32[1, 2, 3] in the other"]),
    "branch of no result": (
        branches(([], [], [])), ["node 'pick' (If)", "0 outputs"]),
    "carried type": (
        loop([cast("s", "t", 7)]),
        ["node 'rep' (Loop)", "from f32[2, 3] to i64[2, 3]"]),
    "carried rank": (
        loop([node("Unsqueeze", ["s", "zero"], ["t"])]),
        ["node 'rep' (Loop)", "from f32[2, 3] to f32[1, 2, 3]"]),
}


def check_control(check):
    def compiled(label, data, code=1, words=()):
        path = check.folder / "control.onnx"
        path.write_bytes(data)
        package = check.folder / f"{label}.twp"
        check.expect(label, ["compile", path, "-o", package], code, words)
        if package.exists() != (code == 0):
            check.failures.append(f"{label}: wrong package")
        return package

    def number(value):
        path = check.folder / f"{value}.npy"
        np.save(path, np.array(value))
        return f"m={path}"

    for label, (data, words) in BAD_CONTROL.items():
        compiled(label, data, words=words)
    sized = compiled("sized", model(
        [node("Unsqueeze", ["m", "zero"], ["n"]),
         node("ConstantOfShape", ["n"], ["y"])], [M], [interface("y", ["K"])],
        initializers=[ZERO]), code=0)
    check.expect("negative size", ["run", sized, "--input", number(-3)],
                 words=["ConstantOfShape:n", "is -3, expected at least 0"])
    check.expect("size of 2^62", ["run", sized, "--input", number(2**62)],
                 words=["ConstantOfShape:n", "overflow"])
    bounded = check.folder / "bounded.twp"
    check.expect("bound", ["compile", check.folder / "control.onnx",
                           "--max-shape", "y=10", "-o", bounded], code=0)
    check.expect("size at its bound", ["run", bounded, "--input", number(10)],
                 code=0)
    check.expect("size beyond its bound",
                 ["run", bounded, "--input", number(11)],
                 words=["is 11, expected at most 10"])
    endless = compiled("endless", loop([node("Relu", ["s"], ["t"])]), code=0)
    check.expect("count of 2^63 - 1",
                 ["run", endless, "--time-limit", "0.2", "--input",
                  number(2**63 - 1)], words=["longer than 0.2 s (--time-limit)"])
    check.expect("count of -2^63", ["run", endless, "--input", number(-2**63)],
                 code=0)
    check_stop(check, [endless, "--input", number(2**63 - 1)])
    return sized


def waits_for_signals(process):
    """Whether SIGINT does not end it at once: it asks for the signal."""
    status = pathlib.Path("/proc", str(process.pid), "status").read_text()
    blocked = int(re.search(r"^SigBlk:\s*(\w+)", status, re.M)[1], 16)
    return bool(blocked >> (signal.SIGINT - 1) & 1)


def check_stop(check, run):
    """Ctrl-C in an endless loop, and in a kernel that takes long."""
    path = check.folder / "long.onnx"
    path.write_bytes(model(
        [node("Expand", ["x", "s"], ["a"]), node("ReduceSum", ["a"], ["y"])],
        [interface("x", []), interface("s", [1], 7)], [interface("y", [1])]))
    size = check.folder / "size.npy"
    np.save(size, np.array([10**12]))
    for label, arguments in (
            ("loop", run),
            ("kernel", [path, "--input", f"s={size}", "--scalar", "x=1"])):
        written = check.folder / "written"
        process = subprocess.Popen(
            [check.tool, "run", *map(str, arguments), "--output-dir",
             str(written)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        while process.poll() is None and not waits_for_signals(process):
            time.sleep(.05)
        time.sleep(2)  # The model is compiled first.
        process.send_signal(signal.SIGINT)
        output, text = process.communicate(timeout=60)
        # A loop has its name in front if it saw it before its body did.
        if (process.returncode != 130 or output or written.exists() or
                not re.fullmatch(r"error: (step 1 \(Loop:rep\): )?"
                                 r"the run was cancelled\n", text)):
            check.failures.append(
                f"Ctrl-C in a {label}: {process.returncode}\n{output}{text}")


def check_inputs(check, good):
    def array(name, value):
        path = check.folder / name
        np.save(path, value)
        return path

    fine = array("fine.npy", np.zeros((2, 3), np.float32))
    wrong_shape = array("shape.npy", np.zeros((2, 4), np.float32))
    wrong_rank = array("rank.npy", np.zeros(6, np.float32))
    wrong_type = array("type.npy", np.zeros((2, 3), np.int64))
    objects = array("object.npy", np.array([None, "a"], dtype=object))
    cut = check.folder / "cut.npy"
    cut.write_bytes(fine.read_bytes()[:90])
    check.expect("input of wrong name", ["run", good, "--input", f"z={fine}"],
                 words=["'z'", "x"])
    check.expect("input of wrong shape",
                 ["run", good, "--input", f"x={wrong_shape}"],
                 words=["'x'", "[2, 4]", "expected 3"])
    check.expect("input of wrong rank",
                 ["run", good, "--input", f"x={wrong_rank}"], words=["'x'"])
    check.expect("input of wrong dtype",
                 ["run", good, "--input", f"x={wrong_type}"],
                 words=["i64", "f32"])
    check.expect("objects", ["run", good, "--input", f"x={objects}"])
    check.expect("truncated input", ["run", good, "--input", f"x={cut}"])
    check.expect("absent input", ["run", good, "--input", "x=none.npy"])
    check.expect("input without a name", ["run", good, "--input", "fine.npy"],
                 code=2)
    check.expect("unknown device", ["run", good, "--device", "abacus"], code=2,
                 words=["abacus", "cpu"])
    for device in ("cpu", "emulator"):
        check.expect(f"100000 threads on the {device}",
                     ["run", good, "--device", device, "--threads", "100000"],
                     words=["at most 4096 threads, found 100000"])
    check.expect("unknown option", ["run", good, "--frobnicate"], code=2)
    check.expect("no command", [], code=2)


def check_packages(check, good):
    def edited(label, change, words=()):
        package = check.folder / f"{label}.twp"
        subprocess.run(["cp", "-r", good, package], check=True)
        change(package)
        check.expect(f"package {label}", ["run", package], words=words)

    def cut(path, keep):
        path.write_bytes(path.read_bytes()[:keep])

    def flip(path):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 255
        path.write_bytes(data)

    kernel = next((good / "kernels").iterdir()).name
    edited("without-manifest", lambda p: (p / "manifest.json").unlink())
    edited("cut-manifest", lambda p: cut(p / "manifest.json", 100))
    edited("foreign-manifest",
           lambda p: (p / "manifest.json").write_text('{"a": 1}'))
    edited("without-kernel", lambda p: (p / "kernels" / kernel).unlink())
    edited("cut-kernel", lambda p: cut(p / "kernels" / kernel, 200))
    edited("edited-kernel", lambda p: flip(p / "kernels" / kernel))
    edited("without-weights",
           lambda p: (p / "weights.safetensors").unlink())

    def future(package):
        manifest = json.loads((package / "manifest.json").read_text())
        manifest["tilewright_package"] = 99
        (package / "manifest.json").write_text(json.dumps(manifest))

    edited("newer-version", future)

    def nested(package):
        """10,000 loops in each other."""
        path = package / "manifest.json"
        text = path.read_text()
        deep = '{"loop": {"count": 1, "steps": [' * 10000 + "]}}" * 10000 + ","
        path.write_text(re.sub(r'"steps": \[', lambda m: m[0] + deep, text, 1))

    edited("nested", nested, words=["nested"])


def check_sizes(check, sized):
    """A size that is used before it is read, and outside of its list."""
    manifest = json.loads((sized / "manifest.json").read_text())
    steps = manifest["steps"]
    read = next(i for i, step in enumerate(steps) if "read" in step)
    symbol = steps[read]["read"]["symbol"]
    inside = {"loop": {"count": 1, "steps": [steps[read]]}, "label": "l"}
    for label, changed in (
            ("before", steps[:read] + steps[read + 1:] + [steps[read]]),
            ("outside", steps[:read] + [inside] + steps[read + 1:])):
        package = check.folder / f"{label}.twp"
        subprocess.run(["cp", "-r", sized, package], check=True)
        (package / "manifest.json").write_text(
            json.dumps({**manifest, "steps": changed}))
        check.expect(f"size {label}", ["run", package],
                     words=["unknown symbol", symbol])


def check_locations(check, model_path, good):
    blocker = check.folder / "file"
    blocker.write_text("in the way")
    check.expect("output directory is a file",
                 ["run", good, "--output-dir", blocker / "x"])
    check.expect("package below a file",
                 ["compile", model_path, "-o", blocker / "x.twp"])
    check.expect("package over somebody's file",
                 ["compile", model_path, "-o", blocker])
    if blocker.read_text() != "in the way":
        check.failures.append("a file was overwritten")

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    full = check.folder / "full.twp"
    check.expect("no space", ["compile", model_path, "-o", full],
                 preexec_fn=small_files)
    if full.exists():
        check.failures.append("no space: left a package")


def check_interrupt(check, model_path):
    """Killed at several moments, a compilation leaves a whole package or
    none."""
    for delay in (0.02, 0.05, 0.1, 0.2):
        package = check.folder / f"killed{delay}.twp"
        process = subprocess.Popen(
            [check.tool, "compile", str(model_path), "-o", str(package)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        process.wait()
        if package.exists():
            check.expect(f"package after {delay} s", ["run", package], code=0)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check = Checker(sys.argv[1], pathlib.Path(folder))
        model_path = check.folder / "good.onnx"
        model_path.write_bytes(GOOD)
        good = check.folder / "good.twp"
        check.expect("good model", ["compile", model_path, "-o", good], code=0)
        check.expect("good package", ["run", good], code=0)
        explain = ["compile", model_path, "--explain-fusion", "--max-shape"]
        check.expect("greatest shape of no input", [*explain, "z=2x3"],
                     words=["'z'"])
        check.expect("greatest shape of wrong rank", [*explain, "x=2"],
                     words=["'x'", "[2]", "expects 2 dimensions"])
        check.expect("greatest shape of wrong size", [*explain, "x=2x4"],
                     words=["'x'", "[2, 4]", "expected 3"])
        check_models(check)
        check_sizes(check, check_control(check))
        check_inputs(check, good)
        check_packages(check, good)
        check_locations(check, model_path, good)
        check_interrupt(check, model_path)
    print("\n".join(["", *check.failures]), file=sys.stderr)
    return 1 if check.failures else 0


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C"
    sys.exit(main())
