//===- PositionOps.cpp - Elements of vectors at any position --------------===//
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "verify/threads/Lanes.h"

using namespace mlir;

namespace tilewright::verify::threads {

namespace {
/// Indices of an n-D vector: a lane with each, or a number.
struct Position : Details {
  struct Index {
    bool isLane;
    int64_t number;
    int64_t size;
  };
  SmallVector<Index> indices;
  /// Scalars that one position has.
  unsigned parts = 1;
  /// For an insertion: the vector and the value.
  unsigned vector = 0, value = 0;
};
} // namespace

/// Nothing where an index is poison or out of range. `isSure` becomes false
/// where errors leave it open.
static std::optional<unsigned> offsetOf(const Position &position, Thread &t,
                                        bool &isSure) {
  uint64_t offset = 0;
  for (const Position::Index &index : position.indices) {
    uint64_t at = uint64_t(index.number);
    if (index.isLane) {
      const Lane &lane = t.frame[index.number];
      if (isPoison(lane))
        return std::nullopt;
      isSure &= !isOpen(lane);
      at = lane.bits;
    }
    if (at >= uint64_t(index.size))
      return std::nullopt;
    offset = offset * uint64_t(index.size) + at;
  }
  return unsigned(offset) * position.parts;
}

/// Any element may be another one.
static void markUnsure(const Instruction &i, Thread &t, bool isSure) {
  for (unsigned n = 0; !isSure && n < i.lanes; ++n)
    if (!isPoison(t.frame[i.result + n]))
      t.frame[i.result + n].mark = Mark::unknown();
}

static Outcome runExtract(const Instruction &i, Thread &t) {
  const auto &position = i.as<Position>();
  bool isSure = true;
  std::optional<unsigned> offset = offsetOf(position, t, isSure);
  for (unsigned n = 0; n < i.lanes; ++n)
    t.frame[i.result + n] =
        offset ? t.frame[position.vector + *offset + n] : Lane{0, i.op};
  markUnsure(i, t, isSure);
  return Outcome::next;
}

static Outcome runInsert(const Instruction &i, Thread &t) {
  const auto &position = i.as<Position>();
  bool isSure = true;
  std::optional<unsigned> offset = offsetOf(position, t, isSure);
  std::copy_n(t.frame + position.vector, i.lanes, t.frame + i.result);
  for (unsigned n = 0; !offset && n < i.lanes; ++n)
    t.frame[i.result + n] = {0, i.op};
  if (offset)
    std::copy_n(t.frame + position.value, position.parts,
                t.frame + i.result + *offset);
  markUnsure(i, t, isSure);
  return Outcome::next;
}

static std::shared_ptr<Position> positionIn(VectorType type, Value vector,
                                            ArrayRef<OpFoldResult> indices,
                                            Compiler &c) {
  auto position = std::make_shared<Position>();
  position->vector = c.laneOf(vector);
  for (auto [dim, index] : llvm::enumerate(indices)) {
    const int64_t size = type.getDimSize(unsigned(dim));
    if (auto value = dyn_cast<Value>(index))
      position->indices.push_back({true, c.laneOf(value), size});
    else
      position->indices.push_back(
          {false, cast<IntegerAttr>(cast<Attribute>(index)).getInt(), size});
  }
  for (int64_t size : type.getShape().drop_front(indices.size()))
    position->parts *= unsigned(size);
  return position;
}

static LogicalResult emitAt(Operation *op, Run run,
                            std::shared_ptr<Position> position, Compiler &c) {
  const bool isKnown = llvm::none_of(position->indices, [](const auto &index) {
    return index.isLane || index.number >= index.size || index.number < 0;
  });
  if (isKnown && run == runExtract) {
    unsigned offset = 0;
    for (const Position::Index &index : position->indices)
      offset = offset * unsigned(index.size) + unsigned(index.number);
    c.alias(op->getResult(0), position->vector + offset * position->parts);
    return success();
  }
  Instruction instruction = c.beginMove(op);
  instruction.run = run;
  instruction.details = std::move(position);
  c.emit(std::move(instruction));
  return success();
}

static LogicalResult buildExtract(vector::ExtractOp op, Compiler &c) {
  return emitAt(op, runExtract,
                positionIn(op.getSourceVectorType(), op.getSource(),
                           op.getMixedPosition(), c),
                c);
}
static LogicalResult buildInsert(vector::InsertOp op, Compiler &c) {
  auto position = positionIn(op.getDestVectorType(), op.getDest(),
                             op.getMixedPosition(), c);
  position->value = c.laneOf(op.getValueToStore());
  return emitAt(op, runInsert, std::move(position), c);
}
static LogicalResult buildExtractElement(LLVM::ExtractElementOp op,
                                         Compiler &c) {
  return emitAt(op, runExtract,
                positionIn(cast<VectorType>(op.getVector().getType()),
                           op.getVector(), OpFoldResult(op.getPosition()), c),
                c);
}
static LogicalResult buildInsertElement(LLVM::InsertElementOp op, Compiler &c) {
  auto position = positionIn(cast<VectorType>(op.getVector().getType()),
                             op.getVector(), OpFoldResult(op.getPosition()), c);
  position->value = c.laneOf(op.getValue());
  return emitAt(op, runInsert, std::move(position), c);
}

void addPositionOps(OpTable &ops) {
  ops.add<vector::ExtractOp>(buildExtract);
  ops.add<vector::InsertOp>(buildInsert);
  ops.add<LLVM::ExtractElementOp>(buildExtractElement);
  ops.add<LLVM::InsertElementOp>(buildInsertElement);
}

} // namespace tilewright::verify::threads
