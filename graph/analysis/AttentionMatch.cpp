//===- AttentionMatch.cpp - softmax(f(Q K)) V among the ops of a graph ----===//
#include "graph/analysis/AttentionMatch.h"

#include "graph/analysis/Access.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

namespace {
/// What of the softmax a value depends on.
enum Dependence : unsigned {
  none = 0,
  onScores = 1,
  onMaximum = 2,
  onTotal = 4
};

/// A scalar in the body of an op.
struct Scalar {
  Value value;
  linalg::GenericOp op;
};

class Matcher {
public:
  Matcher(linalg::GenericOp product, std::string &reason) : reason(reason) {
    match.product = product;
  }
  std::optional<AttentionMatch> run();

private:
  bool fail(const Twine &why) {
    if (reason.empty())
      reason = why.str();
    return false;
  }
  unsigned collect(Value value);
  unsigned collectReduction(linalg::GenericOp op);
  Scalar trace(Scalar scalar) const;
  Scalar operandOf(const Scalar &scalar, unsigned i) const {
    return trace({scalar.value.getDefiningOp()->getOperand(i), scalar.op});
  }
  Scalar yieldOf(Value tensor) const;
  Scalar withoutRounding(Scalar scalar) const;
  bool isRead(Scalar scalar, Value tensor) const;
  bool isAlongKeys();
  bool isSame(Scalar x, Scalar y) const;
  bool hidesScores(Scalar condition) const;
  bool isPowerOfDifference();
  bool isShift(Scalar scalar);
  bool isNaNOf(Scalar condition, Scalar scalar) const;
  bool findFactor();
  std::optional<AffineExpr> affineOf(Scalar scalar) const;
  void takeLimit(Scalar condition);
  void findLimit(Scalar score);
  bool staysInside();

  std::string &reason;
  AttentionMatch match;
  DenseMap<Operation *, unsigned> dependences;
};
} // namespace

/// Whether `value` is `narrow` or the same number in a wider type.
static bool isWidened(Value value, Value narrow) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return value == narrow;
}

/// Of a reduction along the keys: a maximum of scores, or the total of powers.
unsigned Matcher::collectReduction(linalg::GenericOp op) {
  std::optional<Accumulation> accumulation = matchAccumulation(op);
  const unsigned inputs =
      op.getNumDpsInputs() == 1 ? collect(op.getDpsInputs()[0]) : none;
  if (!(inputs & onScores))
    return none;
  const bool isPlain =
      accumulation && op.getNumReductionLoops() == 1 &&
      isWidened(accumulation->element, op.getBody()->getArgument(0));
  if (isPlain && inputs == onScores && !match.maximum &&
      isa<arith::MaximumFOp, arith::MaxNumFOp>(accumulation->combiner)) {
    match.maximum = op;
    match.masked = op.getDpsInputs()[0];
    return onScores | onMaximum;
  }
  if (isPlain && inputs == (onScores | onMaximum) && !match.total &&
      isa<arith::AddFOp>(accumulation->combiner)) {
    match.total = op;
    match.powers = op.getDpsInputs()[0];
    return onScores | onMaximum | onTotal;
  }
  fail("the scores are reduced in another way than by a softmax");
  return onScores;
}

/// What `value` depends on; its ops that depend on the scores join the match.
unsigned Matcher::collect(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op->getNumResults() != 1)
    return none;
  auto [known, isNew] = dependences.try_emplace(op, none);
  if (!isNew)
    return known->second;
  unsigned found = none;
  if (isElementwise(op)) {
    for (Value input : op.getDpsInputs())
      found |= collect(input);
  } else if (isMatrixProduct(op)) {
    if (match.scores)
      return none;
    match.scores = op;
    found = onScores;
  } else if (isReduction(op)) {
    found = collectReduction(op);
  }
  if (found)
    match.ops.insert(op);
  return dependences[op] = found;
}

