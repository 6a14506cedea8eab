//===- EmitShape.cpp - Tiles that are filled, spread and turned -----------===//
#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace tilewright::cpu {

static FailureOr<Value> evalSplat(tile::SplatOp op, const Lanes &at,
                                  Emission &e) {
  return splat(e.b, e.scalars.lookup(op.getScalar()), at.width);
}

static FailureOr<Value> evalIota(tile::IotaOp op, const Lanes &at,
                                 Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Type element = op.getResult().getType().getElementType();
  Value first = at.index[0];
  if (!element.isIndex())
    first = arith::IndexCastOp::create(b, element, first);
  if (at.width == 1)
    return first;
  return Value(arith::AddIOp::create(b, splat(b, first, at.width),
                                     laneNumbers(b, element, at.width)));
}

static FailureOr<Value> evalBroadcast(tile::BroadcastOp op, const Lanes &at,
                                      Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  Lanes inner = at;
  for (int64_t d = 0; d < source.getRank(); ++d) {
    if (source.getDimSize(d) == result.getDimSize(d))
      continue;
    inner.index[d] = index(b, 0);
    if (at.lane == d) {
      inner.lane = -1;
      inner.width = 1;
      inner.missing = 0;
    }
  }
  FailureOr<Value> value = eval(op.getSource(), inner, e);
  if (failed(value))
    return failure();
  return inner.width == at.width ? *value : splat(b, *value, at.width);
}

/// Only dims of size 1 come or go here; other reshapes have a buffer.
static FailureOr<Value> evalReshape(tile::ReshapeOp op, const Lanes &at,
                                    Emission &e) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  Lanes inner;
  inner.width = at.width;
  inner.missing = at.missing;
  int64_t to = 0;
  for (int64_t size : source.getShape()) {
    if (size == 1) {
      inner.index.push_back(index(e.b, 0));
      continue;
    }
    while (result.getDimSize(to) == 1)
      ++to;
    if (at.lane == to)
      inner.lane = inner.index.size();
    inner.index.push_back(at.index[to++]);
  }
  return eval(op.getSource(), inner, e);
}

/// The same elements in the same order: another shape of one buffer.
static FailureOr<Buffer> aliasReshape(tile::ReshapeOp op, Emission &e) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  FailureOr<Buffer> source = denseBufferOf(op.getSource(), e);
  if (failed(source))
    return failure();
  Buffer alias = *source;
  e.buffers.shared.insert(alias.root);
  alias.shape.assign(type.getShape().begin(), type.getShape().end());
  alias.strides = computeStrides(type.getShape());
  return alias;
}

/// None where a dim is split.
static std::optional<SmallVector<DimGroup>> dimsOfReshape(tile::ReshapeOp op) {
  SmallVector<DimGroup> groups;
  auto from = cast<RankedTensorType>(op.getSource().getType()).getShape();
  auto to = cast<RankedTensorType>(op.getResult().getType()).getShape();
  int at = 0, end = static_cast<int>(from.size());
  auto skipUnits = [&] {
    while (at < end && from[at] == 1)
      ++at;
  };
  for (int64_t size : to) {
    DimGroup &group = groups.emplace_back();
    int64_t merged = 1;
    while (merged < size) {
      skipUnits();
      if (at == end)
        return std::nullopt;
      merged *= from[at];
      group.push_back(at++);
    }
    if (merged != size)
      return std::nullopt;
  }
  skipUnits();
  if (at != end)
    return std::nullopt;
  return groups;
}

static FailureOr<Value> evalTranspose(tile::TransposeOp op, const Lanes &at,
                                      Emission &e) {
  Lanes source = at;
  for (auto [to, from] : llvm::enumerate(op.getPermutation())) {
    source.index[from] = at.index[to];
    if (at.lane == static_cast<int>(to))
      source.lane = from;
  }
  return eval(op.getSource(), source, e);
}

static std::optional<SmallVector<DimGroup>>
dimsOfTranspose(tile::TransposeOp op) {
  SmallVector<DimGroup> groups;
  for (int64_t dim : op.getPermutation())
    groups.push_back({static_cast<int>(dim)});
  return groups;
}

/// A dimension of a broadcast that is not repeated.
static std::optional<unsigned> notRepeated(OpOperand &operand, unsigned dim) {
  auto size = [&](Value tile) {
    return cast<RankedTensorType>(tile.getType()).getDimSize(dim);
  };
  return size(operand.get()) == size(operand.getOwner()->getResult(0))
             ? std::optional(dim)
             : std::nullopt;
}

void addShapeOps(CpuOps &ops) {
  ops.add<tile::SplatOp>(
      {.eval = onOp(evalSplat), .keepsMemory = true, .cost = 0});
  ops.add<tile::IotaOp>({.eval = onOp(evalIota), .cost = 0});
  ops.add<tile::BroadcastOp>({.eval = onOp(evalBroadcast),
                              .resultDim = notRepeated,
                              .keepsMemory = true});
  ops.add<tile::ReshapeOp>({.eval = onOp(evalReshape),
                            .alias = onOp(aliasReshape),
                            .sourceDims = onOp(dimsOfReshape),
                            .keepsMemory = true});
  ops.add<tile::TransposeOp>(
      {.eval = onOp(evalTranspose), .sourceDims = onOp(dimsOfTranspose)});
}

} // namespace tilewright::cpu
