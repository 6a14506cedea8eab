// Ops of linalg that have no body: softmax, pack and unpack.
#include "graph/reference/Execution.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tileir/reference/AnyOrder.h"
#include "tileir/reference/SetOps.h"

using namespace mlir;
using llvm::APFloat;

namespace tilewright::graph::reference {

//===--- softmax ----------------------------------------------------------===//

namespace {
/// The greatest element of a row, and the sum of exp(x - greatest) from first
/// to last; each operation is rounded to the type. With freedom the sum is in
/// any order.
struct RowTotals {
  numerics::Element greatest, sum;
};
} // namespace

using Random = std::optional<numerics::RandomRounding>;

/// A function of floats of one type, rounded to nearest, or at random.
static numerics::Element
rounded(ArrayRef<numerics::Element> operands, Random &random,
        llvm::function_ref<numerics::Element(ArrayRef<numerics::Element>)> fn) {
  if (!random)
    return fn(operands);
  return *random->compute(operands, cast<FloatType>(operands[0].getType()),
                          [&](auto wide) { return FailureOr(fn(wide)); });
}

static numerics::Element
roundedOp(ArrayRef<numerics::Element> operands, Random &random,
          llvm::function_ref<APFloat(APFloat, const APFloat &)> fn) {
  return rounded(operands, random, [&](ArrayRef<numerics::Element> x) {
    return numerics::computeFloat(
        x[0].getType(), x, [&](ArrayRef<APFloat> n) { return fn(n[0], n[1]); });
  });
}

static numerics::Element exponential(const numerics::Element &x,
                                     const numerics::Element &greatest,
                                     Random &random) {
  const numerics::Element difference =
      roundedOp({x, greatest}, random, [](APFloat a, const APFloat &b) {
        a.subtract(b, APFloat::rmNearestTiesToEven);
        return a;
      });
  return rounded({difference}, random, [](ArrayRef<numerics::Element> n) {
    return numerics::exponential(n[0]);
  });
}

/// A row as elements; failure with an error, or none where one is poison.
static FailureOr<std::optional<SmallVector<numerics::Element>>>
loadRow(Operation *op, Tensor &source, Index index, int64_t axis,
        Scalar &poison) {
  SmallVector<numerics::Element> row;
  Shape at(index);
  for (at[axis] = 0; at[axis] < source.getShape()[axis]; ++at[axis]) {
    FailureOr<Scalar> element = load(op, source, at);
    if (failed(element))
      return failure();
    if (element->isPoison()) {
      poison = *element;
      return std::optional<SmallVector<numerics::Element>>();
    }
    row.push_back(element->element(source.getElementType()));
  }
  return std::optional(std::move(row));
}

/// What is permitted for `exponential(x, greatest)`.
static numerics::Permitted openExponential(const numerics::Element &x,
                                           const numerics::Element &greatest,
                                           const numerics::SetRules &rules) {
  const bool isSingle = !x.hasSpread() && !greatest.hasSpread();
  Random nearest;
  if (isSingle && !rules.roundsFreely())
    return exponential(x, greatest, nearest).permitted();
  return rules.function("exp",
                        rules.subtract(x.permitted(), greatest.permitted()));
}

/// The sets of the totals of a row.
static RowTotals openTotals(ArrayRef<numerics::Element> row, RowTotals totals,
                            const numerics::SetRules &rules) {
  numerics::Permitted greatest = row.front().permitted();
  for (const numerics::Element &x : row)
    greatest = numerics::maximum(greatest, x.permitted());
  totals.greatest = numerics::settle(totals.greatest, greatest);
  numerics::AnyOrder sum(numerics::AnyOrder::Kind::sum, rules);
  for (const numerics::Element &x : row)
    sum.add(openExponential(x, totals.greatest, rules));
  totals.sum = numerics::settle(totals.sum, sum.result());
  return totals;
}

static RowTotals totalsOf(ArrayRef<numerics::Element> row, Random &random) {
  numerics::Element greatest = row.front();
  for (const numerics::Element &x : row)
    greatest =
        roundedOp({greatest, x}, random, [](APFloat a, const APFloat &b) {
          return llvm::maximum(a, b);
        });
  numerics::Element sum = numerics::Element::zero(greatest.getType());
  for (const numerics::Element &x : row)
    sum = roundedOp({sum, exponential(x, greatest, random)}, random,
                    [](APFloat a, const APFloat &b) {
                      a.add(b, APFloat::rmNearestTiesToEven);
                      return a;
                    });
  return {greatest, sum};
}

static LogicalResult evalSoftmax(linalg::SoftmaxOp op, Execution &execution) {
  TensorPtr source = execution.tensor(0);
  const int64_t axis = op.getDimension();
  if (!isa<FloatType>(source->getElementType()))
    return numerics::errorAt(op)
           << "expected floats, found " << source->getElementType();
  // The totals of the row that was asked for last.
  struct Last {
    Shape row;
    std::optional<RowTotals> totals;
  };
  auto last = std::make_shared<Last>();
  Random *random = &execution.getMachine().randomly;
  std::optional<numerics::SetRules> rules;
  if (execution.getMachine().isOpen())
    rules.emplace(cast<FloatType>(source->getElementType()),
                  execution.getMachine().freedom);
  return execution.setComputed(
      0, source->getShape(), [=](Index index) -> FailureOr<Scalar> {
        Shape row(index);
        row[axis] = 0;
        if (!last->totals || last->row != row) {
          Scalar poison;
          auto elements = loadRow(op, *source, index, axis, poison);
          if (failed(elements))
            return failure();
          if (!*elements)
            return poison;
          last->totals = totalsOf(**elements, *random);
          if (rules)
            last->totals = openTotals(**elements, *last->totals, *rules);
          last->row = row;
        }
        FailureOr<Scalar> x = source->at(index);
        if (failed(x))
          return failure();
        const numerics::Element number = x->element(source->getElementType());
        numerics::Element power =
            exponential(number, last->totals->greatest, *random);
        numerics::Element result =
            roundedOp({power, last->totals->sum}, *random,
                      [](APFloat a, const APFloat &b) {
                        a.divide(b, APFloat::rmNearestTiesToEven);
                        return a;
                      });
        if (rules)
          result = numerics::settle(
              result, rules->divide(openExponential(
                                        number, last->totals->greatest, *rules),
                                    last->totals->sum.permitted()));
        return Scalar::of(result);
      });
}

//===--- pack, unpack -----------------------------------------------------===//

namespace {
/// How a packed tensor holds one of fewer dimensions.
struct Packing {
  /// By dimension of the packed tensor's first ones: that of the other one.
  SmallVector<int64_t> outer;
  SmallVector<int64_t> tiled;
  Shape tiles;

