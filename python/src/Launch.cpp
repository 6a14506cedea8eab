#include "Launch.h"

#include "Errors.h"
#include <algorithm>

namespace tilewright::python {

using runtime::Buffer;
using runtime::KernelArgument;

/// An int of Python; of 64 bits, signed or unsigned.
static int64_t readInteger(nb::handle object, const std::string &what) {
  nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid())
    throw nb::python_error();
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (!overflow)
    return value;
  uint64_t large = PyLong_AsUnsignedLongLong(number.ptr());
  if (!PyErr_Occurred())
    return static_cast<int64_t>(large);
  PyErr_Clear();
  raise(Status::invalidInput(what + ": the number " +
                             std::string(nb::str(number).c_str()) +
                             " does not fit 64 bits"));
}

static UserArgument readArgument(const KernelArgument &parameter,
                                 nb::handle object, const std::string &what) {
  // Scalars of NumPy are numbers, though they have DLPack in some versions.
  bool array = isArray(object) && !PyFloat_Check(object.ptr());
  bool pointer = !parameter.isView() && !parameter.dtype;
  if (parameter.isView() || (pointer && array)) {
    HostArray given = hostArray(object, true, what);
    if (parameter.dtype)
      given.dtype = carriedType(given.dtype, *parameter.dtype);
    if (pointer && !given.strides.empty())
      raise(Status::invalidInput(
          what + ": a pointer needs an array in one piece, found strides " +
          runtime::printShape(given.strides)));
    return {std::move(given), pointer};
  }
  // Of NumPy it is no integer.
  if (!array &&
      nb::isinstance(object, nb::module_::import_("numpy").attr("bool_")))
    return {int64_t(nb::cast<bool>(nb::bool_(object)))};
  if (PyIndex_Check(object.ptr()) && !array)
    return {readInteger(object, what)};
  if (PyFloat_Check(object.ptr()) ||
      (!array && nb::hasattr(object, "__float__")))
    return {nb::cast<double>(nb::float_(object))};
  throw nb::type_error(
      (what + ": expected a number, found " +
       std::string(nb::str(object.type().attr("__name__")).c_str()))
          .c_str());
}

std::string argumentName(const runtime::KernelManifest &manifest,
                         size_t index) {
  const std::string &name = manifest.arguments[index].name;
  return name.empty() ? "arg" + std::to_string(index) : name;
}

static std::string argumentNames(const runtime::KernelManifest &manifest) {
  std::string names;
  for (size_t i = 0; i < manifest.arguments.size(); ++i)
    names += (i ? ", " : "") + argumentName(manifest, i);
  return names.empty() ? "none" : names;
}

/// One object for each argument.
static std::vector<nb::object>
matchArguments(const runtime::KernelManifest &manifest, const nb::args &inOrder,
               const nb::kwargs &byName) {
  const std::string kernel = "kernel '" + manifest.name + "': ";
  const size_t count = manifest.arguments.size();
  if (inOrder.size() > count || (byName.size() == 0 && inOrder.size() < count))
    raise(Status::invalidInput(kernel + "expected " + std::to_string(count) +
                               " arguments, found " +
                               std::to_string(inOrder.size())));
  std::vector<nb::object> objects(count);
  for (size_t i = 0; i < inOrder.size(); ++i)
    objects[i] = inOrder[i];
  for (auto [key, value] : byName) {
    auto name = nb::cast<std::string>(key);
    size_t i = 0;
    while (i < count && argumentName(manifest, i) != name)
      ++i;
    if (i == count)
      raise(Status::notFound(kernel + "there is no argument '" + name +
                             "'; the arguments are " +
                             argumentNames(manifest)));
    if (objects[i].is_valid())
      raise(Status::invalidInput(kernel + "argument '" + name +
                                 "' is given twice"));
    objects[i] = nb::borrow(value);
  }
  for (size_t i = 0; i < count; ++i)
    if (!objects[i].is_valid())
      raise(Status::invalidInput(kernel + "argument '" +
                                 argumentName(manifest, i) + "' is missing"));
  return objects;
}

std::vector<UserArgument> readArguments(const runtime::KernelManifest &manifest,
                                        const nb::args &inOrder,
                                        const nb::kwargs &byName) {
  std::vector<UserArgument> given;
  for (const nb::object &object : matchArguments(manifest, inOrder, byName)) {
    size_t i = given.size();
    given.push_back(readArgument(manifest.arguments[i], object,
                                 "kernel '" + manifest.name + "': argument " +
                                     std::to_string(i)));
  }
  return given;
}

