//===- VectorOps.cpp - Vectors, arrays and structs ------------------------===//
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/Lanes.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

static unsigned countOf(Type type) {
  SmallVector<Type> scalars;
  (void)scalarsOf(type, scalars);
  return unsigned(scalars.size());
}

//===--- Lanes that are known ---------------------------------------------===//

namespace {
/// By lane of the result: the lane that it copies, or none for poison.
struct Picks : Details {
  std::vector<unsigned> from;
};
constexpr unsigned kPoison = ~0U;
} // namespace

static Outcome runPicks(const Instruction &i, Thread &t) {
  const std::vector<unsigned> &from = i.as<Picks>().from;
  Lane *to = t.frame + i.result;
  for (unsigned n = 0; n < i.lanes; ++n)
    to[n] = from[n] == kPoison ? Lane{0, i.op} : t.frame[from[n]];
  return Outcome::next;
}

static LogicalResult emitPicks(Operation *op, std::vector<unsigned> from,
                               Compiler &c) {
  auto picks = std::make_shared<Picks>();
  picks->from = std::move(from);
  Instruction instruction = c.beginMove(op);
  instruction.run = runPicks;
  instruction.details = std::move(picks);
  c.emit(std::move(instruction));
  return success();
}

/// The lanes of a value, in order.
static std::vector<unsigned> lanesOf(Value value, Compiler &c) {
  std::vector<unsigned> lanes(countOf(value.getType()));
  for (unsigned i = 0; i < lanes.size(); ++i)
    lanes[i] = c.laneOf(value) + i;
  return lanes;
}

/// The index, in row-major order, of the first element at a position that may
/// have fewer dims than the shape.
static unsigned offsetAt(ArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
  unsigned offset = 0;
  for (auto [dim, size] : llvm::enumerate(shape))
    offset = offset * unsigned(size) +
             (dim < position.size() ? unsigned(position[dim]) : 0);
  return offset;
}

static LogicalResult buildBroadcast(vector::BroadcastOp op, Compiler &c) {
  VectorType type = op.getResultVectorType();
  const unsigned first = c.laneOf(op.getSource());
  SmallVector<int64_t> shape;
  if (auto source = dyn_cast<VectorType>(op.getSourceType()))
    shape.assign(source.getShape().begin(), source.getShape().end());
  const size_t skipped = size_t(type.getRank()) - shape.size();
  std::vector<unsigned> from;
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (int64_t n = 0; n < type.getNumElements(); ++n) {
    SmallVector<int64_t> at = delinearize(n, strides);
    SmallVector<int64_t> inner;
    for (auto [size, index] :
         llvm::zip(shape, ArrayRef(at).drop_front(skipped)))
      inner.push_back(size == 1 ? 0 : index);
    from.push_back(first + offsetAt(inner, shape));
  }
  return emitPicks(op, std::move(from), c);
}

/// `first`, then a slice of the vector with steps of one.
static std::vector<unsigned> sliceOf(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> offsets,
                                     ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> whole(sizes);
  for (size_t dim = sizes.size(); dim < shape.size(); ++dim)
    whole.push_back(shape[dim]);
  SmallVector<int64_t> strides = computeStrides(whole);
  std::vector<unsigned> lanes;
  for (int64_t n = 0, end = computeProduct(whole); n < end; ++n) {
    SmallVector<int64_t> at = delinearize(n, strides);
    for (auto [dim, offset] : llvm::enumerate(offsets))
      at[dim] += offset;
    lanes.push_back(offsetAt(at, shape));
  }
  return lanes;
}

static SmallVector<int64_t> integers(ArrayAttr array) {
  return llvm::map_to_vector(array.getAsRange<IntegerAttr>(),
                             [](IntegerAttr each) { return each.getInt(); });
}

static LogicalResult buildExtractSlice(vector::ExtractStridedSliceOp op,
                                       Compiler &c) {
  std::vector<unsigned> from =
      sliceOf(op.getSourceVectorType().getShape(), integers(op.getOffsets()),
              integers(op.getSizes()));
  for (unsigned &lane : from)
    lane += c.laneOf(op.getSource());
  return emitPicks(op, std::move(from), c);
}

static LogicalResult buildInsertSlice(vector::InsertStridedSliceOp op,
                                      Compiler &c) {
  ArrayRef<int64_t> shape = op.getDestVectorType().getShape();
  ArrayRef<int64_t> part = op.getSourceVectorType().getShape();
  SmallVector<int64_t> sizes(shape.size() - part.size(), 1);
  sizes.append(part.begin(), part.end());
  std::vector<unsigned> from = lanesOf(op.getDest(), c);
  for (auto [n, lane] :
       llvm::enumerate(sliceOf(shape, integers(op.getOffsets()), sizes)))
    from[lane] = c.laneOf(op.getValueToStore()) + unsigned(n);
  return emitPicks(op, std::move(from), c);
}

template <typename Op>
static LogicalResult buildShuffle(Op op, Value left, Value right,
                                  unsigned parts, ArrayRef<int64_t> first,
                                  Compiler &c) {
  const unsigned leftCount =
      unsigned(cast<VectorType>(left.getType()).getNumElements()) / parts;
  std::vector<unsigned> from;
  for (int64_t index : first)
    for (unsigned n = 0; n < parts; ++n)
      from.push_back(index < 0 ? kPoison
                     : index < int64_t(leftCount)
                         ? c.laneOf(left) + unsigned(index) * parts + n
                         : c.laneOf(right) +
                               (unsigned(index) - leftCount) * parts + n);
  return emitPicks(op, std::move(from), c);
}

