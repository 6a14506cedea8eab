// _compile_torch, _TorchCall: what runs a graph of torch.compile.
#include "Errors.h"
#include "Models.h"
#include "TorchProgram.h"

#include "tilewright/compiler/TorchOperators.h"
#include <atomic>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace tilewright::python {

using namespace nb::literals;
using runtime::InterfaceTensor;
using runtime::Shape;
using runtime::TensorMemory;
using runtime::TensorRole;

namespace {

/// What the graph promises of a tensor; nothing where each call must ask.
struct Layout {
  std::optional<Shape> shape, strides;
};

/// A session, and the memory that is bound in it.
struct BoundSession {
  std::unique_ptr<runtime::Session> session;
  std::vector<std::optional<TensorMemory>> inputs, outputs;
};

bool isSame(const TensorMemory &a, const TensorMemory &b) {
  return a.data.data() == b.data.data() && a.data.size() == b.data.size() &&
         a.shape == b.shape && a.strides == b.strides;
}

Shape readShape(nb::handle sizes) {
  Shape shape;
  for (nb::handle each : sizes)
    shape.push_back(nb::cast<int64_t>(each));
  return shape;
}

/// What tensor.data_ptr() returns. Each call asks it of each tensor, so the
/// name is made once.
uintptr_t addressOf(nb::handle tensor) {
  static PyObject *const name = PyUnicode_InternFromString("data_ptr");
  nb::object address = nb::steal(PyObject_CallMethodNoArgs(tensor.ptr(), name));
  if (!address.is_valid())
    throw nb::python_error();
  return nb::cast<uintptr_t>(address);
}

/// Runs a model on the memory of tensors. Any thread may call.
class TorchCall {
public:
  TorchCall(std::shared_ptr<ModelHandle> model, nb::handle inputs,
            nb::handle outputs)
      : model(std::move(model)), inputLayouts(readLayouts(inputs)),
        outputLayouts(readLayouts(outputs)) {
    const runtime::PackageManifest &manifest = this->model->model->manifest();
    if (manifest.inputs.size() != inputLayouts.size() ||
        manifest.outputs.size() != outputLayouts.size())
      raise(Status::internal("the package has other inputs or outputs than "
                             "the graph"));
  }

  void run(nb::handle inputs, nb::handle outputs) {
    const runtime::PackageManifest &manifest = model->model->manifest();
    std::vector<TensorMemory> in =
        memoryOf(inputs, inputLayouts, manifest.inputs);
    std::vector<TensorMemory> out =
        memoryOf(outputs, outputLayouts, manifest.outputs);
    Status status;
    {
      nb::gil_scoped_release release;
      status = runOn(std::move(in), std::move(out));
    }
    check(status);
  }

  nb::tuple copies() const {
    return nb::make_tuple(copyCount.load(), copyBytes.load());
  }

private:
  static std::vector<Layout> readLayouts(nb::handle list) {
    std::vector<Layout> layouts;
    for (nb::handle each : list) {
      Layout &layout = layouts.emplace_back();
      if (each.is_none())
        continue;
      layout.shape = readShape(each[0]);
      layout.strides = readShape(each[1]);
    }
    return layouts;
  }

  static std::vector<TensorMemory>
  memoryOf(nb::handle tensors, const std::vector<Layout> &layouts,
           const std::vector<InterfaceTensor> &interface) {
    if (nb::len(tensors) != layouts.size())
      raise(Status::internal("the call has another number of tensors than the "
                             "graph"));
    std::vector<TensorMemory> result;
    result.reserve(layouts.size());
    for (size_t i = 0; i < layouts.size(); ++i) {
      nb::handle tensor = PyList_GET_ITEM(tensors.ptr(), Py_ssize_t(i));
      TensorMemory &memory = result.emplace_back();
      memory.dtype = interface[i].dtype;
      const Layout &layout = layouts[i];
      memory.shape =
          layout.shape ? *layout.shape : readShape(tensor.attr("shape"));
      memory.strides =
          layout.strides ? *layout.strides : readShape(tensor.attr("stride")());
      const uintptr_t address = addressOf(tensor);
      memory.data = {reinterpret_cast<std::byte *>(address), extent(memory)};
    }
    return result;
  }

