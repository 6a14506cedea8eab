// The module tilewright._core.
#include "Handles.h"
#include "TorchProgram.h"

NB_MODULE(_core, module) {
  // Objects that live at the interpreter's end are no news to its user.
  nanobind::set_leak_warnings(false);
  module.def("version", [] { return TILEWRIGHT_PYTHON_VERSION; });
  tilewright::python::bindCompile(module);
  tilewright::python::bindDevices(module);
  tilewright::python::bindModels(module);
  tilewright::python::bindTorch(module);
}
