// A program of PyTorch that Python fills in.
#ifndef TILEWRIGHT_PYTHON_SRC_TORCHPROGRAM_H
#define TILEWRIGHT_PYTHON_SRC_TORCHPROGRAM_H

#include "tilewright/compiler/TorchProgram.h"
#include <nanobind/nanobind.h>

namespace tilewright::python {

namespace nb = nanobind;

/// _TorchProgram of Python. It has no guards: PyTorch checks them before a
/// call.
struct TorchProgramHandle {
  std::shared_ptr<torch::Program> program = std::make_shared<torch::Program>();
};

/// Adds _TorchProgram.
void bindTorchProgram(nb::module_ &module);
/// Adds _TorchCall and what compiles a program.
void bindTorch(nb::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_SRC_TORCHPROGRAM_H
