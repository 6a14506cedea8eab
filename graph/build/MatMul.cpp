#include "graph/build/MatMul.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

using namespace mlir;

namespace tilewright::build {

FailureOr<Tensor> matmul(GraphBuilder &b, const Tensor &x, const Tensor &y,
                         Element out) {
  auto shapes = b.sizes.str(x->dims) + " and " + b.sizes.str(y->dims);
  if (x->rank() == 0 || y->rank() == 0)
    return b.fail("operands have shapes " + shapes +
                  ", expected at least one dimension");
  // Vectors become matrices with one row or column.
  Tensor lhs = x->rank() == 1 ? rearrange(b, x, {-1, 0}) : x;
  Tensor rhs = y->rank() == 1 ? rearrange(b, y, {0, -1}) : y;
  int64_t batch = std::max(lhs->rank(), rhs->rank()) - 2;
  Expr k = lhs->dims.back(), kRight = rhs->dims[rhs->rank() - 2];
  if (!compatible(k, kRight))
    return b.fail("operands have shapes " + shapes + ": the inner sizes " +
                  b.sizes.str(k) + " and " + b.sizes.str(kRight) + " differ");
  checkEqual(b, k, kRight, "operands of MatMul have shapes " + shapes);
  if (constantOf(kRight))
    k = kRight;

  auto batchPart = [](const Tensor &tensor) {
    return ArrayRef<Expr>(tensor->dims).drop_back(2);
  };
  TRY(Dims loops, broadcastDims(b, {batchPart(lhs), batchPart(rhs)}));
  auto operand = [&](const Tensor &tensor, Expr row,
                     Expr column) -> FailureOr<Operand> {
    int64_t offset = batch - (tensor->rank() - 2);
    Dims wanted(ArrayRef<Expr>(loops).slice(offset, tensor->rank() - 2));
    wanted.append(tensor->dims.end() - 2, tensor->dims.end());
    TRY(Tensor repeated, repeatUnits(b, tensor, wanted));
    Operand result{repeated, {}};
    for (int64_t i = 0; i < tensor->rank() - 2; ++i)
      result.at.push_back(isConst(tensor->dims[i], 1) ? b.zero()
                                                      : b.loop(offset + i));
    result.at.push_back(row);
    result.at.push_back(column);
    return result;
  };
  Expr m = b.loop(batch), n = b.loop(batch + 1), inner = b.loop(batch + 2);
  TRY(Operand left, operand(lhs, m, inner));
  TRY(Operand right, operand(rhs, inner, n));
  loops.append({lhs->dims[lhs->rank() - 2], rhs->dims.back(), k});
  TRY(Tensor result, contract(b, left, right, loops, batch + 2, out));
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < batch; ++i)
    kept.push_back(i);
  if (x->rank() > 1)
    kept.push_back(batch);
  if (y->rank() > 1)
    kept.push_back(batch + 1);
  return int64_t(kept.size()) == batch + 2 ? result
                                           : rearrange(b, result, kept);
}

FailureOr<Tensor> gemm(GraphBuilder &b, const Tensor &x, const Tensor &y,
                       const Tensor &c, const GemmOptions &o) {
  if (x->rank() != 2 || y->rank() != 2)
    return b.fail("operands have shapes " + b.sizes.str(x->dims) + " and " +
                  b.sizes.str(y->dims) + ", expected two dimensions");
  Expr m = x->dims[o.transposeLeft], k = x->dims[!o.transposeLeft];
  Expr n = y->dims[!o.transposeRight], kRight = y->dims[o.transposeRight];
  if (!compatible(k, kRight))
    return b.fail("operands have shapes " + b.sizes.str(x->dims) + " and " +
                  b.sizes.str(y->dims) + ": the inner sizes " + b.sizes.str(k) +
                  " and " + b.sizes.str(kRight) + " differ");
  checkEqual(b, k, kRight, "inner sizes of Gemm");
  if (constantOf(kRight))
    k = kRight;
  Operand lhs{x, {b.loop(0), b.loop(2)}}, rhs{y, {b.loop(2), b.loop(1)}};
  if (o.transposeLeft)
    std::swap(lhs.at[0], lhs.at[1]);
  if (o.transposeRight)
    std::swap(rhs.at[0], rhs.at[1]);
  TRY(Tensor product, contract(b, lhs, rhs, {m, n, k}, 2, x->element));
  if (!c && o.alpha == 1)
    return product;
  SmallVector<Tensor> operands = {product};
  if (c)
    operands.push_back(c);
  auto body = [&](Scalar &s, ArrayRef<Value> v) {
    auto scaled = [&](Value value, double factor) {
      if (factor == 1)
        return value;
      if (isa<FloatType>(value.getType()))
        return s.mul(value, s.like(value, factor));
      Type wide = s.builder.getF64Type();
      Value product = s.mul(s.convert(value, wide), s.constant(wide, factor));
      return s.convert(product, value.getType());
    };
    Value sum = scaled(v[0], o.alpha);
    return v.size() == 1 ? sum : s.add(sum, scaled(v[1], o.beta));
  };
  return elementwiseOver(b, product->dims, operands, x->element, body);
}

