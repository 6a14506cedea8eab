"""PTX from the tools of others: nvcc and Triton."""

import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent.parent
_CUDA = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin"


class Failure(Exception):
    """A tool refused a kernel."""


@functools.cache
def find(program):
    """The path of a CUDA program, None if it is not here."""
    return shutil.which(program) or shutil.which(program, path=_CUDA)


def run(command):
    """The output of a tool. Raises Failure with what it said."""
    done = subprocess.run([str(part) for part in command], check=False,
                          capture_output=True, text=True)
    if done.returncode:
        raise Failure((done.stderr or done.stdout).strip())
    return done.stdout


@functools.cache
def version(tool):
    """Of nvcc or triton; None if it is not here."""
    if tool == "nvcc":
        path = find("nvcc")
        return run([path, "--version"]).splitlines()[-1] if path else None
    # Multiplications and additions may fuse, as they do by default in 3.9.
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    try:
        import triton
        import triton.compiler  # The folder triton/ here has none.
    except ImportError:
        return None
    return "Triton " + triton.__version__


def _sources(case):
    """The case's file and the headers beside it."""
    file = HERE / ("cuda" if case.tool == "nvcc" else "triton") / case.source
    return file, [file] + sorted(file.parent.glob("*.cuh")) + sorted(
        file.parent.parent.glob("*.cuh"))


def unit(case, target):
    """The name of the PTX that a case needs; nvcc's cases share a file's."""
    if case.tool == "triton":
        return f"{case.name}.{target}"
    marks = "".join(case.options).replace("/", "_")
    return f"{case.source.replace('/', '.')}{marks}.{target}"


def compile(case, target, folder):
    """(PTX file, facts) in `folder`; what stands there already is used again
    if nothing changed. Facts are Triton's metadata, {} for nvcc. Raises
    Failure."""
    file, read = _sources(case)
    name = unit(case, target)
    key = repr((version(case.tool), name, case.options)).encode()
    key += b"".join(path.read_bytes() for path in read)
    digest = hashlib.sha256(key).hexdigest()
    ptx, note = folder / f"{name}.ptx", folder / f"{name}.json"
    if note.exists() and ptx.exists():
        noted = json.loads(note.read_text())
        if noted["digest"] == digest:
            return ptx, noted["facts"]
    folder.mkdir(parents=True, exist_ok=True)
    make = _nvcc if case.tool == "nvcc" else _triton
    facts = make(case, file, target, ptx)
    note.write_text(json.dumps({"digest": digest, "facts": facts}))
    return ptx, facts


def _nvcc(case, file, target, ptx):
    run([find("nvcc"), "-ptx", "-std=c++17", f"-arch={target}", "-o", ptx,
         "-I", HERE / "cuda", *case.options, file])
    return {}


def _triton(case, file, target, ptx):
    from . import triton_compile
    try:
        text, facts = triton_compile.compile(case, file, target)
    except Exception as failure:  # Whatever Triton raises.
        raise Failure(f"{type(failure).__name__}: {failure}") from failure
    ptx.write_text(text)
    return facts


def assembler(tool, target):
    """The ptxas that belongs to the tool, None if it is not here."""
    if tool == "nvcc":
        return find("ptxas")
    from triton.backends.nvidia.compiler import get_ptxas
    return get_ptxas(int(target[3:].rstrip("a"))).path


@functools.cache
def assemble(tool, ptx, target):
    """Lets ptxas verify a file. Raises Failure with what it said."""
    program = assembler(tool, target)
    if program:
        run([program, f"-arch={target}", ptx, "-o", os.devnull])