  template <typename Op>
  static FailureOr<Packing> of(Op op, Execution &execution, size_t rank) {
    Packing packing;
    packing.outer.assign(op.getOuterDimsPerm().begin(),
                         op.getOuterDimsPerm().end());
    for (size_t d = packing.outer.size(); d < rank; ++d)
      packing.outer.push_back(d);
    packing.tiled.assign(op.getInnerDimsPos().begin(),
                         op.getInnerDimsPos().end());
    FailureOr<Shape> tiles =
        execution.integers(op.getStaticInnerTiles(), op.getInnerTiles());
    if (failed(tiles))
      return failure();
    packing.tiles = *tiles;
    for (int64_t tile : packing.tiles)
      if (tile <= 0)
        return numerics::errorAt(op) << "a tile has size " << tile;
    return packing;
  }

  /// The shape of the packed tensor.
  Shape shape(ArrayRef<int64_t> sizes) const {
    Shape counts(sizes);
    for (auto [dim, tile] : llvm::zip_equal(tiled, tiles))
      counts[dim] = llvm::divideCeil(counts[dim], tile);
    Shape result;
    for (int64_t dim : outer)
      result.push_back(counts[dim]);
    result.append(tiles);
    return result;
  }
  /// Of a packed element, the index in the other tensor.
  Shape unpackedIndex(Index index) const {
    Shape at(outer.size());
    for (auto [d, dim] : llvm::enumerate(outer))
      at[dim] = index[d];
    for (auto [n, dim] : llvm::enumerate(tiled))
      at[dim] = at[dim] * tiles[n] + index[outer.size() + n];
    return at;
  }
  Shape packedIndex(Index index) const {
    Shape counts(index), inner;
    for (auto [dim, tile] : llvm::zip_equal(tiled, tiles)) {
      inner.push_back(index[dim] % tile);
      counts[dim] = index[dim] / tile;
    }
    Shape at;
    for (int64_t dim : outer)
      at.push_back(counts[dim]);
    at.append(inner);
    return at;
  }
};
} // namespace

static LogicalResult evalPack(linalg::PackOp op, Execution &execution) {
  TensorPtr source = execution.tensor(0);
  const Shape &shape = execution.tensor(1)->getShape();
  FailureOr<Packing> packing =
      Packing::of(op, execution, source->getShape().size());
  if (failed(packing))
    return failure();
  if (packing->shape(source->getShape()) != shape)
    return numerics::errorAt(op) << "packs shape " << textOf(source->getShape())
                                 << " into " << textOf(shape) << ", expected "
                                 << textOf(packing->shape(source->getShape()));
  std::optional<Scalar> padding;
  if (op.getPaddingValue())
    padding = execution.scalar(2);
  return execution.setView(
      0, shape, [=, packing = *packing](Index index) -> FailureOr<Scalar> {
        Shape at = packing.unpackedIndex(index);
        if (contains(source->getShape(), at))
          return source->at(at);
        if (padding)
          return *padding;
        return numerics::errorAt(op) << "a tile is not full";
      });
}

static LogicalResult evalUnpack(linalg::UnPackOp op, Execution &execution) {
  TensorPtr source = execution.tensor(0);
  const Shape &shape = execution.tensor(1)->getShape();
  FailureOr<Packing> packing = Packing::of(op, execution, shape.size());
  if (failed(packing))
    return failure();
  if (packing->shape(shape) != source->getShape())
    return numerics::errorAt(op)
           << "unpacks shape " << textOf(source->getShape()) << " into "
           << textOf(shape) << ", expected a source of shape "
           << textOf(packing->shape(shape));
  return execution.setView(0, shape, [=, packing = *packing](Index index) {
    return source->at(packing.packedIndex(index));
  });
}

void addLinalgEvals(EvalTable &table) {
  table.add<linalg::PackOp>(evalPack);
  table.add<linalg::SoftmaxOp>(evalSoftmax);
  table.add<linalg::UnPackOp>(evalUnpack);
}

} // namespace tilewright::graph::reference