  /// Bytes from the first element to the end of the last.
  static size_t extent(const TensorMemory &memory) {
    int64_t last = 0;
    for (size_t d = 0; d < memory.shape.size(); ++d) {
      if (memory.shape[d] == 0)
        return 0;
      last += (memory.shape[d] - 1) * memory.strides[d];
    }
    return size_t(last + 1) * runtime::dtypeBytes(memory.dtype);
  }

  Status runOn(std::vector<TensorMemory> in, std::vector<TensorMemory> out) {
    std::unique_ptr<BoundSession> bound = idle.get();
    if (!bound) {
      bound = std::make_unique<BoundSession>();
      bound->inputs.resize(in.size());
      bound->outputs.resize(out.size());
      TILEWRIGHT_ASSIGN_OR_RETURN(bound->session,
                                  model->model->createSession());
    }
    // A session that failed is dropped: it may be bound by half.
    TILEWRIGHT_RETURN_IF_ERROR(bind(*bound, std::move(in), std::move(out)));
    TILEWRIGHT_RETURN_IF_ERROR(runUnlessSignalled(*bound->session));
    const runtime::BoundCopies copies = bound->session->boundCopies();
    copyCount += copies.count;
    copyBytes += copies.bytes;
    idle.put(std::move(bound));
    return {};
  }

  /// Binds what is not bound already. Outputs of the call before may lie where
  /// inputs are now, so they are unbound first.
  Status bind(BoundSession &bound, std::vector<TensorMemory> in,
              std::vector<TensorMemory> out) const {
    const runtime::PackageManifest &manifest = model->model->manifest();
    for (size_t i = 0; i < out.size(); ++i)
      if (bound.outputs[i] && !isSame(*bound.outputs[i], out[i])) {
        bound.outputs[i].reset();
        TILEWRIGHT_RETURN_IF_ERROR(bound.session->unbind(
            TensorRole::output, manifest.outputs[i].name));
      }
    auto bindAll = [&](TensorRole role, std::vector<TensorMemory> &now,
                       std::vector<std::optional<TensorMemory>> &before,
                       const std::vector<InterfaceTensor> &names) -> Status {
      for (size_t i = 0; i < now.size(); ++i) {
        if (before[i] && isSame(*before[i], now[i]))
          continue;
        before[i].reset();
        TILEWRIGHT_RETURN_IF_ERROR(
            bound.session->bind(role, names[i].name, now[i]));
        before[i] = std::move(now[i]);
      }
      return {};
    };
    TILEWRIGHT_RETURN_IF_ERROR(
        bindAll(TensorRole::input, in, bound.inputs, manifest.inputs));
    return bindAll(TensorRole::output, out, bound.outputs, manifest.outputs);
  }

  const std::shared_ptr<ModelHandle> model;
  const std::vector<Layout> inputLayouts, outputLayouts;
  Pool<BoundSession> idle;
  std::atomic<size_t> copyCount = 0, copyBytes = 0;
};

std::shared_ptr<ModelHandle>
compileTorch(const DeviceHandle &device, const TorchProgramHandle &program,
             const std::string &name, unsigned threads,
             const CacheHandle *cache, nb::handle reproducer,
             const std::string &precision) {
  CompileModelOptions options;
  options.threads = threads;
  options.precision = take(runtime::parseF32Precision(precision));
  if (cache)
    options.cache = cache->cache;
  if (!reproducer.is_none())
    options.reproducer = readPath(reproducer);
  return compileFor(device, std::move(options), [&] {
    return StatusOr<ModelSource>(ModelSource::program(name, program.program));
  });
}

} // namespace

void bindTorch(nb::module_ &module) {
  bindTorchProgram(module);
  nb::class_<TorchCall>(module, "_TorchCall")
      .def(nb::init<std::shared_ptr<ModelHandle>, nb::handle, nb::handle>(),
           "model"_a, "inputs"_a, "outputs"_a)
      .def("__call__", &TorchCall::run, "inputs"_a, "outputs"_a)
      .def_prop_ro("copies", &TorchCall::copies);
  module.def("_compile_torch", compileTorch, "device"_a, "program"_a, "name"_a,
             "threads"_a = 0, "cache"_a.none() = nb::none(),
             "reproducer"_a.none() = nb::none(), "precision"_a = "ieee");
  module.def(
      "_check_precision",
      [](const std::string &name) {
        check(runtime::parseF32Precision(name).status());
      },
      "name"_a);
  module.def("_torch_supports", torch::supportsOperator, "target"_a);
}

} // namespace tilewright::python
