// Session: states, and memory of the caller.
#include "Errors.h"
#include "Handles.h"
#include "Models.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace tilewright::python {

using namespace nb::literals;
using runtime::HostTensor;
using runtime::InterfaceTensor;
using runtime::TensorRole;

namespace {

/// Session of Python.
struct SessionHandle {
  std::shared_ptr<const runtime::Model> model;
  std::unique_ptr<runtime::Session> session;
  /// By output: whether it is bound.
  std::vector<bool> isBound;
  /// Threads take turns.
  std::mutex mutex;

  /// Calls `function` while other threads of Python run.
  template <class Function> auto locked(const Function &function) {
    nb::gil_scoped_release release;
    std::lock_guard lock(mutex);
    return function();
  }
};

std::shared_ptr<SessionHandle> createSession(const ModelHandle &model) {
  auto handle = std::make_shared<SessionHandle>();
  handle->model = model.model;
  handle->isBound.resize(model.model->manifest().outputs.size());
  auto session = [&] {
    nb::gil_scoped_release release;
    return model.model->createSession();
  }();
  handle->session = take(std::move(session));
  return handle;
}

nb::dict runSession(SessionHandle &handle, const nb::object &inputs,
                    const nb::kwargs &keywords) {
  const std::vector<InterfaceTensor> &list = handle.model->manifest().outputs;
  std::vector<UserInput> given =
      readInputs(*handle.model, mergedInputs(inputs, keywords));
  std::vector<std::pair<std::string, HostTensor>> outputs;
  check(handle.locked([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(setInputs(*handle.session, given));
    TILEWRIGHT_RETURN_IF_ERROR(runUnlessSignalled(*handle.session));
    for (size_t i = 0; i < list.size(); ++i) {
      if (handle.isBound[i])
        continue;
      TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor,
                                  handle.session->output(list[i].name));
      outputs.emplace_back(list[i].name, std::move(tensor));
    }
    return {};
  }));
  nb::dict result;
  for (const auto &[name, tensor] : outputs)
    result[name.c_str()] = toNumpy(tensor);
  return result;
}

void setTimeLimit(SessionHandle &handle, std::optional<double> seconds) {
  std::optional<std::chrono::nanoseconds> limit;
  if (seconds)
    limit = readSeconds(*seconds, "seconds");
  handle.locked([&] { handle.session->setTimeLimit(limit); });
}

nb::object getState(SessionHandle &handle, const std::string &name) {
  return toNumpy(
      take(handle.locked([&] { return handle.session->state(name); })));
}

void setState(SessionHandle &handle, const std::string &name,
              const nb::object &value) {
  const std::string what = "state '" + name + "'";
  HostArray array = hostArray(value, false, what);
  if (!array.strides.empty())
    array = hostArray(
        nb::module_::import_("numpy").attr("ascontiguousarray")(value), false,
        what);
  for (const InterfaceTensor &state : handle.model->manifest().states)
    if (state.name == name)
      array.dtype = carriedType(array.dtype, state.dtype);
  check(handle.locked([&] {
    return handle.session->setState(
        name, {array.dtype, array.shape, {array.data, array.bytes}});
  }));
}

void copyStates(SessionHandle &handle, SessionHandle &from) {
  if (&handle == &from)
    return;
  nb::gil_scoped_release release;
  Status copied = [&] {
    std::scoped_lock lock(handle.mutex, from.mutex);
    return handle.session->copyStates(*from.session);
  }();
  nb::gil_scoped_acquire acquire;
  check(copied);
}

TensorRole readRole(const std::string &role) {
  if (role == "input")
    return TensorRole::input;
  if (role == "output")
    return TensorRole::output;
  if (role == "weight")
    return TensorRole::weight;
  raise(Status::invalidInput(
      "role: expected 'input', 'output' or 'weight', found '" + role + "'"));
}

/// Marks an output as bound or not.
void mark(SessionHandle &handle, TensorRole role, const std::string &name,
          bool isBound) {
  const std::vector<InterfaceTensor> &list = handle.model->manifest().outputs;
  for (size_t i = 0; role == TensorRole::output && i < list.size(); ++i)
    if (list[i].name == name)
      handle.isBound[i] = isBound;
}

/// The type that a bound tensor has in the package.
runtime::DType typeOf(const SessionHandle &handle, TensorRole role,
                      const std::string &name, runtime::DType found) {
  const runtime::PackageManifest &manifest = handle.model->manifest();
  const bool isInput = role == TensorRole::input;
  if (role != TensorRole::weight)
    for (const InterfaceTensor &tensor :
         isInput ? manifest.inputs : manifest.outputs)
      if (tensor.name == name)
        return carriedType(found, tensor.dtype);
  for (const runtime::BufferManifest &buffer : manifest.buffers)
    if (role == TensorRole::weight && buffer.weight == name)
      return carriedType(found, buffer.dtype);
  return found;
}

