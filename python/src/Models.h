// Models and sessions as objects of Python hold them.
#ifndef TILEWRIGHT_PYTHON_SRC_MODELS_H
#define TILEWRIGHT_PYTHON_SRC_MODELS_H

#include "Arrays.h"
#include "Handles.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/runtime/Model.h"
#include <functional>

namespace tilewright::python {

/// Model of Python.
struct ModelHandle {
  std::shared_ptr<const runtime::Model> model;
  Pool<runtime::Session> sessions;
};

/// An input as the session takes it, dense.
struct UserInput {
  std::string name;
  HostArray array;
};

/// The inputs of the model that the dict has, and no other.
std::vector<UserInput> readInputs(const runtime::Model &model,
                                  const nb::dict &inputs);

/// What run takes: a mapping, and keywords.
nb::dict mergedInputs(const nb::object &inputs, const nb::kwargs &keywords);

/// Copies the inputs.
Status setInputs(runtime::Session &session,
                 const std::vector<UserInput> &inputs);

/// Runs the session, without the interpreter's lock. A signal whose handler
/// raises ends the run before its next step; check() then raises that.
Status runUnlessSignalled(runtime::Session &session);

/// Compiles a model for the device, and loads it: no package is written.
/// `makeSource` is called in another thread. A signal stops it.
std::shared_ptr<ModelHandle>
compileFor(const DeviceHandle &device, CompileModelOptions options,
           const std::function<StatusOr<ModelSource>()> &makeSource);

/// Adds Session, and Model.session.
void bindSessions(nb::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_SRC_MODELS_H
