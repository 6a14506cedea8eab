//===- Contiguity.cpp - Neighbours in a tile of numbers or pointers -------===//
#include "codegen/transforms/Contiguity.h"

#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tileir/analysis/Divisibility.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::tilegpu {

static constexpr int64_t greatest = int64_t(1) << 30;
/// How many ops deep tiles are followed.
static constexpr unsigned maxDepth = 24;

static Runs runs(Value tile, unsigned dim, unsigned depth);

/// The divisor of the first elements of groups of `size`.
static int64_t divisorAt(const Runs &of, int64_t size) {
  return of.ascending > size ? std::min(of.divisor, size) : of.divisor;
}

/// The divisor of all elements.
static int64_t divisorOfAll(const Runs &of) { return divisorAt(of, 1); }

static Runs sum(const Runs &a, const Runs &b) {
  // One ascends where the other stays.
  const int64_t size = std::max(std::min(a.ascending, b.constant),
                                std::min(a.constant, b.ascending));
  return {size, std::min(a.constant, b.constant),
          std::min(divisorAt(a, size), divisorAt(b, size))};
}

static Runs product(const Runs &a, const Runs &b) {
  return {1, std::min(a.constant, b.constant),
          std::min(divisorOfAll(a) * divisorOfAll(b), greatest)};
}

/// Of numbers that are all below a bound or all above it, in groups that do not
/// cross it.
static Runs comparison(arith::CmpIPredicate predicate, const Runs &a,
                       const Runs &b) {
  Runs result = {1, std::min(a.constant, b.constant), 1};
  // The first number of a group and the bound are multiples of its size.
  auto within = [](const Runs &numbers, const Runs &bound) {
    return std::min({numbers.ascending, numbers.divisor, bound.constant,
                     divisorOfAll(bound)});
  };
  using P = arith::CmpIPredicate;
  if (predicate == P::slt || predicate == P::ult || predicate == P::sge ||
      predicate == P::uge)
    result.constant = std::max(result.constant, within(a, b));
  if (predicate == P::sgt || predicate == P::ugt || predicate == P::sle ||
      predicate == P::ule)
    result.constant = std::max(result.constant, within(b, a));
  return result;
}

/// Of a scalar, repeated.
static Runs repeated(Value scalar) {
  int64_t divisor = tile::divisorOf(scalar);
  if (auto type = dyn_cast<tile::PtrType>(scalar.getType())) {
    auto base = scalar.getDefiningOp<tile::BaseOp>();
    const int64_t bytes =
        std::max<int64_t>(tile::getStorageBits(type.getPointee()) / 8, 1);
    divisor =
        base ? std::max<int64_t>(tile::alignmentOf(base.getView()) / bytes, 1)
             : 1;
  }
  return {1, greatest, divisor};
}

/// The dimension of `from` that is `dim` of `to`, where they differ in
/// dimensions of 1; nothing else is followed.
static std::optional<unsigned> sameDim(ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> to, unsigned dim) {
  std::optional<unsigned> found;
  unsigned at = 0;
  for (unsigned d = 0; d < to.size(); ++d) {
    if (to[d] == 1)
      continue;
    while (at < from.size() && from[at] == 1)
      ++at;
    if (at == from.size() || from[at] != to[d])
      return std::nullopt;
    if (d == dim)
      found = at;
    ++at;
  }
  return found;
}

/// Whether an op gives the elements of its only operand another shape, row by
/// row, or repeats them: it has nothing else to say.
static bool isReshaping(Operation *op) {
  return isa<tile::TileDialect>(op->getDialect()) &&
         op->getNumOperands() == 1 && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && op->getAttrs().empty() &&
         isMemoryEffectFree(op) &&
         getElementTypeOrSelf(op->getOperand(0)) ==
             getElementTypeOrSelf(op->getResult(0));
}

static Runs ofReshaping(Operation *op, unsigned dim, unsigned depth) {
  auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!source)
    return repeated(op->getOperand(0));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  ArrayRef<int64_t> from = source.getShape(), to = type.getShape();
  // A reshape would keep the number of elements.
  if (source.getNumElements() != type.getNumElements()) {
    const Runs before = runs(op->getOperand(0), dim, depth);
    // Of the one coordinate 0.
    return from[dim] == to[dim] ? before : Runs{1, greatest, before.divisor};
  }
  std::optional<unsigned> same =
      to[dim] == 1 ? std::nullopt : sameDim(from, to, dim);
  return same ? runs(op->getOperand(0), *same, depth) : Runs();
}

static Runs ofOp(Operation *op, unsigned dim, unsigned depth) {
  auto of = [&](unsigned operand) {
    return runs(op->getOperand(operand), dim, depth);
  };
  return llvm::TypeSwitch<Operation *, Runs>(op)
      .Case([](tile::IotaOp) { return Runs{greatest, 1, greatest}; })
      .Case([&](tile::OffsetOp offset) {
        const bool isTile = isa<RankedTensorType>(offset.getPtr().getType());
        return sum(isTile ? of(0) : repeated(offset.getPtr()), of(1));
      })
      .Case<arith::AddIOp>([&](auto) { return sum(of(0), of(1)); })
      .Case<arith::MulIOp>([&](auto) { return product(of(0), of(1)); })
      .Case([&](arith::CmpIOp cmp) {
        return comparison(cmp.getPredicate(), of(0), of(1));
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp,
            tilegpu::ConvertLayoutOp>([&](auto) {
        // Groups that begin at a multiple of their size do not wrap.
        Runs source = of(0);
        source.ascending = std::min(source.ascending, source.divisor);
        return source;
      })
      .Default([&](Operation *) {
        Runs result;
        if (isReshaping(op))
          return ofReshaping(op, dim, depth);
        if (!op->hasTrait<OpTrait::Elementwise>() || !isMemoryEffectFree(op) ||
            op->getNumOperands() == 0)
          return result;
        result.constant = greatest;
        for (Value operand : op->getOperands())
          if (isa<RankedTensorType>(operand.getType()))
            result.constant =
                std::min(result.constant, runs(operand, dim, depth).constant);
        return result;
      });
}

static Runs runs(Value tile, unsigned dim, unsigned depth) {
  DenseIntElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)) && constant.isSplat()) {
    const int64_t value = constant.getSplatValue<APInt>().getSExtValue();
    return {1, greatest, value ? std::min(value & -value, greatest) : greatest};
  }
  Operation *op = tile.getDefiningOp();
  if (!op || depth == 0)
    return {};
  return ofOp(op, dim, depth - 1);
}

Runs runsAlong(Value tile, unsigned dim) { return runs(tile, dim, maxDepth); }

int64_t accessedTogether(tile::PointerAccessOpInterface op, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(op.getPtr().getType());
  if (!type)
    return 1;
  const int64_t size = type.getDimSize(dim);
  const Runs pointers = runsAlong(op.getPtr(), dim);
  int64_t together =
      std::min({pointers.ascending, pointers.divisor, size & -size});
  if (op.getMask())
    together = std::min(together, runsAlong(op.getMask(), dim).constant);
  return together;
}

Value viewOf(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (auto base = dyn_cast<tile::BaseOp>(op))
      return base.getView();
    if (!isa<tile::OffsetOp, tilegpu::ConvertLayoutOp>(op) && !isReshaping(op))
      break;
    pointer = op->getOperand(0);
  }
  return {};
}

} // namespace tilewright::tilegpu
