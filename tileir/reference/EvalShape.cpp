// Ops that make tiles and move their elements.
#include "tileir/reference/ProgramInstance.h"

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

/// result[.., n] = inputs[n][..]
static TileValue join(ArrayRef<const TileValue *> inputs, Type type) {
  return TileValue::generate(
      type, [&](Index i) { return inputs[i.back()]->at(i.drop_back()); });
}

/// result[..] = source[.., n]
static TileValue splitPart(const TileValue &source, int64_t n, Type type) {
  return TileValue::generate(type, [&](Index i) {
    SmallVector<int64_t> from(i);
    from.push_back(n);
    return source.at(from);
  });
}

/// The inputs one after the other along `axis`.
static TileValue concat(ArrayRef<const TileValue *> inputs, int64_t axis,
                        Type type) {
  return TileValue::generate(type, [&](Index i) {
    SmallVector<int64_t> from(i);
    auto input = inputs.begin();
    while (from[axis] >= (*input)->shape()[axis])
      from[axis] -= (*input++)->shape()[axis];
    return (*input)->at(from);
  });
}

/// result[i] = source[offsets + i * steps]
static TileValue slice(const TileValue &source, tile::SliceOp op) {
  return TileValue::generate(op.getType(), [&](Index i) {
    SmallVector<int64_t> from;
    for (auto [dim, coordinate] : llvm::enumerate(i))
      from.push_back(op.getOffsets()[dim] + coordinate * op.getStep(dim));
    return source.at(from);
  });
}

/// An element that may be any other one if its index has several values.
static Element anyIf(bool isOpen, const Element &element) {
  return isOpen && !element.isPoison() ? element.withSpread(Spread::any())
                                       : element;
}

/// The element at the indices; poison outside the tile.
static LogicalResult evalExtract(tile::ExtractOp op, ProgramInstance &program) {
  const TileValue &source = program.tile(op.getSource());
  SmallVector<int64_t> from;
  bool isOpen = false;
  for (auto [dim, operand] : llvm::enumerate(op.getIndices())) {
    const Element &index = program.tile(operand).elements[0];
    isOpen |= index.hasSpread();
    bool isOutside = index.isPoison() || index.toInt() < 0 ||
                     index.toInt() >= source.shape()[dim];
    if (isOutside) {
      Operation *origin = index.isPoison() ? index.poisonOrigin() : op;
      return program.set(
          op, TileValue::scalar(Element::poison(op.getType(), origin)));
    }
    from.push_back(index.toInt());
  }
  return program.set(op, TileValue::scalar(anyIf(isOpen, source.at(from))));
}

/// result[.., i, ..] = source[.., indices[.., i, ..], ..], poison outside.
static TileValue gather(tile::GatherOp op, const TileValue &source,
                        const TileValue &indices) {
  int64_t axis = op.getAxis();
  return TileValue::generate(op.getType(), [&](Index i) {
    const Element &index = indices.at(i);
    if (index.isPoison())
      return Element::poison(source.elementType(), index.poisonOrigin());
    SmallVector<int64_t> from(i);
    from[axis] = index.toInt();
    if (from[axis] < 0 || from[axis] >= source.shape()[axis])
      return Element::poison(source.elementType(), op);
    return anyIf(index.hasSpread(), source.at(from));
  });
}

static SmallVector<const TileValue *> tilesOf(OperandRange operands,
                                              ProgramInstance &program) {
  SmallVector<const TileValue *> tiles;
  for (mlir::Value operand : operands)
    tiles.push_back(&program.tile(operand));
  return tiles;
}

static void addJoinOps(OpTable &table) {
  table.add<tile::JoinOp>([](tile::JoinOp op, ProgramInstance &program) {
    return program.set(op,
                       join(tilesOf(op.getInputs(), program), op.getType()));
  });
  table.add<tile::SplitOp>([](tile::SplitOp op, ProgramInstance &program) {
    for (auto [n, result] : llvm::enumerate(op.getResults()))
      (void)program.set(
          result, splitPart(program.tile(op.getSource()), n, result.getType()));
    return success();
  });
  table.add<tile::ConcatOp>([](tile::ConcatOp op, ProgramInstance &program) {
    return program.set(op, concat(tilesOf(op.getInputs(), program),
                                  op.getAxis(), op.getType()));
  });
  table.add<tile::SliceOp>([](tile::SliceOp op, ProgramInstance &program) {
    return program.set(op, slice(program.tile(op.getSource()), op));
  });
  table.add<tile::ExtractOp>(evalExtract);
  table.add<tile::GatherOp>([](tile::GatherOp op, ProgramInstance &program) {
    return program.set(op, gather(op, program.tile(op.getSource()),
                                  program.tile(op.getIndices())));
  });
}

void addShapeOps(OpTable &table) {
  addJoinOps(table);
  table.add<tile::IotaOp>([](tile::IotaOp op, ProgramInstance &program) {
    return program.set(op, iota(op.getType()));
  });
  table.add<tile::SplatOp>([](tile::SplatOp op, ProgramInstance &program) {
    return program.set(
        op, TileValue::splat(op.getType(),
                             program.tile(op.getScalar()).elements[0]));
  });
  table.add<tile::BroadcastOp>([](tile::BroadcastOp op,
                                  ProgramInstance &program) {
    return program.set(op,
                       broadcast(program.tile(op.getSource()), op.getType()));
  });
  table.add<tile::ReshapeOp>([](tile::ReshapeOp op, ProgramInstance &program) {
    return program.set(op, reshape(program.tile(op.getSource()), op.getType()));
  });
  table.add<tile::TransposeOp>(
      [](tile::TransposeOp op, ProgramInstance &program) {
        return program.set(op, transpose(program.tile(op.getSource()),
                                         op.getPermutation(), op.getType()));
      });
}

} // namespace tilewright::reference
