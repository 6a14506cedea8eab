"""Whether a change of the compiler changed what it makes.

    golden.py make TOOL FUZZ MODELS WHEELS OUT.json
    golden.py compare OLD.json NEW.json [--renamed MAP]

`make` compiles models (.onnx below MODELS and WHEELS) and tile kernels (those
of this tree, and random ones that FUZZ prints) for the CPU and all GPUs, and
writes a hash of every file of each package. `compare` lists what is new, gone
and changed; exit code 1 if anything is. MAP has a line `OLD NEW` for each part
of a file's name, or of an error, that was renamed. Code for the CPU depends on
the machine, so it is compared only with that of the same one.

scripts/golden calls it.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# This tests the compiler, not its cache.
os.environ["TILEWRIGHT_CACHE_DIR"] = "off"

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPUS = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"]
TARGETS = ",".join(["cpu", *GPUS])
# Models of wheels, as patterns below the folder of a package.
WHEEL_MODELS = [
    "rapidocr-onnxruntime/**/*det_infer.onnx",
    "rapidocr-onnxruntime/**/*rec_infer.onnx",
    "rapidocr-onnxruntime/**/*cls_infer.onnx",
    "basic-pitch/**/nmp.onnx",
    "magika/**/model.onnx",
    "nudenet/**/320n.onnx",
    "silero-vad/**/silero_vad.onnx",
    "silero-vad/**/silero_vad_half.onnx",
    "silero-vad/**/silero_vad_op18_ifless.onnx",
    "openwakeword/**/embedding_model.onnx",
    "openwakeword/**/melspectrogram.onnx",
    "openwakeword/**/alexa_v0.1.onnx",
]
KERNEL_FILES = ["bench/kernels/*.mlir", "examples/2-tile-kernel/*.mlir"]
RANDOM_KERNELS = 60


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


def files_of(folder):
    return {str(path.relative_to(folder)): digest(path)
            for path in sorted(folder.rglob("*")) if path.is_file()}


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii")
    lines = dict(line.split(":", 1) for line in text.splitlines()
                 if ":" in line)
    names = {key.strip(): value.strip() for key, value in lines.items()}
    flags = hashlib.sha256(names.get("flags", "").encode()).hexdigest()[:8]
    return f"{names.get('model name', '?')}, {os.cpu_count()} threads, {flags}"


def emit_all(tool, source):
    """A kernel's texts as if they were files of a package."""
    for target in TARGETS.split(","):
        stage = "asm" if target == "cpu" else "ptx"
        run = subprocess.run([tool, "compile", source, "--target", target,
                              "--emit", stage],
                             capture_output=True, text=True, check=False)
        text = run.stdout if run.returncode == 0 else ""
        yield (f"{target}.{stage}" if text else f"{target} is rejected",
               hashlib.sha256(text.encode()).hexdigest()[:32])


def compile_one(tool, name, source):
    """The files of a package, or why there is none."""
    if name.startswith("random-"):
        return name, dict(emit_all(tool, source))
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "p.twp"
        run = subprocess.run(
            [tool, "compile", source, "--target", TARGETS, "-o", package,
             "--threads", "1"],
            capture_output=True, text=True, check=False, cwd=ROOT)
        if run.returncode:
            return name, {"error": run.stderr.strip().replace(folder, "")}
        return name, files_of(package)


def random_kernels(fuzz, folder):
    """Random kernels, most of which no package can pass arguments to."""
    for seed in range(1, RANDOM_KERNELS + 1):
        run = subprocess.run([fuzz, "--replay", str(seed), "--print"],
                             capture_output=True, text=True, check=True)
        path = folder / f"random-{seed}.mlir"
        path.write_text(run.stdout, encoding="utf-8")
        yield path.stem, path


def sources(arguments, folder):
    models = pathlib.Path(arguments.models)
    for path in sorted(models.glob("*/*.onnx")):
        yield path.parent.name, path
    for pattern in WHEEL_MODELS:
        for path in sorted(pathlib.Path(arguments.wheels).glob(pattern)):
            yield f"{pattern.split('/')[0]}/{path.stem}", path
    for pattern in KERNEL_FILES:
        for path in sorted(ROOT.glob(pattern)):
            yield str(path.relative_to(ROOT)), path
    yield from random_kernels(arguments.fuzz, folder)


def make(arguments):
    version = subprocess.run([arguments.tool, "--version"], text=True,
                             capture_output=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(compile_one, arguments.tool, name, path.resolve())
                for name, path in sources(arguments, pathlib.Path(folder))]
        packages = dict(job.result() for job in jobs)
    result = {"version": version, "machine": machine(), "packages": packages}
    pathlib.Path(arguments.out).write_text(json.dumps(result, indent=1) + "\n",
                                           encoding="utf-8")
    count = sum(len(files) for files in packages.values())
    print(f"{len(packages)} packages, {count} files -> {arguments.out}")
    return 0


def renamed(packages, path):
    pairs = [line.split() for line in
             pathlib.Path(path).read_text(encoding="utf-8").splitlines()]

    def rename(name):
        for old, new in pairs:
            name = name.replace(old, new)
        return name
    return {package: {rename(name): rename(value) if name == "error" else value
                      for name, value in files.items()}
            for package, files in packages.items()}


def compare(arguments):
    old, new = (json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
                for path in (arguments.old, arguments.new))
    before, after = old["packages"], new["packages"]
    if arguments.renamed:
        before = renamed(before, arguments.renamed)
    same_machine = old["machine"] == new["machine"]
    if not same_machine:
        print("made on another machine: code for the CPU is not compared")
    changes = 0
    for package in sorted({*before, *after}):
        was, is_now = before.get(package, {}), after.get(package, {})
        for name in sorted({*was, *is_now}):
            # What names objects has their hashes.
            of_cpu = name.endswith((".cpu.o", "cpu.asm", "manifest.json"))
            if was.get(name) == is_now.get(name) or \
                    (of_cpu and not same_machine):
                continue
            what = ("changed" if name in was and name in is_now else
                    "new" if name in is_now else "gone")
            print(f"{what:8} {package}: {name}")
            changes += 1
    print(f"{changes} differences in {len(after)} packages")
    return 1 if changes else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(required=True)
    maker = commands.add_parser("make")
    for name in ("tool", "fuzz", "models", "wheels", "out"):
        maker.add_argument(name)
    maker.set_defaults(action=make)
    comparer = commands.add_parser("compare")
    comparer.add_argument("old")
    comparer.add_argument("new")
    comparer.add_argument("--renamed")
    comparer.set_defaults(action=compare)
    arguments = parser.parse_args()
    return arguments.action(arguments)


if __name__ == "__main__":
    sys.exit(main())
