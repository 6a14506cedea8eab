//===- EmitBuffer.cpp - Tiles in scratch memory ---------------------------===//
#include "codegen/cpu/TileEmitter.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace tilewright::cpu {

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

/// The number of elements from the buffer's first to the one at `index`.
Value TileEmitter::elementOf(const Buffer &buffer, ValueRange at) {
  Value element = index(0);
  for (auto [position, stride] : llvm::zip(at, buffer.strides))
    element = add(element, mul(position, index(stride)));
  return element;
}

Value TileEmitter::readBuffer(const Buffer &buffer, const Lanes &at) {
  int64_t stride = at.lane < 0 ? 1 : buffer.strides[at.lane];
  return loadLanes(
      address(buffer.pointer, elementOf(buffer, at.index), buffer.element),
      index(stride), stride == 1, buffer.element, at.width, laneMask(at), {});
}

void TileEmitter::writeBuffer(const Buffer &buffer, const Lanes &at,
                              Value value) {
  int64_t stride = at.lane < 0 ? 1 : buffer.strides[at.lane];
  storeLanes(
      value,
      address(buffer.pointer, elementOf(buffer, at.index), buffer.element),
      index(stride), stride == 1, buffer.element, at.width, laneMask(at));
}

Buffer TileEmitter::allocate(ArrayRef<int64_t> shape, Type element) {
  int64_t bytes = numeric::storedType(element).getIntOrFloatBitWidth() / 8;
  for (int64_t size : shape)
    bytes *= size;
  int64_t offset = scratchBytes;
  scratchBytes = llvm::alignTo(scratchBytes + bytes, 64);
  Value pointer =
      LLVM::GEPOp::create(b, loc, scratch.getType(), b.getI8Type(), scratch,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return {pointer, pointer, SmallVector<int64_t>(shape), computeStrides(shape),
          element};
}

/// Every `steps`-th element from `offsets` on, in place.
Buffer TileEmitter::aliasOf(const Buffer &buffer, ArrayRef<int64_t> offsets,
                            ArrayRef<int64_t> steps, ArrayRef<int64_t> shape) {
  Buffer alias = buffer;
  alias.shape.assign(shape.begin(), shape.end());
  int64_t first = 0;
  for (unsigned d = 0; d < shape.size(); ++d) {
    first += offsets[d] * buffer.strides[d];
    if (!steps.empty())
      alias.strides[d] *= steps[d];
  }
  alias.pointer = address(buffer.pointer, index(first), buffer.element);
  sharedBuffers.insert(alias.root);
  return alias;
}

/// The buffer that holds `tile`, computed now if there is none.
FailureOr<Buffer> TileEmitter::bufferOf(Value tile) {
  if (auto known = buffers.find(tile); known != buffers.end())
    return known->second;
  auto type = cast<RankedTensorType>(tile.getType());
  if (auto reshape = tile.getDefiningOp<tile::ReshapeOp>()) {
    // The same elements in the same order: another shape of one buffer.
    FailureOr<Buffer> source = denseBufferOf(reshape.getSource());
    if (failed(source))
      return failure();
    Buffer alias = *source;
    sharedBuffers.insert(alias.root);
    alias.shape.assign(type.getShape().begin(), type.getShape().end());
    alias.strides = computeStrides(type.getShape());
    if (needsBuffer(tile))
      buffers[tile] = alias;
    return alias;
  }
  Buffer buffer = allocate(type.getShape(), type.getElementType());
  if (failed(materializeInto(tile, buffer)))
    return failure();
  // Computed at its definition, so that it holds for all readers.
  if (needsBuffer(tile))
    buffers[tile] = buffer;
  return buffer;
}

/// As bufferOf, with the elements in row-major order.
FailureOr<Buffer> TileEmitter::denseBufferOf(Value tile) {
  FailureOr<Buffer> buffer = bufferOf(tile);
  if (failed(buffer) || buffer->strides == computeStrides(buffer->shape))
    return buffer;
  Buffer dense = allocate(buffer->shape, buffer->element);
  if (failed(copyBuffer(*buffer, dense)))
    return failure();
  return dense;
}

/// A tile of floats in a new buffer of a type that holds them exactly.
FailureOr<Buffer> TileEmitter::packAs(Value tile, Type element) {
  auto type = cast<RankedTensorType>(tile.getType());
  Buffer buffer = allocate(type.getShape(), element);
  LogicalResult packed = forEachVector(
      type.getShape(), element, [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value = eval(tile, at);
        if (failed(value))
          return failure();
        writeBuffer(buffer, at,
                    numeric::FloatBits(b, loc).toFloat(
                        *value, type.getElementType(), element));
        return success();
      });
  if (failed(packed))
    return failure();
  return buffer;
}

LogicalResult TileEmitter::materializeInto(Value tile, const Buffer &buffer) {
  return forEachVector(buffer.shape, buffer.element,
                       [&](const Lanes &at) -> LogicalResult {
                         FailureOr<Value> value = eval(tile, at);
                         if (failed(value))
                           return failure();
                         writeBuffer(buffer, at, *value);
                         return success();
                       });
}

LogicalResult TileEmitter::copyBuffer(const Buffer &from, const Buffer &to) {
  return forEachVector(to.shape, to.element, [&](const Lanes &at) {
    writeBuffer(to, at, readBuffer(from, at));
    return success();
  });
}

//===----------------------------------------------------------------------===//
// What a tile's elements are computed from
//===----------------------------------------------------------------------===//

bool TileEmitter::readsMemory(Value tile) {
  return memoryReads.isNeededFor(
      tile, [&](Value other) { return buffers.contains(other); });
}

/// Whether computing elements of `tile` reads the buffer of `argument`.
bool TileEmitter::dependsOn(Value tile, Value argument) {
  Value root = buffers[argument].root;
  SmallVector<Value> work = {tile};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (auto held = buffers.find(next); held != buffers.end()) {
      if (held->second.root == root)
        return true;
      continue;
    }
    auto source = gatherSources.find(op);
    if (source != gatherSources.end() && source->second.root == root)
      return true;
    for (Value operand : op ? op->getOperands() : ValueRange())
      if (isa<RankedTensorType>(operand.getType()))
        work.push_back(operand);
  }
  return false;
}

/// Whether each element of `tile` reads that of `argument` at its own place
/// and no other.
bool TileEmitter::readsInPlace(Value tile, Value argument) {
  SmallVector<Value> work = {tile};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second || next == argument ||
        !dependsOn(next, argument))
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || buffers.contains(next) || !isElementwise(op))
      return false;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        work.push_back(operand);
  }
  return true;
}

} // namespace tilewright::cpu
