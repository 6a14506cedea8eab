#include "runtime/core/SessionImpl.h"
#include "support/Format.h"
#include <algorithm>
#include <cstring>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

Shape Binding::allStrides() const {
  if (!memory.strides.empty())
    return memory.strides;
  Shape strides(memory.shape.size(), 1);
  for (size_t d = strides.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<int64_t>(memory.shape[d], 1);
  return strides;
}

bool Binding::isContiguous() const {
  const Shape strides = allStrides();
  int64_t expected = 1;
  for (size_t d = strides.size(); d-- > 0;) {
    if (memory.shape[d] == 0)
      return true;
    if (memory.shape[d] != 1 && strides[d] != expected)
      return false;
    expected *= memory.shape[d];
  }
  return true;
}

/// Calls `visit` with the offset of each row of the innermost dimension, in
/// elements and in row-major order.
template <typename Visit>
static void forEachRow(const Shape &shape, const Shape &strides, Visit visit) {
  const size_t outer = shape.size() - 1;
  if (std::ranges::find(shape, 0) != shape.end())
    return;
  Shape at(outer, 0);
  int64_t offset = 0;
  while (true) {
    visit(offset);
    size_t d = outer;
    for (; d-- > 0;) {
      offset += strides[d];
      if (++at[d] < shape[d])
        break;
      offset -= at[d] * strides[d];
      at[d] = 0;
    }
    if (d == size_t(-1))
      return;
  }
}

/// Copies rows between the strided tensor and a dense one. `copy` takes the
/// addresses of one element in both.
template <typename Copy>
static void forEachElement(const Binding &bound, Copy copy) {
  const Shape &shape = bound.memory.shape;
  const Shape strides = bound.allStrides();
  const size_t bytes = dtypeBytes(bound.memory.dtype);
  size_t dense = 0;
  forEachRow(shape, strides, [&](int64_t row) {
    for (int64_t i = 0; i < shape.back(); ++i, dense += bytes)
      copy(bound.memory.data.data() + size_t(row + i * strides.back()) * bytes,
           dense);
  });
}

static size_t elementBytes(const Binding &bound) {
  const StatusOr<size_t> bytes =
      denseBytes(bound.memory.dtype, bound.memory.shape);
  return bytes.ok() ? *bytes : 0; // Checked when it was bound.
}

std::span<const std::byte>
Binding::gather(std::vector<std::byte> &storage) const {
  const size_t size = elementBytes(*this);
  if (isContiguous())
    return memory.data.first(size);
  storage.resize(size);
  const size_t bytes = dtypeBytes(memory.dtype);
  forEachElement(*this, [&](const std::byte *element, size_t dense) {
    std::memcpy(storage.data() + dense, element, bytes);
  });
  return storage;
}

void Binding::scatter(std::span<const std::byte> elements) const {
  const size_t bytes = dtypeBytes(memory.dtype);
  forEachElement(*this, [&](std::byte *element, size_t dense) {
    std::memcpy(element, elements.data() + dense, bytes);
  });
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::string_view roleName(TensorRole role) {
  return role == TensorRole::input    ? "input"
         : role == TensorRole::output ? "output"
                                      : "weight";
}

/// The bytes from the first element to the end of the last. Errors: negative
/// sizes or strides, or more bytes than there are.
static StatusOr<size_t> extentOf(const Binding &bound,
                                 const std::string &what) {
  const TensorMemory &memory = bound.memory;
  if (const auto dense = denseBytes(memory.dtype, memory.shape); !dense.ok())
    return dense.status().prefixed(what);
  if (!memory.strides.empty() && memory.strides.size() != memory.shape.size())
    return Status::invalidInput(
        format("{}: expected {} strides, as memory has shape {}, found {}",
               {what, memory.shape.size(), printShape(memory.shape),
                memory.strides.size()}));
  const Shape strides = bound.allStrides();
  int64_t last = 0;
  bool isHuge = false;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] < 0)
      return Status::unsupported(
          format("{}: expected strides that are not negative, found {}; copy "
                 "the tensor",
                 {what, printShape(strides)}));
    int64_t step = 0;
    isHuge |= __builtin_mul_overflow(std::max<int64_t>(memory.shape[d], 1) - 1,
                                     strides[d], &step) ||
              __builtin_add_overflow(last, step, &last);
  }
  size_t bytes = 0;
  isHuge |= __builtin_mul_overflow(size_t(last) + 1, dtypeBytes(memory.dtype),
                                   &bytes);
  if (std::ranges::find(memory.shape, 0) != memory.shape.end())
    return size_t(0);
  if (isHuge || bytes > memory.data.size())
    return Status::invalidInput(
        format("{}: a tensor of shape {} with strides {} needs {} bytes, found "
               "{}",
               {what, printShape(memory.shape), printShape(strides),
                isHuge ? "more than 2^63" : std::to_string(bytes),
                memory.data.size()}));
  return bytes;
}