/// Elements within one entry of the first dim.
static unsigned partsOf(VectorType type) {
  return type.getRank() == 0
             ? 1
             : unsigned(type.getNumElements() / type.getDimSize(0));
}

static LogicalResult buildTranspose(vector::TransposeOp op, Compiler &c) {
  VectorType from = op.getSourceVectorType(), to = op.getResultVectorType();
  std::vector<unsigned> lanes;
  SmallVector<int64_t> strides = computeStrides(to.getShape());
  for (int64_t n = 0; n < to.getNumElements(); ++n) {
    SmallVector<int64_t> at = delinearize(n, strides), source(at.size());
    for (auto [dim, chosen] : llvm::enumerate(op.getPermutation()))
      source[chosen] = at[dim];
    lanes.push_back(c.laneOf(op.getVector()) +
                    offsetAt(source, from.getShape()));
  }
  return emitPicks(op, std::move(lanes), c);
}

static LogicalResult buildFromElements(vector::FromElementsOp op, Compiler &c) {
  std::vector<unsigned> from;
  for (Value element : op.getElements())
    from.push_back(c.laneOf(element));
  return emitPicks(op, std::move(from), c);
}

static LogicalResult buildToElements(vector::ToElementsOp op, Compiler &c) {
  for (auto [n, element] : llvm::enumerate(op.getElements()))
    c.alias(element, c.laneOf(op.getSource()) + unsigned(n));
  return success();
}

static LogicalResult buildInterleave(vector::InterleaveOp op, Compiler &c) {
  std::vector<unsigned> from;
  for (unsigned n = 0; n < countOf(op.getLhs().getType()); ++n) {
    from.push_back(c.laneOf(op.getLhs()) + n);
    from.push_back(c.laneOf(op.getRhs()) + n);
  }
  return emitPicks(op, std::move(from), c);
}

static LogicalResult buildDeinterleave(vector::DeinterleaveOp op, Compiler &c) {
  std::vector<unsigned> from;
  const unsigned count = countOf(op.getSource().getType());
  for (unsigned half : {0U, 1U})
    for (unsigned n = half; n < count; n += 2)
      from.push_back(c.laneOf(op.getSource()) + n);
  return emitPicks(op, std::move(from), c);
}

/// The same lanes.
static LogicalResult buildSame(Operation *op, Compiler &c) {
  c.alias(op->getResult(0), c.laneOf(op->getOperand(0)));
  return success();
}

static LogicalResult buildStep(vector::StepOp op, Compiler &c) {
  const unsigned first = c.define(op.getResult());
  for (unsigned n = 0; n < countOf(op.getType()); ++n)
    c.constant(first + n).bits = n;
  return success();
}

//===--- Members ----------------------------------------------------------===//

/// The first scalar of a member of an array or struct, and the member's type.
static unsigned memberAt(Type &type, ArrayRef<int64_t> position) {
  unsigned offset = 0;
  for (int64_t index : position) {
    if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
      type = array.getElementType();
      offset += unsigned(index) * countOf(type);
      continue;
    }
    ArrayRef<Type> body = cast<LLVM::LLVMStructType>(type).getBody();
    for (Type before : body.take_front(size_t(index)))
      offset += countOf(before);
    type = body[size_t(index)];
  }
  return offset;
}

static LogicalResult buildExtractValue(LLVM::ExtractValueOp op, Compiler &c) {
  Type type = op.getContainer().getType();
  const unsigned offset = memberAt(type, op.getPosition());
  c.alias(op.getRes(), c.laneOf(op.getContainer()) + offset);
  return success();
}

static LogicalResult buildInsertValue(LLVM::InsertValueOp op, Compiler &c) {
  Type type = op.getContainer().getType();
  const unsigned offset = memberAt(type, op.getPosition());
  std::vector<unsigned> from = lanesOf(op.getContainer(), c);
  for (unsigned n = 0; n < countOf(op.getValue().getType()); ++n)
    from[offset + n] = c.laneOf(op.getValue()) + n;
  return emitPicks(op, std::move(from), c);
}

void addVectorOps(OpTable &ops) {
  ops.add<vector::BroadcastOp>(buildBroadcast);
  ops.add<vector::ExtractStridedSliceOp>(buildExtractSlice);
  ops.add<vector::InsertStridedSliceOp>(buildInsertSlice);
  ops.add<vector::ShuffleOp>([](vector::ShuffleOp op, Compiler &c) {
    return buildShuffle(op, op.getV1(), op.getV2(),
                        partsOf(op.getV1VectorType()), op.getMask(), c);
  });
  ops.add<LLVM::ShuffleVectorOp>([](LLVM::ShuffleVectorOp op, Compiler &c) {
    SmallVector<int64_t> mask(op.getMask().begin(), op.getMask().end());
    return buildShuffle(op, op.getV1(), op.getV2(), 1, mask, c);
  });
  ops.add<vector::TransposeOp>(buildTranspose);
  ops.add<vector::FromElementsOp>(buildFromElements);
  ops.add<vector::ToElementsOp>(buildToElements);
  ops.add<vector::InterleaveOp>(buildInterleave);
  ops.add<vector::DeinterleaveOp>(buildDeinterleave);
  ops.add<vector::ShapeCastOp>(buildSame);
  ops.add<vector::BitCastOp>(buildBitcast);
  ops.add<vector::StepOp>(buildStep);
  ops.add<LLVM::ExtractValueOp>(buildExtractValue);
  ops.add<LLVM::InsertValueOp>(buildInsertValue);
}

} // namespace tilewright::verify::threads
