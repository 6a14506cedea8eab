#include "tileir/reference/HostLaunch.h"

#include "tileir/reference/ProgramInstance.h"
#include "llvm/ADT/DenseMap.h"
#include <cstring>

using namespace mlir;

namespace tilewright::reference {

namespace {
/// The arrays of one launch as allocations.
class HostMemory {
public:
  Pointer add(const HostBuffer &buffer, unsigned number) {
    auto found = pointers.find(buffer.data);
    if (found != pointers.end())
      return found->second;
    std::string name = "argument " + std::to_string(number);
    ArrayRef<uint8_t> contents(static_cast<const uint8_t *>(buffer.data),
                               buffer.bytes);
    Pointer pointer = buffer.initialized ? memory.allocate(name, contents)
                                         : memory.allocate(name, buffer.bytes);
    pointers[buffer.data] = pointer;
    return pointer;
  }

  /// Copies the bytes that hold a value back to the arrays.
  void copyBack() {
    for (auto [data, pointer] : pointers) {
      ArrayRef<uint8_t> bytes = memory.bytes(pointer);
      for (size_t i = 0; i < bytes.size(); ++i)
        if (memory.isInitialized(pointer, i))
          static_cast<uint8_t *>(data)[i] = bytes[i];
    }
  }

  Memory memory;

private:
  llvm::DenseMap<void *, Pointer> pointers;
};
} // namespace

static FailureOr<Value> makeArgument(tile::KernelOp kernel, unsigned number,
                                     const HostArgument &argument,
                                     HostMemory &memory) {
  Type type = kernel.getArgumentTypes()[number];
  auto *buffer = std::get_if<HostBuffer>(&argument);
  if (auto viewType = dyn_cast<tile::ViewType>(type); viewType && buffer) {
    ViewValue view{memory.add(*buffer, number), viewType.getElementType(),
                   buffer->dims, buffer->strides};
    if (view.strides.empty())
      view.strides = rowMajorStrides(view.dims);
    return Value(view);
  }
  if (isa<tile::PtrType>(type) && buffer)
    return Value(TileValue::scalar(
        Element::ofPointer(type, memory.add(*buffer, number))));
  if (auto *integer = std::get_if<int64_t>(&argument);
      integer && type.isIntOrIndex())
    return Value(TileValue::scalar(Element::ofInt(type, *integer)));
  if (auto *number = std::get_if<double>(&argument);
      number && isa<FloatType>(type))
    return Value(TileValue::scalar(Element::ofDouble(type, *number)));
  return errorAt(kernel) << "argument " << number << " is " << type
                         << ", found "
                         << (buffer ? "an array" : "a number of another kind");
}

LogicalResult interpretOnHost(tile::KernelOp kernel,
                              ArrayRef<HostArgument> arguments,
                              const LaunchOptions &options) {
  if (kernel.getNumArguments() != arguments.size())
    return errorAt(kernel) << "takes " << kernel.getNumArguments()
                           << " arguments, found " << arguments.size();
  HostMemory memory;
  SmallVector<Value> values;
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    FailureOr<Value> value = makeArgument(kernel, number, argument, memory);
    if (failed(value))
      return failure();
    values.push_back(std::move(*value));
  }
  if (failed(interpretKernel(kernel, values, memory.memory, options)))
    return failure();
  memory.copyBack();
  return success();
}

} // namespace tilewright::reference
