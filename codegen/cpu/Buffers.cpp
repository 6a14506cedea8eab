//===- Buffers.cpp - Tiles in scratch memory ------------------------------===//
#include "codegen/cpu/Buffers.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/LaneAccess.h"
#include "codegen/cpu/Loops.h"
#include "codegen/cpu/ObservedEnds.h"
#include "codegen/numeric/FloatBits.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace tilewright::cpu {

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

Value elementOf(ImplicitLocOpBuilder &b, const Buffer &buffer, ValueRange at) {
  Value element = index(b, 0);
  for (auto [position, stride] : llvm::zip(at, buffer.strides))
    element = add(b, element, mul(b, position, index(b, stride)));
  return element;
}

Value readBuffer(ImplicitLocOpBuilder &b, const Buffer &buffer,
                 const Lanes &at) {
  int64_t stride = at.lane < 0 ? 1 : buffer.strides[at.lane];
  return loadLanes(b,
                   address(b, buffer.pointer, elementOf(b, buffer, at.index),
                           buffer.element),
                   index(b, stride), stride == 1, buffer.element, at.width,
                   laneMask(b, at), {});
}

void writeBuffer(ImplicitLocOpBuilder &b, const Buffer &buffer, const Lanes &at,
                 Value value) {
  int64_t stride = at.lane < 0 ? 1 : buffer.strides[at.lane];
  storeLanes(b, value,
             address(b, buffer.pointer, elementOf(b, buffer, at.index),
                     buffer.element),
             index(b, stride), stride == 1, buffer.element, at.width,
             laneMask(b, at));
}

Buffer allocate(ArrayRef<int64_t> shape, Type element, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t bytes = numeric::storedType(element).getIntOrFloatBitWidth() / 8;
  for (int64_t size : shape)
    bytes *= size;
  int64_t offset = e.scratch.bytes;
  e.scratch.bytes = llvm::alignTo(e.scratch.bytes + bytes, 64);
  Value pointer = LLVM::GEPOp::create(
      b, e.scratch.pointer.getType(), b.getI8Type(), e.scratch.pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return {pointer, pointer, SmallVector<int64_t>(shape), computeStrides(shape),
          element};
}

SmallVector<Buffer> allocateResults(Operation *op, Emission &e) {
  SmallVector<Buffer> results;
  for (Type result : op->getResultTypes())
    if (auto type = dyn_cast<RankedTensorType>(result))
      results.push_back(allocate(type.getShape(), type.getElementType(), e));
  return results;
}

void hold(ValueRange tiles, ArrayRef<Buffer> buffers, Emission &e) {
  for (auto [tile, buffer] : llvm::zip_equal(tiles, buffers))
    e.buffers.held[tile] = buffer;
}

Buffer aliasOf(const Buffer &buffer, ArrayRef<int64_t> offsets,
               ArrayRef<int64_t> steps, ArrayRef<int64_t> shape, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Buffer alias = buffer;
  alias.shape.assign(shape.begin(), shape.end());
  int64_t first = 0;
  for (unsigned d = 0; d < shape.size(); ++d) {
    first += offsets[d] * buffer.strides[d];
    if (!steps.empty())
      alias.strides[d] *= steps[d];
  }
  alias.pointer = address(b, buffer.pointer, index(b, first), buffer.element);
  e.buffers.shared.insert(alias.root);
  return alias;
}

FailureOr<Buffer> bufferOf(Value tile, Emission &e) {
  if (const Buffer *held = e.buffers.find(tile))
    return *held;
  // Computed at its definition, so that it dominates all readers.
  auto keep = [&](const Buffer &buffer) {
    if (e.buffers.chosen.contains(tile))
      e.buffers.held[tile] = buffer;
    return buffer;
  };
  Operation *op = tile.getDefiningOp();
  if (const CpuOp *known = op ? lookupOp(op) : nullptr; known && known->alias) {
    FailureOr<Buffer> alias = known->alias(op, e);
    if (failed(alias))
      return failure();
    return keep(*alias);
  }
  auto type = cast<RankedTensorType>(tile.getType());
  Buffer buffer = allocate(type.getShape(), type.getElementType(), e);
  if (failed(materializeInto(tile, buffer, e)))
    return failure();
  return keep(buffer);
}

FailureOr<Buffer> denseBufferOf(Value tile, Emission &e) {
  FailureOr<Buffer> buffer = bufferOf(tile, e);
  if (failed(buffer) || buffer->strides == computeStrides(buffer->shape))
    return buffer;
  Buffer dense = allocate(buffer->shape, buffer->element, e);
  if (failed(copyBuffer(*buffer, dense, e)))
    return failure();
  return dense;
}

FailureOr<Buffer> packAs(Value tile, Type element, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(tile.getType());
  Buffer buffer = allocate(type.getShape(), element, e);
  LogicalResult packed = forEachVector(
      type.getShape(), element, e,
      [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value = eval(tile, at, e);
        if (failed(value))
          return failure();
        writeBuffer(b, buffer, at,
                    numeric::FloatBits(b, b.getLoc())
                        .toFloat(*value, type.getElementType(), element));
        return success();
      },
      observedEnds(tile, e));
  if (failed(packed))
    return failure();
  return buffer;
}

LogicalResult materializeInto(Value tile, const Buffer &buffer, Emission &e) {
  return forEachVector(
      buffer.shape, buffer.element, e,
      [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value = eval(tile, at, e);
        if (failed(value))
          return failure();
        writeBuffer(e.b, buffer, at, *value);
        return success();
      },
      observedEnds(tile, e), /*hoists=*/true);
}

LogicalResult copyBuffer(const Buffer &from, const Buffer &to, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  return forEachVector(to.shape, to.element, e, [&](const Lanes &at) {
    writeBuffer(b, to, at, readBuffer(b, from, at));
    return success();
  });
}

//===----------------------------------------------------------------------===//
// What a tile's elements are computed from
//===----------------------------------------------------------------------===//

bool readsMemory(Value tile, Emission &e) {
  return e.buffers.reads.isNeededFor(
      tile, [&](Value other) { return e.buffers.contains(other); });
}

bool dependsOn(Value tile, Value argument, Emission &e) {
  Value root = e.buffers.held.lookup(argument).root;
  SmallVector<Value> work = {tile};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (const Buffer *held = e.buffers.find(next)) {
      if (held->root == root)
        return true;
      continue;
    }
    auto source = e.buffers.gatherSources.find(op);
    if (source != e.buffers.gatherSources.end() && source->second.root == root)
      return true;
    for (Value operand : op ? op->getOperands() : ValueRange())
      if (isa<RankedTensorType>(operand.getType()))
        work.push_back(operand);
  }
  return false;
}

bool readsInPlace(Value tile, Value argument, Emission &e) {
  SmallVector<Value> work = {tile};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second || next == argument ||
        !dependsOn(next, argument, e))
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || e.buffers.contains(next) || !isElementwise(op))
      return false;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        work.push_back(operand);
  }
  return true;
}

} // namespace tilewright::cpu
