//===- ProductMoves.cpp - Lanes moved by products with ones ---------------===//
//
// An element is a sum of digits that the type of factors holds; integers are
// cut into fields of bits. An infinity or NaN would make NaN of all lanes of
// its vector: such elements are 0 there, and a second product says where they
// are.
//
//===----------------------------------------------------------------------===//
#include "spatial/transforms/LowerOps.h"
#include "spatial/transforms/RowPlans.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright::spatial {

/// The type in which an mxm moves elements of `dtype`, if it can: the one with
/// the range of f32 first.
static std::optional<DType> movingType(const Machine &machine, DType dtype) {
  if (machine.positionsOf(UnitKind::mxm).empty() ||
      machine.mxm.rows < machine.lanes || machine.mxm.columns < machine.lanes)
    return std::nullopt;
  for (DType type : {dtype, DType::F32, DType::BF16, DType::F16})
    if (isFloat(type) && machine.mxm.passes.contains(type))
      return type;
  return std::nullopt;
}

namespace {
class ProductMoves {
public:
  ProductMoves(Tensors &tensors, Location where, ArrayRef<RowPlan> plans,
               DType dtype, DType factor)
      : tensors(tensors), where(where), plans(plans), dtype(dtype),
        factor(factor), lanes(tensors.machine.lanes) {}

  std::vector<Tensors::Vector> run();

private:
  /// Rows that take their lanes from vectors by the same move.
  struct Move {
    std::vector<size_t> rows, vectors;
    int64_t depth = 1;
    Reads ones;
  };
  Reads collectSources();
  void addMatrix(Move &move, ArrayRef<int32_t> map);
  Reads onAll(AluOp op, ArrayRef<Tensors::Operand> operands, size_t count,
              DType result, DType type = DType::F32);
  void classify(const Reads &vectors, Reads &finite, Reads &kind);
  std::vector<Reads> splitDigits(Reads vectors);
  std::vector<Tensors::Vector> sum(ArrayRef<Reads> parts);
  Reads moveFloats(const Reads &vectors);
  Reads moveIntegers(const Reads &vectors);

  Tensors &tensors;
  Location where;
  ArrayRef<RowPlan> plans;
  DType dtype, factor;
  int64_t lanes;
  std::vector<Move> moves;
};
} // namespace

/// The vectors that rows are made of, each once, and the moves.
Reads ProductMoves::collectSources() {
  llvm::MapVector<std::pair<Value, int32_t>, size_t> numbers;
  llvm::MapVector<StringRef, size_t> known;
  for (auto [row, plan] : llvm::enumerate(plans))
    for (const Source &source : plan) {
      auto [number, isNewVector] = numbers.insert(
          {{source.vector.value, source.vector.index}, numbers.size()});
      StringRef key(reinterpret_cast<const char *>(source.lanes.data()),
                    source.lanes.size() * sizeof(int32_t));
      auto [entry, isNew] = known.insert({key, moves.size()});
      if (isNew)
        addMatrix(moves.emplace_back(), source.lanes);
      moves[entry->second].rows.push_back(row);
      moves[entry->second].vectors.push_back(number->second);
    }
  std::vector<Tensors::Vector> vectors;
  for (auto &[vector, number] : numbers)
    vectors.push_back({vector.first, vector.second});
  tensors.convert(where, dtype, vectors);
  return tensors.collect(where, vectors);
}

/// Row k of the matrix has ones in the lanes that lane k goes to.
void ProductMoves::addMatrix(Move &move, ArrayRef<int32_t> map) {
  move.depth = std::max<int64_t>(1, *llvm::max_element(map) + int64_t(1));
  std::vector<uint32_t> matrix(move.depth * lanes);
  for (auto [lane, from] : llvm::enumerate(map))
    if (from >= 0)
      matrix[from * lanes + lane] = std::bit_cast<uint32_t>(1.0F);
  move.ones = tensors.constants(where, matrix, factor);
}

Reads ProductMoves::onAll(AluOp op, ArrayRef<Tensors::Operand> operands,
                          size_t count, DType result, DType type) {
  auto range = llvm::seq<int32_t>(0, static_cast<int32_t>(count));
  return {tensors.alu(where, op, type, operands, static_cast<int64_t>(count),
                      result),
          {range.begin(), range.end()}};
}

static Tensors::Operand number(double value) { return {{}, value}; }

/// `finite` has 0 for infinities and NaN; `kind` has 1 and -1 for infinities of
/// that sign, 2 for NaN, and 0 else.
void ProductMoves::classify(const Reads &vectors, Reads &finite, Reads &kind) {
  const size_t count = vectors.indices.size();
  auto select = [&](const Reads &mask, const Tensors::Operand &a,
                    const Tensors::Operand &b, DType result) {
    return onAll(AluOp::select, {{mask}, a, b}, count, result);
  };
  Reads size = onAll(AluOp::abs, {{vectors}}, count, DType::F32);
  Reads isFinite =
      onAll(AluOp::lt, {{size}, number(INFINITY)}, count, DType::Bool);
  Reads isUpper = onAll(AluOp::gt, {{vectors}, number(0)}, count, DType::Bool);
  Reads isLower = onAll(AluOp::lt, {{vectors}, number(0)}, count, DType::Bool);
  finite = select(isFinite, {vectors}, number(0), dtype);
  Reads other = select(isLower, number(-1), number(2), DType::F32);
  other = select(isUpper, number(1), {other}, DType::F32);
  kind = select(isFinite, number(0), {other}, factor);
}