namespace {

/// Host memory of one array or of several that overlap, and its copy on the
/// device.
struct HostMemory {
  std::byte *begin, *end;
  std::shared_ptr<Buffer> memory;
};

/// From a location in a buffer to its end.
class Tail : public Buffer {
public:
  Tail(std::shared_ptr<Buffer> whole, size_t offset)
      : whole(std::move(whole)), offset(offset) {}
  [[nodiscard]] uint64_t address() const override {
    return whole->address() + offset;
  }
  [[nodiscard]] size_t size() const override { return whole->size() - offset; }
  [[nodiscard]] const runtime::MemorySpace *space() const override {
    return whole->space();
  }

private:
  std::shared_ptr<Buffer> whole;
  size_t offset;
};

/// Memory of the device for all arrays of a call.
class CallMemory {
public:
  CallMemory(runtime::Device &device, runtime::Stream &stream)
      : device(device), stream(stream) {}

  /// Copies what the device cannot use in place.
  Status prepare(const std::vector<UserArgument> &arguments) {
    inPlace = device.inPlace({}, nullptr).ok();
    if (inPlace)
      return {};
    for (const UserArgument &argument : arguments)
      if (auto *array = std::get_if<HostArray>(&argument.value))
        regions.push_back({array->data, array->data + array->bytes, nullptr});
    merge();
    for (HostMemory &region : regions) {
      auto bytes = size_t(region.end - region.begin);
      TILEWRIGHT_ASSIGN_OR_RETURN(region.memory, device.allocate(bytes));
      TILEWRIGHT_RETURN_IF_ERROR(
          stream.copyToDevice(*region.memory, 0, region.begin, bytes));
    }
    return {};
  }

  /// The memory of an array.
  StatusOr<std::shared_ptr<Buffer>> of(const HostArray &array) {
    if (inPlace)
      return device.inPlace({array.data, array.bytes}, nullptr);
    for (const HostMemory &region : regions)
      if (region.begin <= array.data && array.data + array.bytes <= region.end)
        return std::shared_ptr<Buffer>(std::make_shared<Tail>(
            region.memory, size_t(array.data - region.begin)));
    return Status::internal("an array without memory on the device");
  }

  /// Copies back what may have been written.
  Status finish() {
    for (const HostMemory &region : regions)
      TILEWRIGHT_RETURN_IF_ERROR(stream.copyToHost(
          region.begin, *region.memory, 0, size_t(region.end - region.begin)));
    return stream.synchronize();
  }

private:
  /// One region for arrays that overlap: a write to one is seen in the other.
  void merge() {
    std::sort(regions.begin(), regions.end(),
              [](const HostMemory &a, const HostMemory &b) {
                return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
              });
    std::vector<HostMemory> merged;
    for (HostMemory &region : regions)
      if (!merged.empty() && region.begin < merged.back().end)
        merged.back().end = std::max(merged.back().end, region.end);
      else
        merged.push_back(region);
    regions = std::move(merged);
  }

  runtime::Device &device;
  runtime::Stream &stream;
  bool inPlace = false;
  std::vector<HostMemory> regions;
};

} // namespace

/// Enqueues copies and the launch. `tensors` live until all of it is done.
static Status enqueue(const Executable &kernel, CallMemory &memory,
                      runtime::Stream &stream,
                      const std::vector<UserArgument> &arguments,
                      std::vector<DeviceTensor> &tensors) {
  TILEWRIGHT_RETURN_IF_ERROR(memory.prepare(arguments));
  // Arguments refer to tensors: these must not move.
  tensors.reserve(arguments.size());
  std::vector<Argument> list;
  for (const UserArgument &given : arguments) {
    if (auto *integer = std::get_if<int64_t>(&given.value)) {
      list.emplace_back(*integer);
    } else if (auto *number = std::get_if<double>(&given.value)) {
      list.emplace_back(*number);
    } else {
      const auto &array = std::get<HostArray>(given.value);
      TILEWRIGHT_ASSIGN_OR_RETURN(auto buffer, memory.of(array));
      TILEWRIGHT_ASSIGN_OR_RETURN(
          DeviceTensor tensor,
          DeviceTensor::over(buffer, array.dtype, array.shape));
      tensors.push_back(std::move(tensor));
      list.push_back(given.asPointer
                         ? Argument::pointerTo(tensors.back())
                         : Argument::strided(tensors.back(), array.strides));
    }
  }
  return kernel.launchAll(stream, list);
}

Status launchOnHostArrays(const Executable &kernel, runtime::Device &device,
                          runtime::Stream &stream,
                          const std::vector<UserArgument> &arguments) {
  CallMemory memory(device, stream);
  std::vector<DeviceTensor> tensors;
  Status enqueued = enqueue(kernel, memory, stream, arguments, tensors);
  // Waits in any case: copies may be under way.
  Status done = stream.synchronize();
  TILEWRIGHT_RETURN_IF_ERROR(enqueued);
  TILEWRIGHT_RETURN_IF_ERROR(done);
  return memory.finish();
}

} // namespace tilewright::python
