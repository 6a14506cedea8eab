//===- ReductionOps.cpp - The elements of a vector, combined --------------===//
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/Combine.h"
#include "verify/threads/Lanes.h"
#include "verify/threads/Tracking.h"

#include <map>

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

namespace {
struct Reduction : Details {
  Combine combine = nullptr;
  /// Of floats; none: it has no rule.
  std::optional<NumberFormat> format;
  ErrorRule rule = nullptr;
  /// What it begins with.
  std::optional<unsigned> start;
  unsigned count = 0;
};
} // namespace

/// Each partial result has its own rounding.
static Mark markOfReduction(const Instruction &i, const Thread &t) {
  const auto &reduction = i.as<Reduction>();
  Lane all = t.frame[reduction.start ? *reduction.start : i.a];
  bool isExact = all.mark.isExact();
  for (unsigned n = reduction.start ? 0 : 1; n < reduction.count; ++n) {
    const Lane &each = t.frame[i.a + n];
    isExact &= each.mark.isExact();
    const uint64_t made = reduction.combine(all.bits, each.bits, i.bits);
    if (reduction.rule) {
      const NumberFormat &format = *reduction.format;
      const Inexact x[] = {{format.load(all.bits), errorOf(all, i.bits)},
                           {format.load(each.bits), errorOf(each, i.bits)}};
      all.mark =
          markBy(reduction.rule, {x, format.load(made), format, "addf", {}});
    }
    all.bits = made;
  }
  if (reduction.rule)
    return all.mark;
  return isExact && !reduction.format ? Mark() : Mark::unknown();
}

/// From the first element to the last.
static Outcome runReduction(const Instruction &i, Thread &t) {
  const auto &reduction = i.as<Reduction>();
  Lane all = t.frame[reduction.start ? *reduction.start : i.a];
  for (unsigned n = reduction.start ? 0 : 1; n < reduction.count; ++n) {
    const Lane &each = t.frame[i.a + n];
    if (isPoison(all) || isPoison(each))
      all = isPoison(all) ? all : each;
    else
      all.bits = reduction.combine(all.bits, each.bits, i.bits);
  }
  t.frame[i.result] = all;
  if (t.launch.hasErrors() && !isPoison(all))
    t.frame[i.result].mark = markOfReduction(i, t);
  return Outcome::next;
}

static LogicalResult emitReduction(Operation *op, Combining combining,
                                   Value vector, Value start, Compiler &c) {
  auto type = cast<VectorType>(vector.getType());
  auto reduction = std::make_shared<Reduction>();
  reduction->combine = combinerOf(combining, type.getElementType());
  reduction->count = unsigned(type.getNumElements());
  if (!reduction->combine)
    return errorAt(op) << "the reference of threads has no such reduction of "
                       << type;
  if (auto real = dyn_cast<FloatType>(type.getElementType())) {
    reduction->format.emplace(real);
    reduction->rule = combining == Combining::add   ? errorOfSum
                      : combining == Combining::mul ? errorOfProduct
                                                    : errorOfExtremum;
  }
  if (start)
    reduction->start = c.laneOf(start);
  Instruction instruction = c.beginMove(op);
  instruction.run = runReduction;
  instruction.a = c.laneOf(vector);
  instruction.bits = bitsOf(type.getElementType());
  // The work is that of the vector.
  instruction.details = std::move(reduction);
  c.emit(std::move(instruction));
  return success();
}

static LogicalResult buildReduction(vector::ReductionOp op, Compiler &c) {
  using Kind = vector::CombiningKind;
  static const std::map<Kind, Combining> kinds = {
      {Kind::ADD, Combining::add},
      {Kind::MUL, Combining::mul},
      {Kind::MINUI, Combining::minUnsigned},
      {Kind::MINSI, Combining::minSigned},
      {Kind::MAXUI, Combining::maxUnsigned},
      {Kind::MAXSI, Combining::maxSigned},
      {Kind::AND, Combining::bitAnd},
      {Kind::OR, Combining::bitOr},
      {Kind::XOR, Combining::bitXor},
      {Kind::MINNUMF, Combining::minNumber},
      {Kind::MAXNUMF, Combining::maxNumber},
      {Kind::MINIMUMF, Combining::minimum},
      {Kind::MAXIMUMF, Combining::maximum}};
  return emitReduction(op, kinds.at(op.getKind()), op.getVector(), op.getAcc(),
                       c);
}

template <typename Op> static void addReduction(OpTable &ops, Combining kind) {
  ops.add<Op>([kind](Op op, Compiler &c) {
    Value start;
    if constexpr (requires { op.getStartValue(); })
      start = op.getStartValue();
    Value vector = op->getOperand(op->getNumOperands() - 1);
    return emitReduction(op, kind, vector, start, c);
  });
}

void addReductionOps(OpTable &ops) {
  ops.add<vector::ReductionOp>(buildReduction);
  using C = Combining;
  addReduction<LLVM::vector_reduce_add>(ops, C::add);
  addReduction<LLVM::vector_reduce_mul>(ops, C::mul);
  addReduction<LLVM::vector_reduce_and>(ops, C::bitAnd);
  addReduction<LLVM::vector_reduce_or>(ops, C::bitOr);
  addReduction<LLVM::vector_reduce_xor>(ops, C::bitXor);
  addReduction<LLVM::vector_reduce_smax>(ops, C::maxSigned);
  addReduction<LLVM::vector_reduce_smin>(ops, C::minSigned);
  addReduction<LLVM::vector_reduce_umax>(ops, C::maxUnsigned);
  addReduction<LLVM::vector_reduce_umin>(ops, C::minUnsigned);
  addReduction<LLVM::vector_reduce_fadd>(ops, C::add);
  addReduction<LLVM::vector_reduce_fmul>(ops, C::mul);
  addReduction<LLVM::vector_reduce_fmax>(ops, C::maxNumber);
  addReduction<LLVM::vector_reduce_fmin>(ops, C::minNumber);
  addReduction<LLVM::vector_reduce_fmaximum>(ops, C::maximum);
  addReduction<LLVM::vector_reduce_fminimum>(ops, C::minimum);
}

} // namespace tilewright::verify::threads