/// The input whose element the scalar is; null where it is none.
static OpOperand *inputOf(const Scalar &scalar) {
  auto argument = dyn_cast<BlockArgument>(scalar.value);
  linalg::GenericOp op = scalar.op;
  if (!argument || argument.getOwner() != op.getBody() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  return op.getDpsInputOperand(argument.getArgNumber());
}

/// Follows arguments to the bodies of the elementwise ops that compute them.
Scalar Matcher::trace(Scalar scalar) const {
  while (OpOperand *input = inputOf(scalar)) {
    Value tensor = input->get();
    auto producer = tensor.getDefiningOp<linalg::GenericOp>();
    if (tensor == match.masked || tensor == match.powers || !producer ||
        !match.ops.contains(producer) || !isElementwise(producer))
      return scalar;
    scalar = {producer.getBody()->getTerminator()->getOperand(0), producer};
  }
  return scalar;
}

static bool isOfElementwise(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return op && isElementwise(op);
}

/// What the elementwise op of `tensor` yields.
Scalar Matcher::yieldOf(Value tensor) const {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  return trace({op.getBody()->getTerminator()->getOperand(0), op});
}

/// What the scalar is a rounding of, or is widened from; itself where it is
/// neither.
Scalar Matcher::withoutRounding(Scalar scalar) const {
  while (scalar.value.getDefiningOp<arith::TruncFOp>() ||
         scalar.value.getDefiningOp<arith::ExtFOp>())
    scalar = operandOf(scalar, 0);
  return scalar;
}

/// Whether the scalar is an element of `tensor`.
bool Matcher::isRead(Scalar scalar, Value tensor) const {
  OpOperand *input = inputOf(scalar);
  return input && input->get() == tensor;
}

/// Whether each subscript is the loop of its place, or a constant.
static bool isInPlace(AffineMap map) {
  return llvm::all_of(llvm::enumerate(map.getResults()), [&](auto each) {
    return isa<AffineConstantExpr>(each.value()) ||
           each.value() == getAffineDimExpr(each.index(), map.getContext());
  });
}

/// Whether keys are the last dimension of all scores and weights: the one that
/// is reduced, and the one that the second product sums along.
bool Matcher::isAlongKeys() {
  linalg::GenericOp product = match.product;
  const int64_t rank =
      cast<RankedTensorType>(match.weights.getType()).getRank();
  const unsigned last = rank - 1;
  for (Operation *op : match.ops) {
    auto generic = cast<linalg::GenericOp>(op);
    if (generic == match.scores)
      continue;
    const bool isReduced = isReduction(op);
    if (isReduced && (generic.getNumLoops() != rank ||
                      generic.getIteratorTypesArray()[last] !=
                          utils::IteratorType::reduction))
      return false;
    AffineMap out = generic.getIndexingMapsArray().back();
    if (isReduced ? !isInPlace(out) || out.getNumResults() != last
                  : !out.isIdentity())
      return false;
    for (OpOperand *input : generic.getDpsInputOperands()) {
      Operation *source = input->get().getDefiningOp();
      AffineMap map = generic.getMatchingIndexingMap(input);
      if (!source || !match.ops.contains(source))
        continue;
      // What has no last dimension is one number for each row.
      if (!isInPlace(map) ||
          (map.getNumResults() == rank && !map.isFunctionOfDim(last)))
        return false;
    }
  }
  AffineMap map = product.getIndexingMapsArray()[0];
  const auto keys = plainReductionLoops(product);
  return keys.size() == 1 &&
         map.getResults().back() ==
             getAffineDimExpr(keys[0], product.getContext()) &&
         llvm::none_of(map.getResults().drop_back(), [&](AffineExpr each) {
           return each.isFunctionOfDim(keys[0]);
         });
}

/// Whether both subscripts read the same elements of `tensor`.
static bool isSameRead(Value tensor, AffineMap x, AffineMap y) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return llvm::all_of(llvm::seq<int64_t>(0, type.getRank()), [&](int64_t dim) {
    return x.getResult(dim) == y.getResult(dim) || type.getDimSize(dim) == 1;
  });
}

/// Whether both are computed alike, of the same elements.
bool Matcher::isSame(Scalar x, Scalar y) const {
  OpOperand *first = inputOf(x), *second = inputOf(y);
  if (first && second)
    return first->get() == second->get() &&
           isSameRead(first->get(), x.op.getMatchingIndexingMap(first),
                      y.op.getMatchingIndexingMap(second));
  Operation *a = x.value.getDefiningOp(), *b = y.value.getDefiningOp();
  if (x.value == y.value)
    return !a || a->getParentOp() != x.op || x.op == y.op;
  if (!a || !b || a->getName() != b->getName() || a->getNumRegions() ||
      a->getNumOperands() != b->getNumOperands() ||
      a->getAttrDictionary() != b->getAttrDictionary() ||
      x.value.getType() != y.value.getType())
    return false;
  return llvm::all_of(
      llvm::seq<unsigned>(0, a->getNumOperands()),
      [&](unsigned i) { return isSame(operandOf(x, i), operandOf(y, i)); });
}