namespace {

/// The loops and operands of an Einsum equation.
struct Equation {
  SmallVector<std::string> terms;
  std::string result;
};

FailureOr<Equation> parseEquation(GraphBuilder &b, StringRef given,
                                  ArrayRef<Tensor> inputs) {
  std::string text;
  for (char c : given)
    if (c != ' ')
      text += c;
  auto [left, right] = StringRef(text).split("->");
  bool explicitResult = StringRef(text).contains("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  // An ellipsis becomes digits, aligned at the right.
  int64_t widest = 0;
  Equation equation;
  auto expand = [&](StringRef part, int64_t count) {
    std::string digits;
    for (int64_t i = widest - count; i < widest; ++i)
      digits += char('0' + i);
    size_t at = part.find("...");
    if (at == StringRef::npos)
      return part.str();
    return (part.substr(0, at) + digits + part.substr(at + 3)).str();
  };
  for (auto [part, tensor] : llvm::zip(parts, inputs))
    if (part.contains("..."))
      widest = std::max(widest, tensor->rank() - int64_t(part.size() - 3));
  if (widest < 0 || widest > 9)
    return b.fail("equation '" + text + "' does not fit the operands");
  for (auto [part, tensor] : llvm::zip(parts, inputs)) {
    std::string term = expand(
        part, std::max<int64_t>(0, tensor->rank() - int64_t(part.size()) + 3));
    if (int64_t(term.size()) != tensor->rank())
      return b.fail("operand '" + part + "' of the equation has shape " +
                    b.sizes.str(tensor->dims));
    equation.terms.push_back(term);
  }
  if (explicitResult) {
    equation.result = expand(right, widest);
    return equation;
  }
  std::string all;
  for (const std::string &term : equation.terms)
    all += term;
  std::string sorted = all;
  llvm::sort(sorted);
  for (char c : sorted)
    if (llvm::isDigit(c) ? equation.result.find(c) == std::string::npos
                         : llvm::count(all, c) == 1)
      equation.result += c;
  return equation;
}

/// The sums over letters that only one of several terms has: what is left is a
/// product.
LogicalResult sumAlone(GraphBuilder &b, Equation &equation,
                       MutableArrayRef<Tensor> inputs) {
  std::string all = equation.result;
  for (const std::string &term : equation.terms)
    all += term;
  for (auto [term, input] : llvm::zip(equation.terms, inputs)) {
    SmallVector<int64_t> axes;
    std::string kept;
    for (auto [axis, letter] : llvm::enumerate(term))
      if (llvm::count(all, letter) == 1)
        axes.push_back(axis);
      else
        kept += letter;
    if (inputs.size() == 1 || axes.empty())
      continue;
    TRY(input, reduceSum(b, input, axes, false));
    term = kept;
  }
  return success();
}

} // namespace

FailureOr<Tensor> einsum(GraphBuilder &b, ArrayRef<Tensor> given,
                         StringRef text) {
  TRY(Equation equation, parseEquation(b, text, given));
  SmallVector<Tensor> inputs(given);
  if (failed(sumAlone(b, equation, inputs)))
    return failure();
  std::string letters = equation.result, read;
  for (const std::string &term : equation.terms)
    read += term;
  for (char c : equation.result)
    if (read.find(c) == std::string::npos || llvm::count(letters, c) > 1)
      return b.fail("equation '" + text + "': '" + Twine(c) +
                    "' of the result must stand there once and in an "
                    "operand");
  for (const std::string &term : equation.terms)
    for (char c : term)
      if (letters.find(c) == std::string::npos)
        letters += c;
  SmallVector<Expr> loops;
  for (char letter : letters) {
    SmallVector<Expr> along;
    for (auto [term, tensor] : llvm::zip(equation.terms, inputs))
      for (auto [c, size] : llvm::zip(term, tensor->dims))
        if (c == letter)
          along.push_back(size);
    TRY(Expr loop,
        broadcastSize(b, along,
                      "sizes of '" + Twine(letter) + "' in '" + text + "'"));
    loops.push_back(loop);
  }
  SmallVector<Operand> operands;
  for (auto [term, tensor] : llvm::zip(equation.terms, inputs)) {
    SmallVector<Expr> wanted;
    for (char c : term)
      wanted.push_back(loops[letters.find(c)]);
    TRY(Tensor repeated, repeatUnits(b, tensor, wanted));
    Operand operand{repeated, {}};
    for (auto [c, size] : llvm::zip(term, operand.tensor->dims))
      operand.at.push_back(isConst(size, 1) ? b.zero()
                                            : b.loop(letters.find(c)));
    operands.push_back(operand);
  }
  Element out = given[0]->element;
  Element sum = accumulatorOf(b, out);
  GenericOptions options;
  options.parallelLoops = equation.result.size();
  options.absorbTranspose = true;
  options.init = zeroOf(b, sum);
  auto body = [&](Scalar &s, ArrayRef<Value> v) {
    Value product = s.convert(v[0], sum.type);
    for (Value next : v.drop_front().drop_back())
      product = s.mul(product, s.convert(next, sum.type));
    return s.add(v.back(), product);
  };
  TRY(Tensor result, generic(b, operands, loops, sum, body, options));
  return convert(b, result, out);
}

} // namespace tilewright::build
