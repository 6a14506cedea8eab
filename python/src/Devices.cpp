// open, devices, Device, Kernel.
#include "Errors.h"
#include "Handles.h"
#include "Launch.h"

#include "tilewright/runtime/DeviceRegistry.h"
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace tilewright::python {

using namespace nb::literals;

namespace {

/// Kernel of Python.
struct KernelHandle {
  std::shared_ptr<DeviceHandle> owner;
  Executable executable;
  CompileReport report;
};

/// Takes a stream, launches, and returns the stream if it is valid.
Status launchAndWait(const KernelHandle &kernel,
                     const std::vector<UserArgument> &arguments) {
  DeviceHandle &owner = *kernel.owner;
  std::unique_ptr<runtime::Stream> stream = owner.streams.get();
  if (!stream) {
    TILEWRIGHT_ASSIGN_OR_RETURN(stream, owner.device->createStream());
  }
  Status status =
      launchOnHostArrays(kernel.executable, *owner.device, *stream, arguments);
  if (status.ok())
    owner.streams.put(std::move(stream));
  return status;
}

void call(const KernelHandle &kernel, const nb::args &arguments,
          const nb::kwargs &byName) {
  std::vector<UserArgument> given =
      readArguments(kernel.executable.image().manifest, arguments, byName);
  Status status;
  {
    nb::gil_scoped_release release;
    status = launchAndWait(kernel, given);
  }
  check(status);
}

/// "x: f32[?, 5]", "by: f32", "at: index or pointer".
std::string printArgument(const runtime::KernelManifest &manifest,
                          size_t index) {
  const runtime::KernelArgument &argument = manifest.arguments[index];
  std::string text = argumentName(manifest, index) + ": ";
  if (!argument.dtype)
    return text + "index or pointer";
  text += runtime::dtypeName(*argument.dtype);
  if (!argument.isView())
    return text;
  text += "[";
  for (unsigned d = 0; d < argument.rank; ++d) {
    // The guards know sizes that are not passed: "arg0.dim1 == 5".
    const std::string fixed =
        "arg" + std::to_string(index) + ".dim" + std::to_string(d) + " == ";
    std::string size = "?";
    for (const std::string &guard : manifest.guards)
      if (guard.starts_with(fixed))
        size = guard.substr(fixed.size());
    text += (d ? ", " : "") + size;
  }
  return text + "]";
}

std::string printKernel(const KernelHandle &kernel) {
  const runtime::KernelManifest &manifest = kernel.executable.image().manifest;
  std::string text = "<tilewright.Kernel " + manifest.name + "(";
  for (size_t i = 0; i < manifest.arguments.size(); ++i)
    text += (i ? ", " : "") + printArgument(manifest, i);
  return text + ") on " + kernel.owner->device->info().name + ">";
}

KernelHandle loadImage(const std::shared_ptr<DeviceHandle> &owner,
                       const Image &image) {
  StatusOr<Executable> loaded = Status::internal("not loaded");
  {
    nb::gil_scoped_release release;
    loaded = Executable::load(image.image, *owner->device);
  }
  return {owner, take(std::move(loaded)), image.report};
}

KernelHandle load(const std::shared_ptr<DeviceHandle> &owner, nb::handle source,
                  const RequestOptions &options, const CacheHandle *cache) {
  Image *given = nullptr;
  if (nb::try_cast(source, given, false) && given) {
    if (options.target || options.kernel || !options.tunables.empty() ||
        !options.schedule.empty())
      raise(Status::invalidInput("an image is compiled: it takes no target, "
                                 "kernel, tunables or schedule"));
    return loadImage(owner, *given);
  }
  const std::vector<std::string> &targets = owner->device->info().targets;
  CompileRequest request =
      makeRequest(source, options, targets.empty() ? "cpu" : targets.front());
  return loadImage(owner, compileNow(std::move(request), cache));
}

/// Calls `sink` with each line, from any thread; its exceptions are printed on
/// standard error and not propagated. The last copy may be destroyed on a
/// thread that does not hold the interpreter's lock.
runtime::PrintSink sinkFor(nb::object sink) {
  auto dropped = [](nb::object *held) {
    if (!Py_IsInitialized())
      return; // The process ends; so does all that it holds.
    nb::gil_scoped_acquire lock;
    delete held;
  };
  std::shared_ptr<nb::object> kept(new nb::object(std::move(sink)), dropped);
  return [kept](std::string_view line) {
    nb::gil_scoped_acquire lock;
    try {
      (*kept)(nb::str(line.data(), line.size()));
    } catch (nb::python_error &raised) {
      raised.discard_as_unraisable("a kernel's print");
    }
  };
}

std::shared_ptr<DeviceHandle> open(const std::string &name, unsigned threads,
                                   nb::object prints) {
  runtime::DeviceOptions options;
  options.threads = threads;
  if (!prints.is_none())
    options.prints = sinkFor(std::move(prints));
  StatusOr<std::shared_ptr<runtime::Device>> device =
      Status::internal("not opened");
  {
    nb::gil_scoped_release release;
    device = runtime::openDevice(name, options);
  }
  auto handle = std::make_shared<DeviceHandle>();
  handle->device = take(std::move(device));
  return handle;
}

} // namespace

static void bindKernel(nb::module_ &module) {
  nb::class_<KernelHandle>(
      module, "Kernel",
      "A kernel on a device. Call it with an array for each view or pointer,\n"
      "and a number for each scalar, in order or by the names that tile.name\n"
      "gives them in the kernel's text; it returns when the kernel has run.\n\n"
      "Arrays are NumPy's, or have DLPack and lie in host memory. What the\n"
      "kernel writes is in them. The device cpu uses them in place; emulator,\n"
      "interpreter and cuda copy each one there, and back when the kernel has\n"
      "run; of a kernel that fails nothing comes back. A strided array is\n"
      "taken where the kernel takes strides. Any thread may call.")
      .def("__call__", call,
           nb::sig("def __call__(self, *arguments: tilewright._data.Array | "
                   "float, **by_name: tilewright._data.Array | float) -> "
                   "None"))
      .def_prop_ro("image",
                   [](const KernelHandle &kernel) {
                     return Image{kernel.executable.image(), kernel.report};
                   })
      .def("__repr__", printKernel);
}

static void bindDevice(nb::module_ &module) {
  nb::class_<DeviceHandle>(module, "Device", "A device; any thread may use it.")
      .def_prop_ro(
          "name",
          [](const DeviceHandle &self) { return self.device->info().name; })
      .def_prop_ro("description",
                   [](const DeviceHandle &self) {
                     return self.device->info().description;
                   })
      .def_prop_ro(
          "targets",
          [](const DeviceHandle &self) { return self.device->info().targets; },
          "The targets whose kernels it runs, best first.")
      .def_prop_ro(
          "in_place",
          [](const DeviceHandle &self) {
            return self.device->inPlace({}, nullptr).ok();
          },
          "Whether kernels use arrays where they lie, without a copy.")
      .def(
          "load",
          [](std::shared_ptr<DeviceHandle> self, nb::object source,
             std::map<std::string, int64_t> tunables,
             std::optional<std::string> kernel, std::string schedule,
             std::optional<std::string> target, const CacheHandle *cache) {
            return load(self, source, {target, kernel, tunables, schedule},
                        cache);
          },
          "source"_a, "tunables"_a = nb::dict(), "kernel"_a = nb::none(),
          "schedule"_a = "", nb::kw_only(), "target"_a = nb::none(),
          "cache"_a = nb::none(),
          nb::sig("def load(self, source: str | bytes | os.PathLike[str] | "
                  "KernelImage, tunables: collections.abc.Mapping[str, int] = "
                  "{}, kernel: str | None = None, schedule: str = '', *, "
                  "target: str | None = None, cache: Cache | None = None) -> "
                  "Kernel"),
          "Loads an image, or compiles tile IR as compile() does, for the "
          "first of the device's targets.")
      .def("__repr__", [](const DeviceHandle &self) {
        return "<tilewright.Device '" + self.device->info().name + "'>";
      });
}

void bindDevices(nb::module_ &module) {
  bindKernel(module);
  bindDevice(module);
  module.def("open", open, "name"_a, "threads"_a = 0,
             "prints"_a.none() = nb::module_::import_("builtins").attr("print"),
             nb::sig("def open(name: str, threads: int = 0, prints: "
                     "collections.abc.Callable[[str], object] | None = print) "
                     "-> Device"),
             "Opens \"cpu\", \"emulator\", \"interpreter\" or \"cuda:0\". "
             "`threads` of the cpu device; 0 takes all. `prints` is called "
             "with each line that a kernel prints, one at a time, from any "
             "thread; None: they go nowhere. Not of cuda, whose driver writes "
             "to the standard output.");
  module.def(
      "devices", [] { return runtime::DeviceRegistry::builtin().kinds(); },
      "The kinds of devices that open() knows; whether there is one of a kind "
      "is what open() says.");
}

} // namespace tilewright::python
