#include "graph/reference/Subscripts.h"

#include "graph/reference/Execution.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;

namespace tilewright::graph::reference {

Subscripts::Subscripts(AffineMap map) : map(map) {
  for (AffineExpr expression : map.getResults()) {
    Linear linear;
    if (linearize(expression, 1, linear))
      forms.emplace_back(std::move(linear));
    else
      forms.emplace_back(std::nullopt);
  }
}

bool Subscripts::linearize(AffineExpr expression, int64_t factor,
                           Linear &linear) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression)) {
    int64_t term;
    return !llvm::MulOverflow(factor, constant.getValue(), term) &&
           !llvm::AddOverflow(linear.constant, term, linear.constant);
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expression)) {
    linear.terms.emplace_back(dim.getPosition(), factor);
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return linearize(binary.getLHS(), factor, linear) &&
           linearize(binary.getRHS(), factor, linear);
  auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && scale &&
         !llvm::MulOverflow(factor, scale.getValue(), factor) &&
         linearize(binary.getLHS(), factor, linear);
}

std::optional<unsigned> Subscripts::loopAt(unsigned d) const {
  if (auto dim = dyn_cast<AffineDimExpr>(map.getResult(d)))
    return dim.getPosition();
  return std::nullopt;
}

std::optional<int64_t> Subscripts::constantAt(unsigned d) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(map.getResult(d)))
    return constant.getValue();
  return std::nullopt;
}

std::optional<SubscriptRange> Subscripts::rangeAt(unsigned d,
                                                  const Shape &sizes) const {
  if (!forms[d] || loopAt(d))
    return std::nullopt;
  // A loop that stands there twice has one factor.
  std::map<unsigned, int64_t> factors;
  for (auto [loop, factor] : forms[d]->terms)
    if (llvm::AddOverflow(factors[loop], factor, factors[loop]))
      return std::nullopt;
  SubscriptRange range{forms[d]->constant, forms[d]->constant};
  for (auto [loop, factor] : factors) {
    int64_t distance, &end = factor < 0 ? range.least : range.greatest;
    if (llvm::MulOverflow(factor, sizes[loop] - 1, distance) ||
        llvm::AddOverflow(end, distance, end))
      return std::nullopt;
  }
  return range;
}

bool Subscripts::isProjection() const {
  SmallVector<bool> seen(map.getNumDims());
  for (unsigned d = 0; d < size(); ++d) {
    if (constantAt(d))
      continue;
    std::optional<unsigned> loop = loopAt(d);
    if (!loop || seen[*loop])
      return false;
    seen[*loop] = true;
  }
  return true;
}

LogicalResult Subscripts::at(Index point, Shape &index) const {
  index.resize(size());
  for (unsigned d = 0; d < size(); ++d) {
    if (!forms[d]) {
      FailureOr<int64_t> value = evaluate(map.getResult(d), point);
      if (failed(value))
        return failure();
      index[d] = *value;
      continue;
    }
    int64_t value = forms[d]->constant, distance;
    // Beyond the range of numbers no tensor has elements.
    for (auto [loop, factor] : forms[d]->terms)
      if (llvm::MulOverflow(factor, point[loop], distance) ||
          llvm::AddOverflow(value, distance, value)) {
        value = -1;
        break;
      }
    index[d] = value;
  }
  return success();
}

} // namespace tilewright::graph::reference
