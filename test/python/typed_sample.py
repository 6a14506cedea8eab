"""What mypy --strict must accept: each kind of call, with its types."""
import pathlib
from typing import Any

import numpy as np
import tilewright as tw


def compile_all(path: pathlib.Path) -> dict[str, bytes]:
    compiler = tw.Compiler(threads=2, cache=tw.Cache(path.parent / "cache"))
    work = {target: compiler.submit(path, target=target, tunables={"BM": 64})
            for target in ("cpu", "sm_90a")}
    images: dict[str, tw.KernelImage] = {
        target: one.result(timeout=10) for target, one in work.items()}
    return {target: image.code for target, image in images.items()}


def explain(text: str) -> list[str]:
    try:
        image = tw.compile(text, target="sm_90a", remarks=True)
    except tw.Error as error:
        return [f"{d.file}:{d.line}: {d.message}" for d in error.diagnostics]
    grid: Any = image.manifest["grid"]
    return [str(grid)] + [remark.message for remark in image.remarks]


def keep(image: tw.KernelImage, path: pathlib.Path) -> tw.KernelImage:
    try:
        image.save(path)
    except tw.InputOutputError as error:
        raise ValueError(error.code) from error
    return tw.KernelImage.load(path)


def run(x: np.ndarray[Any, np.dtype[np.float32]]) -> float:
    device = tw.open("cpu", threads=2)
    kernel = device.load("scale.mlir")
    kernel(x, 2.0)
    kernel(x, by=2.0)
    model = device.load_model(pathlib.Path("model.twp"))
    other: tw.Model = tw.load_onnx("model.onnx", device,
                                   input_shapes={"x": [1, 3]})
    other.run(x=x)
    shapes: list[tuple[int | str, ...]] = [t.shape for t in model.inputs]
    return float(model.run({"x": x})["y"][0]) + len(shapes)
