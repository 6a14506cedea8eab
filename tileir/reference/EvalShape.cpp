// Ops that make tiles and move their elements.
#include "tileir/reference/Program.h"

using namespace mlir;

namespace tilewright::reference {

/// result[i] = i
static TileValue iota(Type type) {
  return TileValue::generate(type, [&](Index i) {
    return Element::ofInt(getElementTypeOrSelf(type), i[0]);
  });
}

/// result[i, j, ...] = source[i or 0, j or 0, ...], 0 where the source has
/// size 1.
static TileValue broadcast(const TileValue &source, Type type) {
  return TileValue::generate(type, [&](Index i) {
    SmallVector<int64_t> from(i);
    for (auto [dim, size] : llvm::enumerate(source.shape()))
      if (size == 1)
        from[dim] = 0;
    return source.at(from);
  });
}

/// The elements in row-major order are the same.
static TileValue reshape(const TileValue &source, Type type) {
  return {type, source.elements};
}

/// result[i] = source[j] where j[permutation[d]] = i[d].
static TileValue transpose(const TileValue &source, Index permutation,
                           Type type) {
  return TileValue::generate(type, [&](Index i) {
    SmallVector<int64_t> from(i.size());
    for (auto [dim, sourceDim] : llvm::enumerate(permutation))
      from[sourceDim] = i[dim];
    return source.at(from);
  });
}

void addShapeOps(OpTable &table) {
  table.add<tile::IotaOp>([](tile::IotaOp op, Program &program) {
    return program.set(op, iota(op.getType()));
  });
  table.add<tile::SplatOp>([](tile::SplatOp op, Program &program) {
    return program.set(
        op, TileValue::splat(op.getType(),
                             program.tile(op.getScalar()).elements[0]));
  });
  table.add<tile::BroadcastOp>([](tile::BroadcastOp op, Program &program) {
    return program.set(op,
                       broadcast(program.tile(op.getSource()), op.getType()));
  });
  table.add<tile::ReshapeOp>([](tile::ReshapeOp op, Program &program) {
    return program.set(op, reshape(program.tile(op.getSource()), op.getType()));
  });
  table.add<tile::TransposeOp>([](tile::TransposeOp op, Program &program) {
    return program.set(op, transpose(program.tile(op.getSource()),
                                     op.getPermutation(), op.getType()));
  });
}

} // namespace tilewright::reference
