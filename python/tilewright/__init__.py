"""Tilewright compiles tile kernels and models, and runs them on arrays."""

from ._core import (Cache, Compilation, Compiler, Device, Kernel, KernelImage,
                    Model, ModelReport, compile, compile_model, devices, open,
                    version)
from ._data import (Array, Diagnostic, Error, Remark, SupportsDLPack,
                    TensorSpec)

__version__ = version()

__all__ = [
    "Array", "Cache", "Compilation", "Compiler", "Device", "Diagnostic",
    "Error", "Kernel", "KernelImage", "Model", "ModelReport", "Remark",
    "SupportsDLPack", "TensorSpec", "__version__", "compile", "compile_model",
    "devices", "open",
]