/// Whether two elements of the tensor may be one: the dimensions, by stride,
/// do not each step over all smaller ones.
static bool overlapsItself(const Binding &bound) {
  const Shape strides = bound.allStrides();
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t d = 0; d < strides.size(); ++d)
    if (bound.memory.shape[d] > 1)
      dims.emplace_back(strides[d], bound.memory.shape[d]);
  std::ranges::sort(dims);
  int64_t covered = 0;
  for (auto [stride, size] : dims) {
    if (stride <= covered)
      return true;
    covered += (size - 1) * stride;
  }
  return false;
}

namespace {
/// One bound tensor, for messages about two.
struct BoundRange {
  std::string name;
  TensorRole role;
  const std::byte *begin;
  size_t bytes;
};
} // namespace

static bool overlap(const BoundRange &a, const BoundRange &b) {
  return a.bytes && b.bytes && a.begin < b.begin + b.bytes &&
         b.begin < a.begin + a.bytes;
}

/// All that is bound but for one.
static std::vector<BoundRange>
rangesOf(const std::vector<std::optional<Binding>> &bindings, TensorRole role,
         const Binding *except, auto nameOf) {
  std::vector<BoundRange> ranges;
  for (size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i] && &*bindings[i] != except) {
      const StatusOr<size_t> extent = extentOf(*bindings[i], "");
      ranges.push_back({nameOf(i), role, bindings[i]->memory.data.data(),
                        extent.ok() ? *extent : 0});
    }
  return ranges;
}

//===----------------------------------------------------------------------===//
// Session
//===----------------------------------------------------------------------===//

/// The buffer of a weight by the name of its tensor.
static StatusOr<size_t> findWeight(const PackageManifest &manifest,
                                   std::string_view name) {
  std::string known;
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const BufferManifest &buffer = manifest.buffers[i];
    if (buffer.kind != BufferManifest::Kind::weight || buffer.alias)
      continue;
    if (buffer.weight == name)
      return i;
    known += (known.empty() ? "" : ", ") + buffer.weight;
  }
  return Status::notFound(
      format("the model has no weight '{}'\n  the model's weights: {}",
             {name, known.empty() ? "none" : known}));
}

static Status checkOutput(const InterfaceTensor &output,
                          const TensorMemory &memory, const std::string &what) {
  bool fits = memory.dtype == output.dtype &&
              memory.shape.size() == output.shape.size();
  for (size_t d = 0; fits && d < memory.shape.size(); ++d)
    fits =
        output.shape[d].constant().value_or(memory.shape[d]) == memory.shape[d];
  if (fits)
    return {};
  return Status::invalidInput(
      format("{} is {}, found memory of {}{}",
             {what, printTensorType(output.dtype, output.shape),
              dtypeName(memory.dtype), printShape(memory.shape)}));
}

static Status checkWeight(const BufferManifest &weight,
                          const TensorMemory &memory, const std::string &what) {
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes,
                              denseBytes(memory.dtype, memory.shape));
  const size_t expected = size_t(weight.bytes.constant().value_or(0));
  if (memory.dtype == weight.dtype && bytes == expected)
    return {};
  return Status::invalidInput(
      format("{} has {} bytes of {}, found {} bytes of {}{}",
             {what, expected, dtypeName(weight.dtype), bytes,
              dtypeName(memory.dtype), printShape(memory.shape)}));
}

Status Session::bind(TensorRole role, std::string_view name,
                     TensorMemory memory) {
  const PackageManifest &manifest = owner->manifest();
  const std::string what = format("{} '{}'", {roleName(role), name});
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<Binding> * slot,
                              impl->findSlot(role, name));
  Binding bound{std::move(memory), nullptr};
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t extent, extentOf(bound, what));
  size_t index = 0;
  if (role == TensorRole::input) {
    index = size_t(slot - impl->boundInputs.data());
    TILEWRIGHT_RETURN_IF_ERROR(
        checkInput(manifest.inputs[index], bound.memory.dtype,
                   bound.memory.shape, "", owner->describeInputs()));
  } else if (role == TensorRole::output) {
    index = size_t(slot - impl->boundOutputs.data());
    TILEWRIGHT_RETURN_IF_ERROR(
        checkOutput(manifest.outputs[index], bound.memory, what));
    if (overlapsItself(bound))
      return Status::invalidInput(
          format("{}: elements of its memory overlap: shape {}, strides {}",
                 {what, printShape(bound.memory.shape),
                  printShape(bound.allStrides())}));
  } else {
    index = size_t(slot - impl->boundWeights.data());
    TILEWRIGHT_RETURN_IF_ERROR(
        checkWeight(manifest.buffers[index], bound.memory, what));
  }
  TILEWRIGHT_RETURN_IF_ERROR(impl->checkOverlaps(
      *slot, role, {bound.memory.data.data(), extent}, what));
  const auto address = reinterpret_cast<uintptr_t>(bound.memory.data.data());
  if (extent && bound.isContiguous() &&
      address % dtypeBytes(bound.memory.dtype) == 0) {
    auto inPlace =
        owner->device().inPlace(bound.memory.data, bound.memory.owner);
    if (inPlace.ok())
      bound.inPlace = *std::move(inPlace);
    else if (inPlace.status().code() != StatusCode::unsupported)
      return inPlace.status().prefixed(what);
  }
  if (role == TensorRole::input)
    impl->inputShapes[index] = bound.memory.shape;
  else if (role == TensorRole::output)
    impl->lastRun = nullptr; // It has what was bound before.
  *slot = std::move(bound);
  ++impl->generation;
  return {};
}

