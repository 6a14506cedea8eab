//===- MatrixOps.cpp - mma.sync -------------------------------------------===//
//
// Which lane has which element: PTX ISA, "Matrix Fragments for mma.m16n8k16"
// and the sections beside it.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "verify/threads/ByteTracking.h"
#include "verify/threads/Collective.h"
#include "verify/threads/Lanes.h"
#include "verify/threads/MatrixErrors.h"
#include "verify/threads/MatrixProduct.h"

#include <regex>

using namespace mlir;

namespace tilewright::verify::threads {

namespace {
enum class Kind : uint8_t { real, integer, f64 };

/// The type of an operand.
struct OperandType {
  Kind kind = Kind::real;
  unsigned bits = 16;
  FloatLayout format = {5, 10};
  bool isSigned = false;
};

struct Matrix {
  unsigned columns;
  std::vector<Lane> elements;
  Matrix(unsigned rows, unsigned columns)
      : columns(columns), elements(size_t(rows) * columns) {}
  Lane &at(unsigned row, unsigned column) {
    return elements[size_t(row) * columns + column];
  }
};

struct Product : Collective {
  unsigned m = 16, n = 8, k = 16;
  OperandType lhs, rhs;
  /// The lanes of the frame with a thread's fragments, and their bits.
  SmallVector<unsigned> a, b, acc;
  unsigned laneBits = 32;