/// The vectors as sums of vectors of factors, from the upper digits on.
std::vector<Reads> ProductMoves::splitDigits(Reads vectors) {
  if (factor == dtype)
    return {vectors};
  const size_t count = vectors.indices.size();
  std::vector<Reads> parts;
  for (int64_t left = significantBits(dtype); left > 0;
       left -= significantBits(factor)) {
    if (!parts.empty())
      vectors =
          onAll(AluOp::sub, {{vectors}, {parts.back()}}, count, DType::F32);
    parts.push_back(onAll(AluOp::move, {{vectors}}, count, factor));
  }
  return parts;
}

std::vector<Tensors::Vector> ProductMoves::sum(ArrayRef<Reads> parts) {
  std::vector<Tensors::Vector> sums(plans.size());
  for (const Move &move : moves)
    for (const Reads &part : parts) {
      std::vector<Tensors::Vector> x;
      for (size_t vector : move.vectors)
        x.push_back({part.value, part.indices[vector]});
      addProducts(tensors, where, x, move.ones, move.depth, move.rows, sums);
    }
  return sums;
}

Reads ProductMoves::moveFloats(const Reads &vectors) {
  Reads finite, kind;
  classify(vectors, finite, kind);
  Reads sums = tensors.collect(where, sum(splitDigits(finite)));
  Reads kinds = tensors.collect(where, sum(kind));
  const size_t count = plans.size();
  Reads isFinite = onAll(AluOp::eq, {{kinds}, number(0)}, count, DType::Bool);
  Reads isNan = onAll(AluOp::eq, {{kinds}, number(2)}, count, DType::Bool);
  Reads infinite =
      onAll(AluOp::mul, {{kinds}, number(INFINITY)}, count, DType::F32);
  Reads other = onAll(AluOp::select, {{isNan}, number(NAN), {infinite}}, count,
                      DType::F32);
  return onAll(AluOp::select, {{isFinite}, {sums}, {other}}, count, dtype);
}

/// Fields of as many bits as a factor has; the uppermost one has the sign.
Reads ProductMoves::moveIntegers(const Reads &vectors) {
  const int64_t bits = dtype == DType::Bool ? 1 : dtype == DType::I32 ? 32 : 8;
  const size_t count = vectors.indices.size();
  Reads result;
  for (int64_t shift = 0; shift < bits; shift += significantBits(factor)) {
    auto on = [&](AluOp op, const Reads &reads, int64_t by, size_t size,
                  DType held) {
      return onAll(op, {{reads}, number(static_cast<double>(by))}, size, held,
                   DType::I32);
    };
    Reads field = vectors;
    if (shift > 0)
      field = on(AluOp::shr, field, shift, count, DType::I32);
    if (shift + significantBits(factor) < bits)
      field =
          on(AluOp::logicalAnd, field,
             (int64_t(1) << significantBits(factor)) - 1, count, DType::I32);
    field = onAll(AluOp::convert, {{field}}, count, factor, DType::I32);
    Reads moved = onAll(AluOp::convert, {{tensors.collect(where, sum(field))}},
                        plans.size(), DType::I32);
    if (shift > 0) {
      moved = on(AluOp::shl, moved, shift, plans.size(), DType::I32);
      moved = onAll(AluOp::add, {{result}, {moved}}, plans.size(), DType::I32,
                    DType::I32);
    }
    result = moved;
  }
  return onAll(AluOp::move, {{result}}, plans.size(), dtype, DType::I32);
}

std::vector<Tensors::Vector> ProductMoves::run() {
  Reads sources = collectSources();
  Reads moved = isFloat(dtype) ? moveFloats(sources) : moveIntegers(sources);
  std::vector<Tensors::Vector> rows;
  for (int32_t index : moved.indices)
    rows.push_back({moved.value, index});
  return rows;
}

LogicalResult moveByProducts(Tensors &tensors, Location where,
                             ArrayRef<RowPlan> plans, DType dtype,
                             ArrayRef<int64_t> which,
                             std::vector<Tensors::Vector> &found) {
  std::optional<DType> factor = movingType(tensors.machine, dtype);
  if (!factor)
    return emitError(where)
           << "needs elements of " << std::string(valueTypeName(dtype))
           << " in other lanes; the machine has no sxm, and no mxm of "
           << tensors.machine.lanes << " rows and columns that could move them";
  std::vector<Tensors::Vector> rows =
      ProductMoves(tensors, where, plans, dtype, *factor).run();
  for (auto [row, vector] : llvm::enumerate(rows))
    found[which[row]] = vector;
  return success();
}

} // namespace tilewright::spatial
