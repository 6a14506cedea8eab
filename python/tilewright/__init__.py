"""Tilewright compiles tile kernels and models, and runs them on arrays."""

from ._core import (Cache, Compilation, Compiler, Device, Kernel, KernelImage,
                    Model, ModelReport, Session, compile, compile_model,
                    devices, open, version)
from ._data import (Array, CancelledError, Diagnostic, Error,
                    InputOutputError, InternalError, InvalidInputError,
                    NotFoundError, Remark, ResourceExhaustedError,
                    SupportsDLPack, TensorSpec, UnsupportedError)
from ._onnx import load_onnx

__version__ = version()

__all__ = [
    "Array", "Cache", "CancelledError", "Compilation", "Compiler", "Device",
    "Diagnostic", "Error", "InputOutputError", "InternalError",
    "InvalidInputError", "Kernel", "KernelImage", "Model", "ModelReport",
    "NotFoundError", "Remark", "ResourceExhaustedError", "Session",
    "SupportsDLPack", "TensorSpec", "UnsupportedError", "__version__", "compile",
    "compile_model", "devices", "load_onnx", "open",
]