void bindTensor(SessionHandle &handle, const std::string &name,
                const nb::object &value, const std::string &roleName) {
  const TensorRole role = readRole(roleName);
  // The last reference may go in any thread.
  std::shared_ptr<HostArray> array(
      new HostArray(hostArray(value, role == TensorRole::output,
                              roleName + " '" + name + "'")),
      [](HostArray *kept) {
        nb::gil_scoped_acquire acquire;
        delete kept;
      });
  runtime::TensorMemory memory{typeOf(handle, role, name, array->dtype),
                               array->shape,
                               array->strides,
                               {array->data, array->bytes},
                               array};
  check(handle.locked([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        handle.session->bind(role, name, std::move(memory)));
    mark(handle, role, name, true);
    return {};
  }));
}

void unbindTensor(SessionHandle &handle, const std::string &name,
                  const std::string &roleName) {
  const TensorRole role = readRole(roleName);
  check(handle.locked([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(handle.session->unbind(role, name));
    mark(handle, role, name, false);
    return {};
  }));
}

} // namespace

static void bindMemory(nb::class_<SessionHandle> &session) {
  session
      .def(
          "bind", bindTensor, "name"_a, "array"_a, "role"_a = "input",
          nb::sig("def bind(self, name: str, array: tilewright._data.Array, "
                  "role: str = 'input') -> None"),
          "Makes the runs from now on read an input or a weight from the\n"
          "array, or write an output into it; `role` is 'input', 'output' or\n"
          "'weight'. On the cpu contiguous arrays are not copied; others are,\n"
          "once in each run (see bound_copies). Elements may change between\n"
          "runs. A bound output is not among those that run returns.")
      .def("unbind", unbindTensor, "name"_a, "role"_a = "input",
           nb::sig("def unbind(self, name: str, role: str = 'input') -> None"),
           "Ends a binding. An input must be given again.")
      .def_prop_ro(
          "bound_copies",
          [](SessionHandle &self) {
            const runtime::BoundCopies copies =
                self.locked([&] { return self.session->boundCopies(); });
            return nb::make_tuple(copies.count, copies.bytes);
          },
          nb::sig("def bound_copies(self) -> tuple[int, int]"),
          "How many bound arrays the last run copied, and their bytes.");
}

void bindSessions(nb::module_ &module) {
  nb::class_<SessionHandle> session(
      module, "Session",
      "Runs a model, and keeps its states from run to run. Threads that call\n"
      "it take turns.");
  session
      .def(
          "run", runSession, "inputs"_a = nb::dict(), "by_name"_a,
          nb::sig("def run(self, inputs: collections.abc.Mapping[str, "
                  "tilewright._data.Array] = {}, **by_name: "
                  "tilewright._data.Array) -> dict[str, "
                  "tilewright._data.NumpyArray]"),
          "Runs the model, as Model.run. Inputs that are not given are bound,\n"
          "or those of the run before.")
      .def(
          "reset",
          [](SessionHandle &self) {
            check(self.locked([&] { return self.session->resetStates(); }));
          },
          nb::sig("def reset(self) -> None"),
          "Gives each state its initial value, as in a new session.")
      .def(
          // Without taking turns: a run may be under way.
          "cancel", [](SessionHandle &self) { self.session->cancel(); },
          nb::sig("def cancel(self) -> None"),
          "Ends the run that is under way before its next step: it raises\n"
          "CancelledError. Does nothing if there is none.")
      .def("set_time_limit", setTimeLimit, "seconds"_a.none(),
           nb::sig("def set_time_limit(self, seconds: float | None) -> None"),
           "Ends the runs from now on, with CancelledError, before the first\n"
           "step after so many seconds; None: they may last as long as they\n"
           "do.")
      .def("state", getState, "name"_a,
           nb::sig("def state(self, name: str) -> "
                   "tilewright._data.NumpyArray"),
           "A copy of a state.")
      .def("set_state", setState, "name"_a, "value"_a,
           nb::sig("def set_state(self, name: str, value: "
                   "tilewright._data.Array) -> None"),
           "Copies the array into a state.")
      .def("copy_states", copyStates, "session"_a,
           nb::sig("def copy_states(self, session: Session) -> None"),
           "Copies all states of another session of the same model.");
  bindMemory(session);
  nb::borrow<nb::class_<ModelHandle>>(module.attr("Model"))
      .def("session", createSession, nb::sig("def session(self) -> Session"),
           "A new session, with states of its own.");
}

} // namespace tilewright::python