/// Whether the scores are -infinity where the condition does not hold: it is
/// one of those that mask them.
bool Matcher::hidesScores(Scalar condition) const {
  auto isLow = [](const Scalar &each) {
    return matchPattern(each.value, m_NegInfFloat());
  };
  if (!isOfElementwise(match.masked))
    return false;
  Scalar at = withoutRounding(yieldOf(match.masked));
  while (Operation *op = at.value.getDefiningOp()) {
    if (isa<arith::SelectOp>(op) && isLow(operandOf(at, 2))) {
      if (isSame(operandOf(at, 0), condition))
        return true;
      at = withoutRounding(operandOf(at, 1));
    } else if (isa<arith::AddFOp>(op)) {
      auto differs = condition.value.getDefiningOp<arith::CmpFOp>();
      if (differs && differs.getPredicate() == arith::CmpFPredicate::UNE &&
          isLow(operandOf(condition, 1)) &&
          isSame(operandOf(at, 1), operandOf(condition, 0)))
        return true;
      at = withoutRounding(operandOf(at, 0));
    } else {
      return false;
    }
  }
  return false;
}

/// The maximum of the row or, for hidden scores, 0.
bool Matcher::isShift(Scalar scalar) {
  if (isRead(scalar, match.maximum->getResult(0)))
    return true;
  Operation *select = scalar.value.getDefiningOp<arith::SelectOp>();
  if (!select || !matchPattern(operandOf(scalar, 2).value, m_AnyZeroFloat()) ||
      !hidesScores(operandOf(scalar, 0)) || !isShift(operandOf(scalar, 1)))
    return false;
  match.shifts.push_back(select);
  return true;
}

bool Matcher::isPowerOfDifference() {
  if (!isOfElementwise(match.powers))
    return false;
  Scalar power = withoutRounding(yieldOf(match.powers));
  if (!power.value.getDefiningOp<math::ExpOp>())
    return false;
  Scalar difference = operandOf(power, 0);
  return difference.value.getDefiningOp<arith::SubFOp>() &&
         isRead(withoutRounding(operandOf(difference, 0)), match.masked) &&
         isShift(operandOf(difference, 1));
}

/// Whether the condition holds where `scalar` is NaN.
bool Matcher::isNaNOf(Scalar condition, Scalar scalar) const {
  auto compare = condition.value.getDefiningOp<arith::CmpFOp>();
  return compare &&
         (compare.getPredicate() == arith::CmpFPredicate::UNO ||
          compare.getPredicate() == arith::CmpFPredicate::UNE) &&
         isSame(withoutRounding(operandOf(condition, 0)),
                withoutRounding(scalar)) &&
         isSame(withoutRounding(operandOf(condition, 1)),
                withoutRounding(scalar));
}

/// From the weights back to the powers: roundings, a guard against NaN, and one
/// product or quotient with a number of the row.
bool Matcher::findFactor() {
  if (!isOfElementwise(match.weights))
    return false;
  Scalar at = yieldOf(match.weights);
  while (Operation *op = at.value.getDefiningOp()) {
    if (isa<arith::TruncFOp, arith::ExtFOp>(op)) {
      at = operandOf(at, 0);
    } else if (isa<arith::SelectOp>(op)) {
      if (match.dropsNaN ||
          !matchPattern(operandOf(at, 1).value, m_AnyZeroFloat()) ||
          !isNaNOf(operandOf(at, 0), operandOf(at, 2)))
        return false;
      match.dropsNaN = true;
      at = operandOf(at, 2);
    } else if (isa<arith::DivFOp, arith::MulFOp>(op) && !match.factor) {
      OpOperand *read = inputOf({op->getOperand(1), at.op});
      if (!read)
        return false;
      match.factor = read->get();
      match.isDivisor = isa<arith::DivFOp>(op);
      at = operandOf(at, 0);
    } else {
      return false;
    }
  }
  // One number for each row.
  return match.factor && isRead(at, match.powers) &&
         match.factor.getType() == match.total->getResult(0).getType();
}

