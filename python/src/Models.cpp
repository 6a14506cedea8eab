// compile_model, Device.load_model, Model.
#include "Models.h"
#include "Arrays.h"
#include "Errors.h"
#include "Handles.h"

#include <future>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <system_error>

namespace tilewright::python {

using namespace nb::literals;
using runtime::HostTensor;
using runtime::InterfaceTensor;
using Shapes = std::map<std::string, std::vector<int64_t>>;

namespace {

/// ModelReport of Python.
struct ModelReport {
  int64_t nodes;
  size_t steps, kernels;
  bool fromCache;
  std::vector<Diagnostic> diagnostics;
};

/// Calls `compile` on a separate thread, so that a signal can stop it.
template <class Result>
StatusOr<Result> compileUnlessStopped(
    CompileModelOptions options,
    const std::function<StatusOr<Result>(const CompileModelOptions &)>
        &compile) {
  std::stop_source stop;
  options.stop = stop.get_token();
  std::future<StatusOr<Result>> made;
  try {
    made = std::async(std::launch::async, [&] { return compile(options); });
  } catch (const std::system_error &error) {
    return Status::resourceExhausted(std::string("cannot start a thread: ") +
                                     error.what());
  }
  auto isDone = [&](std::chrono::milliseconds time) {
    nb::gil_scoped_release release;
    return made.wait_for(time) == std::future_status::ready;
  };
  while (!isDone(std::chrono::milliseconds(50)))
    if (PyErr_CheckSignals()) {
      stop.request_stop();
      nb::gil_scoped_release release;
      made.wait();
      break;
    }
  if (PyErr_Occurred())
    throw nb::python_error();
  return made.get();
}

ModelReport compileModelFile(nb::handle model, nb::handle output,
                             const std::vector<std::string> &targets,
                             Shapes inputShapes, Shapes maxShapes,
                             unsigned threads, const CacheHandle *cache,
                             std::optional<double> timeLimit,
                             std::optional<int64_t> memoryLimit,
                             std::optional<int64_t> llvmIrLimit,
                             const std::string &precision) {
  CompileModelOptions options;
  check(setTargets(targets, options));
  options.inputShapes = std::move(inputShapes);
  options.maxShapes = std::move(maxShapes);
  options.threads = threads;
  options.precision = take(runtime::parseF32Precision(precision));
  if (cache)
    options.cache = cache->cache;
  if (timeLimit)
    options.timeLimit = readSeconds(*timeLimit, "time_limit");
  if (memoryLimit)
    options.budget.memory = readLimit(*memoryLimit, "memory_limit");
  if (llvmIrLimit)
    options.budget.llvmIr = readLimit(*llvmIrLimit, "llvm_ir_limit");
  std::filesystem::path from = readPath(model), to = readPath(output);
  if (to.empty())
    raise(Status::invalidInput("expected the package's folder, found ''"));
  std::vector<Diagnostic> errors;
  options.diagnostics = &errors;
  StatusOr<CompileModelReport> report =
      compileUnlessStopped<CompileModelReport>(
          std::move(options), [&](const CompileModelOptions &stoppable) {
            return compileModel(from, to, stoppable);
          });
  if (!report.ok())
    raise(report.status(), errors);
  return {report->nodes, report->steps, report->kernels, report->fromCache,
          report->warnings};
}

std::shared_ptr<ModelHandle> loadModel(const DeviceHandle &device,
                                       nb::handle path) {
  std::filesystem::path from = readPath(path);
  StatusOr<std::shared_ptr<const runtime::Model>> model =
      Status::internal("not loaded");
  {
    nb::gil_scoped_release release;
    model = runtime::Model::load(device.device, from);
  }
  auto handle = std::make_shared<ModelHandle>();
  handle->model = take(std::move(model));
  return handle;
}

/// Compiles a file for the device, and loads it: no package is written.
std::shared_ptr<ModelHandle> loadSource(const DeviceHandle &device,
                                        nb::handle path, Shapes inputShapes,
                                        Shapes maxShapes, unsigned threads,
                                        const std::string &precision) {
  CompileModelOptions options;
  options.inputShapes = std::move(inputShapes);
  options.maxShapes = std::move(maxShapes);
  options.threads = threads;
  options.precision = take(runtime::parseF32Precision(precision));
  const std::filesystem::path from = readPath(path);
  return compileFor(device, std::move(options),
                    [&] { return ModelSource::file(from); });
}

nb::list specs(const std::vector<InterfaceTensor> &tensors) {
  nb::list list;
  for (const InterfaceTensor &tensor : tensors) {
    nb::list shape;
    for (const runtime::Expression &size : tensor.shape) {
      if (std::optional<int64_t> known = size.constant())
        shape.append(*known);
      else
        shape.append(size.str());
    }
    list.append(dataClass("TensorSpec")(
        tensor.name, runtime::dtypeName(tensor.dtype), nb::tuple(shape)));
  }
  return list;
}

/// Each input of the model, and no other.
std::vector<UserInput> readAllInputs(const runtime::Model &model,
                                     const nb::dict &inputs) {
  for (const InterfaceTensor &input : model.manifest().inputs)
    if (!inputs.contains(input.name.c_str()))
      raise(Status::invalidInput(
          "input '" + input.name +
          "' is missing\n  the model's inputs: " + model.describeInputs()));
  return readInputs(model, inputs);
}

/// Outputs in the manifest's order.
StatusOr<std::vector<HostTensor>>
runSession(runtime::Session &session, const std::vector<UserInput> &inputs) {
  TILEWRIGHT_RETURN_IF_ERROR(setInputs(session, inputs));
  TILEWRIGHT_RETURN_IF_ERROR(runUnlessSignalled(session));
  std::vector<HostTensor> outputs;
  for (const InterfaceTensor &output : session.model().manifest().outputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor, session.output(output.name));
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

StatusOr<std::vector<HostTensor>> runModel(ModelHandle &handle,
                                           const std::vector<UserInput> &in) {
  std::unique_ptr<runtime::Session> session = handle.sessions.get();
  if (!session) {
    TILEWRIGHT_ASSIGN_OR_RETURN(session, handle.model->createSession());
  }
  StatusOr<std::vector<HostTensor>> outputs = runSession(*session, in);
  if (outputs.ok())
    handle.sessions.put(std::move(session));
  return outputs;
}

nb::dict run(ModelHandle &handle, const nb::object &inputs,
             const nb::kwargs &keywords) {
  const runtime::PackageManifest &manifest = handle.model->manifest();
  if (!manifest.states.empty())
    raise(Status::invalidInput(
        "model '" + manifest.name + "' has state ('" +
        manifest.states.front().name +
        "'), which Model.run does not keep: call run of a session, which "
        "model.session() gives"));
  std::vector<UserInput> given =
      readAllInputs(*handle.model, mergedInputs(inputs, keywords));
  StatusOr<std::vector<HostTensor>> outputs = Status::internal("not run");
  {
    nb::gil_scoped_release release;
    outputs = runModel(handle, given);
  }
  std::vector<HostTensor> tensors = take(std::move(outputs));
  nb::dict result;
  for (size_t i = 0; i < tensors.size(); ++i)
    result[manifest.outputs[i].name.c_str()] = toNumpy(tensors[i]);
  return result;
}

/// "x: f32[N, 2], y: ...".
std::string printTensors(const std::vector<InterfaceTensor> &tensors) {
  std::string text;
  for (const InterfaceTensor &tensor : tensors)
    text += (text.empty() ? "" : ", ") + tensor.name + ": " +
            printTensorType(tensor.dtype, tensor.shape);
  return text;
}

std::string printModel(const ModelHandle &handle) {
  const runtime::PackageManifest &manifest = handle.model->manifest();
  return "<tilewright.Model " + manifest.name + "(" +
         printTensors(manifest.inputs) + ") -> (" +
         printTensors(manifest.outputs) + ") on " +
         handle.model->device().info().name + ">";
}

} // namespace

std::shared_ptr<ModelHandle>
compileFor(const DeviceHandle &device, CompileModelOptions options,
           const std::function<StatusOr<ModelSource>()> &makeSource) {
  const std::vector<std::string> &runs = device.device->info().targets;
  const std::string target = runs.empty() ? "cpu" : runs.front();
  check(setTargets(std::span(&target, 1), options));
  std::vector<Diagnostic> errors;
  options.diagnostics = &errors;
  StatusOr<CompiledModel> compiled = compileUnlessStopped<CompiledModel>(
      std::move(options),
      [&](const CompileModelOptions &stoppable) -> StatusOr<CompiledModel> {
        TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source, makeSource());
        return compileModelInMemory(source, stoppable);
      });
  if (!compiled.ok())
    raise(compiled.status(), errors);
  StatusOr<std::shared_ptr<const runtime::Model>> model =
      Status::internal("not loaded");
  {
    nb::gil_scoped_release release;
    model = runtime::Model::load(device.device, compiled->package);
  }
  auto handle = std::make_shared<ModelHandle>();
  handle->model = take(std::move(model));
  return handle;
}

std::vector<UserInput> readInputs(const runtime::Model &model,
                                  const nb::dict &inputs) {
  std::vector<UserInput> given;
  for (const InterfaceTensor &input : model.manifest().inputs) {
    if (!inputs.contains(input.name.c_str()))
      continue;
    const std::string what = "input '" + input.name + "'";
    nb::object object = inputs[input.name.c_str()];
    HostArray array = hostArray(object, false, what);
    if (!array.strides.empty())
      array = hostArray(
          nb::module_::import_("numpy").attr("ascontiguousarray")(object),
          false, what);
    array.dtype = carriedType(array.dtype, input.dtype);
    given.push_back({input.name, std::move(array)});
  }
  for (auto [name, value] : inputs) {
    auto text = nb::cast<std::string>(name);
    bool known = std::any_of(given.begin(), given.end(),
                             [&](auto &input) { return input.name == text; });
    if (!known)
      raise(Status::notFound(
          "the model has no input '" + text +
          "'\n  the model's inputs: " + model.describeInputs()));
  }
  return given;
}

nb::dict mergedInputs(const nb::object &inputs, const nb::kwargs &keywords) {
  nb::dict byName;
  for (nb::handle given : {nb::handle(inputs), nb::handle(keywords)})
    if (PyDict_Update(byName.ptr(), given.ptr())) // From any mapping.
      throw nb::python_error();
  return byName;
}

Status runUnlessSignalled(runtime::Session &session) {
  session.setStopCheck([] {
    nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
  });
  Status ran = session.run();
  session.setStopCheck(nullptr);
  return ran;
}

Status setInputs(runtime::Session &session,
                 const std::vector<UserInput> &inputs) {
  for (const UserInput &input : inputs)
    TILEWRIGHT_RETURN_IF_ERROR(
        session.setInput(input.name, {input.array.dtype,
                                      input.array.shape,
                                      {input.array.data, input.array.bytes}}));
  return {};
}

static void bindModel(nb::module_ &module) {
  nb::class_<ModelHandle>(module, "Model",
                          "A package on a device; any thread may run it.")
      .def_prop_ro(
          "inputs",
          [](const ModelHandle &self) {
            return specs(self.model->manifest().inputs);
          },
          nb::sig("def inputs(self) -> list[tilewright._data.TensorSpec]"))
      .def_prop_ro(
          "outputs",
          [](const ModelHandle &self) {
            return specs(self.model->manifest().outputs);
          },
          nb::sig("def outputs(self) -> list[tilewright._data.TensorSpec]"))
      .def_prop_ro(
          "states",
          [](const ModelHandle &self) {
            return specs(self.model->manifest().states);
          },
          nb::sig("def states(self) -> list[tilewright._data.TensorSpec]"),
          "What a session keeps from run to run.")
      .def(
          "run", run, "inputs"_a = nb::dict(), "by_name"_a,
          nb::sig("def run(self, inputs: collections.abc.Mapping[str, "
                  "tilewright._data.Array] = {}, **by_name: "
                  "tilewright._data.Array) -> dict[str, "
                  "tilewright._data.NumpyArray]"),
          "Runs the model: an array for each input, by name, in a mapping\n"
          "or as keywords. Inputs are copied to the device, on the cpu as\n"
          "well; outputs are new arrays. A model with states needs a session:\n"
          "see session().\n\n"
          "bfloat16 and smaller types are arrays of ml_dtypes where it is\n"
          "installed, else of unsigned integers of the same width.")
      .def("__repr__", printModel);
}

void bindModels(nb::module_ &module) {
  bindModel(module);
  bindSessions(module);
  nb::class_<ModelReport>(module, "ModelReport", "What compile_model did.")
      .def_ro("nodes", &ModelReport::nodes)
      .def_ro("steps", &ModelReport::steps)
      .def_ro("kernels", &ModelReport::kernels)
      .def_ro("from_cache", &ModelReport::fromCache)
      .def_prop_ro(
          "diagnostics",
          [](const ModelReport &self) { return toPython(self.diagnostics); },
          nb::sig("def diagnostics(self) -> list[tilewright._data.Diagnostic]"),
          "Warnings.")
      .def("__repr__", [](const ModelReport &self) {
        return "<tilewright.ModelReport: " + std::to_string(self.nodes) +
               " nodes, " + std::to_string(self.steps) + " steps, " +
               std::to_string(self.kernels) + " kernels>";
      });
  auto device = nb::borrow<nb::class_<DeviceHandle>>(module.attr("Device"));
  device.def("load_model", loadModel, "path"_a,
             nb::sig("def load_model(self, path: str | os.PathLike[str]) -> "
                     "Model"),
             "Loads a package that compile_model wrote.");
  device.def("_load_source", loadSource, "path"_a, "input_shapes"_a,
             "max_shapes"_a, "threads"_a, "precision"_a);
  module.def(
      "compile_model", compileModelFile, "model"_a, "output"_a,
      "targets"_a = std::vector<std::string>{"cpu"},
      "input_shapes"_a = nb::dict(), "max_shapes"_a = nb::dict(),
      "threads"_a = 0, "cache"_a = nb::none(), "time_limit"_a = nb::none(),
      "memory_limit"_a = nb::none(), "llvm_ir_limit"_a = nb::none(),
      "precision"_a = "ieee",
      nb::sig("def compile_model(model: str | os.PathLike[str], output: str | "
              "os.PathLike[str], targets: collections.abc.Sequence[str] = "
              "['cpu'], input_shapes: collections.abc.Mapping[str, "
              "collections.abc.Sequence[int]] = {}, max_shapes: "
              "collections.abc.Mapping[str, collections.abc.Sequence[int]] = "
              "{}, threads: int = 0, cache: Cache | None = None, time_limit: "
              "float | None = None, memory_limit: int | None = None, "
              "llvm_ir_limit: int | None = None, precision: str = 'ieee') -> "
              "ModelReport"),
      "Compiles an ONNX model (or .mlir at graph level) into the package\n"
      "folder `output`, which appears only when it is complete.\n\n"
      "`max_shapes` has the largest shape of an output, or ([size]) of a size\n"
      "by its name in Model.outputs, for sizes that data decides: memory is\n"
      "planned for it, and a run fails beyond it.\n"
      "`cache` keeps packages and images. `time_limit` is in seconds, for\n"
      "all. Of each kernel, `memory_limit` is the most bytes of IR,\n"
      "`llvm_ir_limit` the most instructions of LLVM IR (0: no limit).\n"
      "`precision` is that of products of f32: ieee, tf32, tf32x3, bf16x3 or\n"
      "bf16x6.\n"
      "Raises Error, whose diagnostics say where. Ctrl-C gives it up.");
}

} // namespace tilewright::python