Status Session::unbind(TensorRole role, std::string_view name) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<Binding> * slot,
                              impl->findSlot(role, name));
  if (!*slot)
    return {};
  slot->reset();
  ++impl->generation;
  impl->lastRun = nullptr;
  if (role == TensorRole::input)
    impl->inputShapes[size_t(slot - impl->boundInputs.data())].reset();
  return {};
}

BoundCopies Session::boundCopies() const { return impl->boundCopies; }

StatusOr<std::optional<Binding> *>
Session::Impl::findSlot(TensorRole role, std::string_view name) {
  const PackageManifest &manifest = model.manifest();
  if (role == TensorRole::weight) {
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t buffer, findWeight(manifest, name));
    return &boundWeights[buffer];
  }
  const bool isInput = role == TensorRole::input;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      size_t index, findTensor(isInput ? manifest.inputs : manifest.outputs,
                               name, roleName(role)));
  return isInput ? &boundInputs[index] : &boundOutputs[index];
}

Status Session::Impl::checkOverlaps(const std::optional<Binding> &slot,
                                    TensorRole role,
                                    std::span<const std::byte> memory,
                                    const std::string &what) const {
  const PackageManifest &manifest = model.manifest();
  const Binding *except = slot ? &*slot : nullptr;
  const BoundRange range{"", role, memory.data(), memory.size()};
  auto check = [&](const std::vector<std::optional<Binding>> &bindings,
                   TensorRole other, auto nameOf) -> Status {
    if (role != TensorRole::output && other != TensorRole::output)
      return {};
    for (const BoundRange &known : rangesOf(bindings, other, except, nameOf))
      if (overlap(range, known))
        return Status::invalidInput(format(
            "{}: its memory overlaps that of {} '{}', which is bound; what is "
            "written must be in memory of its own",
            {what, roleName(other), known.name}));
    return {};
  };
  TILEWRIGHT_RETURN_IF_ERROR(
      check(boundInputs, TensorRole::input,
            [&](size_t i) { return manifest.inputs[i].name; }));
  TILEWRIGHT_RETURN_IF_ERROR(
      check(boundOutputs, TensorRole::output,
            [&](size_t i) { return manifest.outputs[i].name; }));
  return check(boundWeights, TensorRole::weight,
               [&](size_t i) { return manifest.buffers[i].weight; });
}

Status Session::Impl::readBoundWords() {
  const std::vector<InterfaceTensor> &inputs = model.manifest().inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!boundInputs[i] ||
        (!inputs[i].shape.empty() && inputs[i].value.empty()))
      continue;
    std::vector<std::byte> storage;
    const std::span<const std::byte> data = boundInputs[i]->gather(storage);
    TILEWRIGHT_RETURN_IF_ERROR(checkValue(inputs[i], data));
    if (!inputs[i].shape.empty())
      continue;
    const uint64_t word = wordOf(inputs[i].dtype, data);
    generation += std::exchange(words[i], word) != word;
  }
  return {};
}

Status Session::Impl::copyBoundIn(const ExecutionPlan &plan) {
  const std::vector<InterfaceTensor> &inputs = model.manifest().inputs;
  auto copy = [&](const std::optional<Binding> &bound,
                  size_t buffer) -> Status {
    if (!bound || bound->inPlace || elementBytes(*bound) == 0)
      return {};
    std::vector<std::byte> storage;
    const std::span<const std::byte> data = bound->gather(storage);
    boundCopies.count += 1;
    boundCopies.bytes += data.size();
    TILEWRIGHT_RETURN_IF_ERROR(stream->copyToDevice(*plan.memory[buffer], 0,
                                                    data.data(), data.size()));
    return stream->synchronize(); // The storage ends here.
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(copy(boundInputs[i], inputs[i].buffer));
  for (size_t i = 0; i < boundWeights.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(copy(boundWeights[i], i));
  return {};
}

Status Session::Impl::copyBoundOut(const ExecutionPlan &plan) {
  for (size_t i = 0; i < boundOutputs.size(); ++i) {
    const std::optional<Binding> &bound = boundOutputs[i];
    const size_t bytes = bound ? elementBytes(*bound) : 0;
    if (!bound || bound->inPlace || bytes == 0)
      continue;
    boundCopies.count += 1;
    boundCopies.bytes += bytes;
    const bool isDirect = bound->isContiguous();
    std::vector<std::byte> storage(isDirect ? 0 : bytes);
    TILEWRIGHT_RETURN_IF_ERROR(stream->copyToHost(
        isDirect ? bound->memory.data.data() : storage.data(),
        outputMemory(plan, i), 0, bytes));
    TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
    if (!isDirect)
      bound->scatter(storage);
  }
  return {};
}

} // namespace tilewright::runtime