/// An integer as a sum of positions and constants.
std::optional<AffineExpr> Matcher::affineOf(Scalar scalar) const {
  MLIRContext *context = scalar.value.getContext();
  Operation *op = scalar.value.getDefiningOp();
  APInt number;
  if (matchPattern(scalar.value, m_ConstantInt(&number)))
    return getAffineConstantExpr(number.getSExtValue(), context);
  if (auto index = dyn_cast_or_null<linalg::IndexOp>(op))
    return getAffineDimExpr(index.getDim(), context);
  if (isa_and_nonnull<arith::IndexCastOp>(op))
    return affineOf(operandOf(scalar, 0));
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<AffineExpr> left = affineOf(operandOf(scalar, 0)),
                            right = affineOf(operandOf(scalar, 1));
  if (!left || !right)
    return std::nullopt;
  return isa<arith::AddIOp>(op) ? *left + *right : *left - *right;
}

/// Takes the last key that the condition lets a query see.
void Matcher::takeLimit(Scalar condition) {
  Operation *op = condition.value.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op)) {
    takeLimit(operandOf(condition, 0));
    takeLimit(operandOf(condition, 1));
    return;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return;
  std::optional<AffineExpr> left = affineOf(operandOf(condition, 0)),
                            right = affineOf(operandOf(condition, 1));
  if (!left || !right)
    return;
  // It holds where this is not negative.
  AffineExpr margin;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sge:
    margin = *left - *right;
    break;
  case arith::CmpIPredicate::sgt:
    margin = *left - *right - 1;
    break;
  case arith::CmpIPredicate::sle:
    margin = *right - *left;
    break;
  case arith::CmpIPredicate::slt:
    margin = *right - *left - 1;
    break;
  default:
    return;
  }
  const unsigned rank =
      cast<RankedTensorType>(match.masked.getType()).getRank();
  MLIRContext *context = compare.getContext();
  for (unsigned queries = 0; queries + 1 < rank; ++queries) {
    AffineExpr ahead =
        simplifyAffineExpr(margin - getAffineDimExpr(queries, context) +
                               getAffineDimExpr(rank - 1, context),
                           rank, 0);
    auto fixed = dyn_cast<AffineConstantExpr>(ahead);
    if (!fixed)
      continue;
    if (!match.lastKey)
      match.lastKey = {queries, fixed.getValue(), {}};
    if (match.lastKey->queries != queries)
      continue;
    match.lastKey->ahead = std::min(match.lastKey->ahead, fixed.getValue());
    match.lastKey->conditions.push_back(compare);
  }
}

/// Finds conditions without which a score is -infinity.
void Matcher::findLimit(Scalar score) {
  score = withoutRounding(score);
  Operation *op = score.value.getDefiningOp();
  if (isa_and_nonnull<arith::AddFOp>(op)) {
    findLimit(operandOf(score, 0));
    findLimit(operandOf(score, 1));
  } else if (isa_and_nonnull<arith::SelectOp>(op) &&
             matchPattern(operandOf(score, 2).value, m_NegInfFloat())) {
    takeLimit(operandOf(score, 0));
    findLimit(operandOf(score, 1));
  }
}

/// Whether nothing else reads what the ops compute.
bool Matcher::staysInside() {
  for (Operation *op : match.ops)
    for (OpOperand &use : op->getUses())
      if (readsContent(use) && use.getOwner() != match.product &&
          !match.ops.contains(use.getOwner()))
        return fail("others read its scores or weights, too");
  return true;
}

std::optional<AttentionMatch> Matcher::run() {
  linalg::GenericOp product = match.product;
  if (!isMatrixProduct(product) || product.getNumReductionLoops() != 1)
    return std::nullopt;
  match.weights = product.getDpsInputs()[0];
  collect(match.weights);
  if (!match.scores || !match.maximum || !match.total) {
    reason.clear();
    return std::nullopt;
  }
  if (match.scores.getNumReductionLoops() != 1)
    fail("the scores are sums along several loops");
  else if (dependences.lookup(match.weights.getDefiningOp()) !=
           (onScores | onMaximum | onTotal))
    fail("the weights are no softmax of the scores");
  else if (!isAlongKeys())
    fail("the softmax is not along the keys, or they are not the last "
         "dimension of the scores");
  else if (!isPowerOfDifference())
    fail("what is summed up is no exponential of scores less their maximum");
  else if (!findFactor())
    fail("the weights are no exponentials divided by their sum");
  else
    staysInside();
  if (!reason.empty())
    return std::nullopt;
  // Nothing hides the scores if they are the first product.
  if (isOfElementwise(match.masked))
    findLimit(yieldOf(match.masked));
  return std::move(match);
}

std::optional<AttentionMatch> matchAttention(linalg::GenericOp product,
                                             std::string &reason) {
  reason.clear();
  return Matcher(product, reason).run();
}

} // namespace tilewright::graph