  Outcome complete(const Instruction &i,
                   ArrayRef<Thread *> threads) const override;

private:
  /// Element number `e` of a thread's fragment.
  [[nodiscard]] Lane element(const Thread &t, ArrayRef<unsigned> lanes,
                             const OperandType &type, unsigned e) const {
    const unsigned perLane = std::max(1U, laneBits / type.bits);
    const Lane &lane = t.frame[lanes[e / perLane]];
    return {lane.bits >> e % perLane * type.bits &
                Instruction::maskOf(type.bits),
            lane.mark.ofPart(e % perLane, perLane)};
  }
  [[nodiscard]] Mark markOf(const Instruction &i, Matrix &left, Matrix &right,
                            const Lane &acc, const Lane &made, unsigned row,
                            unsigned column, unsigned architecture) const;
  [[nodiscard]] Lane sumOf(Matrix &left, Matrix &right, const Lane &acc,
                           unsigned row, unsigned column,
                           unsigned architecture) const;
};
} // namespace

Lane Product::sumOf(Matrix &left, Matrix &right, const Lane &acc, unsigned row,
                    unsigned column, unsigned architecture) const {
  std::vector<uint32_t> x, y;
  uint64_t sum = acc.bits;
  for (unsigned p = 0; p < k; ++p) {
    const Lane &one = left.at(row, p), &other = right.at(p, column);
    if (isPoison(one) || isPoison(other))
      return isPoison(one) ? one : other;
    if (lhs.kind == Kind::f64)
      sum = std::bit_cast<uint64_t>(std::fma(std::bit_cast<double>(one.bits),
                                             std::bit_cast<double>(other.bits),
                                             std::bit_cast<double>(sum)));
    if (lhs.kind == Kind::integer)
      sum += uint64_t(
          (lhs.isSigned ? asSigned(one.bits, 8) : int64_t(one.bits)) *
          (rhs.isSigned ? asSigned(other.bits, 8) : int64_t(other.bits)));
    // A register of tf32 has 13 bits below those of the format.
    const unsigned unused = lhs.bits == 32 ? 13 : 0;
    x.push_back(uint32_t(one.bits >> unused));
    y.push_back(uint32_t(other.bits >> unused));
  }
  if (lhs.kind == Kind::f64)
    return {sum, nullptr};
  if (lhs.kind == Kind::integer)
    return {sum & 0xffffffff, nullptr};
  return {addProducts(x, lhs.format, y, rhs.format, uint32_t(acc.bits),
                      productRules(architecture, lhs.format)),
          nullptr};
}

/// An operand, as the instruction takes it.
static MatrixFactor factorOf(const Lane &lane, const OperandType &type,
                             FloatType format) {
  MatrixFactor factor;
  factor.number = {NumberFormat(format).load(lane.bits),
                   errorOf(lane, type.bits)};
  factor.isUpper = lane.mark.isUpper();
  factor.rest = lane.mark.rest(0);
  if (type.bits != 32)
    return factor;
  // The lower bits are ignored.
  const Inexact upper = upperPart(factor.number, type.format.fraction);
  const bool isLoss = !factor.isUpper || upper.value != factor.number.value;
  if (isLoss)
    factor.number.error = enlarged(factor.number.error + upper.error);
  factor.number.value = upper.value;
  return factor;
}

static FloatType typeOf(const OperandType &type, MLIRContext *context) {
  if (type.kind == Kind::f64)
    return Float64Type::get(context);
  if (type.bits == 32)
    return Float32Type::get(context);
  if (type.bits == 8)
    return type.format.isFinite ? FloatType(Float8E4M3FNType::get(context))
                                : FloatType(Float8E5M2Type::get(context));
  return type.format.exponent == 8 ? FloatType(BFloat16Type::get(context))
                                   : FloatType(Float16Type::get(context));
}

Mark Product::markOf(const Instruction &i, Matrix &left, Matrix &right,
                     const Lane &acc, const Lane &made, unsigned row,
                     unsigned column, unsigned architecture) const {
  MLIRContext *context = i.op->getContext();
  const FloatType typeA = typeOf(lhs, context), typeB = typeOf(rhs, context);
  const NumberFormat result(lhs.kind == Kind::f64
                                ? FloatType(Float64Type::get(context))
                                : FloatType(Float32Type::get(context)));
  SmallVector<MatrixFactor, 32> x, y;
  bool isExact = acc.mark.isExact();
  for (unsigned p = 0; p < k; ++p) {
    const Lane &one = left.at(row, p), &other = right.at(p, column);
    isExact &= one.mark.isExact() && other.mark.isExact();
    if (lhs.kind == Kind::integer)
      continue;
    x.push_back(factorOf(one, lhs, typeA));
    y.push_back(factorOf(other, rhs, typeB));
  }
  if (lhs.kind == Kind::integer)
    return isExact ? Mark() : Mark::unknown();
  const MatrixSum sum = {
      x,
      y,
      lhs.format,
      rhs.format,
      {result.load(acc.bits), errorOf(acc, lhs.kind == Kind::f64 ? 64 : 32)},
      result.load(made.bits)};
  return Mark::error(
      lhs.kind == Kind::f64
          ? errorOfChain(sum, result)
          : errorOfProducts(sum, productRules(architecture, lhs.format)));
}

Outcome Product::complete(const Instruction &i,
                          ArrayRef<Thread *> threads) const {
  if (llvm::is_contained(threads, nullptr))
    return fault(i, **llvm::find_if(threads, [](Thread *t) { return t; }),
                 "some of the warp's 32 lanes do not take part");
  Matrix left(m, k), right(k, n);
  // Elements of a register; tf32 has one.
  const unsigned per = lhs.kind == Kind::f64 ? 1 : 32 / lhs.bits;
  for (auto [lane, thread] : llvm::enumerate(threads)) {
    const unsigned g = unsigned(lane) >> 2, t = unsigned(lane) & 3;
    for (unsigned e = 0; e < m * k / 32; ++e)
      left.at(g + 8 * (e / per & 1),
              per * t + e % per + (e >= 2 * per ? 4 * per : 0)) =
          element(*thread, a, lhs, e);
    for (unsigned e = 0; e < k * n / 32; ++e)
      right.at(per * t + e % per + (e >= per ? 4 * per : 0), g) =
          element(*thread, b, rhs, e);
  }
  for (auto [lane, thread] : llvm::enumerate(threads)) {
    const unsigned g = unsigned(lane) >> 2, t = unsigned(lane) & 3;
    for (unsigned e = 0; e < m * n / 32; ++e) {
      const Lane &old = thread->frame[acc[e]];
      Lane &made = thread->frame[i.result + e];
      const unsigned row = g + (e >= 2 ? 8 : 0), column = 2 * t + (e & 1);
      const unsigned architecture = thread->launch.architecture;
      made = isPoison(old) ? old
                           : sumOf(left, right, old, row, column, architecture);
      if (thread->launch.hasErrors() && !isPoison(made))
        made.mark =
            markOf(i, left, right, old, made, row, column, architecture);
    }
  }
  return Outcome::next;
}

static std::optional<OperandType> operandType(StringRef name) {
  return llvm::StringSwitch<std::optional<OperandType>>(name)
      .Case("bf16", OperandType{Kind::real, 16, {8, 7}})
      .Case("tf32", OperandType{Kind::real, 32, {8, 10}})
      .Case("e4m3", OperandType{Kind::real, 8, {4, 3, true}})
      .Case("e5m2", OperandType{Kind::real, 8, {5, 2}})
      .Case("f64", OperandType{Kind::f64, 64, {}})
      .Case("s8", OperandType{Kind::integer, 8, {}, true})
      .Case("u8", OperandType{Kind::integer, 8, {}, false})
      .Default(std::nullopt);
}

/// The operands' types by what follows ".row.col.": those of f16 are implied,
/// and types of results stand before and behind those of 8-bit floats.
static std::optional<std::pair<OperandType, OperandType>>
operandTypes(StringRef text) {
  if (text == "f32.f32")
    return std::pair(OperandType(), OperandType());
  if (text.consume_front("f32.") && !text.consume_back(".f32"))
    return std::nullopt;
  auto [left, right] = text.split('.');
  std::optional<OperandType> lhs = operandType(left);
  std::optional<OperandType> rhs = right.empty() ? lhs : operandType(right);
  if (!lhs || !rhs)
    return std::nullopt;
  return std::pair(*lhs, *rhs);
}

std::shared_ptr<const Collective> matrixProduct(StringRef intrinsic,
                                                Operation *op, Compiler &c) {
  static const std::regex pattern(
      R"(llvm\.nvvm\.mma\.m(\d+)n(\d+)k(\d+)\.row\.col\.(.*))");
  std::smatch match;
  const std::string name = intrinsic.str();
  if (!std::regex_match(name, match, pattern))
    return nullptr;
  auto types = operandTypes(match[4].str());
  if (!types)
    return nullptr;
  auto product = std::make_shared<Product>();
  product->m = unsigned(std::stoi(match[1]));
  product->n = unsigned(std::stoi(match[2]));
  product->k = unsigned(std::stoi(match[3]));
  std::tie(product->lhs, product->rhs) = *types;
  SmallVector<unsigned> lanes;
  for (Value operand : op->getOperands()) {
    SmallVector<Type> scalars;
    (void)scalarsOf(operand.getType(), scalars);
    if (lanes.empty())
      product->laneBits = bitsOf(scalars.front());
    for (unsigned i = 0; i < scalars.size(); ++i)
      lanes.push_back(c.laneOf(operand) + i);
  }
  const unsigned bits = std::max(product->laneBits, product->lhs.bits);
  const size_t a =
      size_t(product->m) * product->k / 32 * product->lhs.bits / bits;
  const size_t b =
      size_t(product->k) * product->n / 32 * product->rhs.bits / bits;
  const size_t acc = size_t(product->m) * product->n / 32;
  if (lanes.size() != a + b + acc)
    return nullptr;
  ArrayRef<unsigned> all(lanes);
  product->a.assign(all.take_front(a));
  product->b.assign(all.slice(a, b));
  product->acc.assign(all.drop_front(a + b));
  return product;
}

} // namespace tilewright::verify::threads
