//===- ConstantOps.cpp - Constants, and affine maps -----------------------===//
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/Lanes.h"

using namespace mlir;

namespace tilewright::verify::threads {

//===--- Constants --------------------------------------------------------===//

static void setConstant(Attribute attribute, unsigned first, unsigned count,
                        Compiler &c) {
  auto bits = [](const Attribute &number) -> uint64_t {
    if (auto real = dyn_cast<FloatAttr>(number))
      return real.getValue().bitcastToAPInt().getZExtValue();
    return cast<IntegerAttr>(number).getValue().getZExtValue();
  };
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense || dense.isSplat()) {
    const uint64_t all =
        bits(dense ? dense.getSplatValue<Attribute>() : attribute);
    for (unsigned i = 0; i < count; ++i)
      c.constant(first + i) = {all, nullptr};
    return;
  }
  for (auto [i, number] : llvm::enumerate(dense.getValues<Attribute>()))
    c.constant(first + unsigned(i)) = {bits(number), nullptr};
}

template <typename Op> static LogicalResult buildConstant(Op op, Compiler &c) {
  Attribute value = op.getValue();
  if (!isa<IntegerAttr, FloatAttr, DenseElementsAttr>(value))
    return reference::errorAt(op)
           << "the reference of threads reads integer, float and dense "
              "constants, found "
           << value;
  const unsigned first = c.define(op.getResult());
  setConstant(value, first, c.reserve(0) - first, c);
  return success();
}

static LogicalResult buildPoison(Operation *op, Compiler &c) {
  const unsigned first = c.define(op->getResult(0)), end = c.reserve(0);
  for (unsigned lane = first; lane < end; ++lane)
    c.constant(lane).mark = op;
  return success();
}

static LogicalResult buildZero(Operation *op, Compiler &c) {
  (void)c.define(op->getResult(0));
  return success();
}

/// A value without poison: some bits, the same for all uses.
static Outcome runFreeze(const Instruction &i, Thread &t) {
  for (unsigned n = 0; n < i.lanes; ++n) {
    Lane lane = t.frame[i.a + n];
    t.frame[i.result + n] =
        isPoison(lane) ? Lane{0x5a5a5a5a5a5a5a5a & i.mask(), nullptr} : lane;
  }
  return Outcome::next;
}

static LogicalResult buildAddressOf(LLVM::AddressOfOp op, Compiler &c) {
  Operation *symbol =
      SymbolTable::lookupNearestSymbolFrom(op, op.getGlobalNameAttr());
  if (!isa_and_nonnull<LLVM::GlobalOp>(symbol))
    return reference::errorAt(op)
           << "the reference of threads has addresses of data, found "
           << op.getGlobalName();
  c.code.addresses.emplace_back(c.define(op.getResult()), symbol);
  return success();
}

//===--- Affine -----------------------------------------------------------===//

namespace {
struct Affine : Details {
  AffineMap map;
  SmallVector<unsigned> operands;
};
} // namespace

/// Fails where a divisor is not positive.
static std::optional<int64_t> evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                                       ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> a = evaluate(binary.getLHS(), dims, symbols);
  std::optional<int64_t> b = evaluate(binary.getRHS(), dims, symbols);
  if (!a || !b)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return int64_t(uint64_t(*a) + uint64_t(*b));
  if (expr.getKind() == AffineExprKind::Mul)
    return int64_t(uint64_t(*a) * uint64_t(*b));
  if (*b <= 0)
    return std::nullopt;
  int64_t rest = *a % *b;
  if (rest < 0)
    rest += *b;
  if (expr.getKind() == AffineExprKind::Mod)
    return rest;
  const int64_t floor = (*a - rest) / *b;
  return expr.getKind() == AffineExprKind::FloorDiv ? floor
                                                    : floor + (rest != 0);
}

/// number: 0 for apply, 1 for min, 2 for max.
static Outcome runAffine(const Instruction &i, Thread &t) {
  const auto &affine = i.as<Affine>();
  SmallVector<int64_t> values;
  for (unsigned lane : affine.operands) {
    if (isPoison(t.frame[lane]))
      return t.frame[i.result] = t.frame[lane], Outcome::next;
    values.push_back(int64_t(t.frame[lane].bits));
  }
  const unsigned dims = affine.map.getNumDims();
  std::optional<int64_t> all;
  for (AffineExpr expr : affine.map.getResults()) {
    std::optional<int64_t> each =
        evaluate(expr, ArrayRef(values).take_front(dims),
                 ArrayRef(values).drop_front(dims));
    if (!each)
      return fault(i, t, "divides by a number that is not positive");
    all = !all            ? *each
          : i.number == 1 ? std::min(*all, *each)
                          : std::max(*all, *each);
  }
  t.frame[i.result] = {uint64_t(*all), nullptr};
  return Outcome::next;
}

template <int64_t number, typename Op>
static LogicalResult buildAffine(Op op, Compiler &c) {
  auto affine = std::make_shared<Affine>();
  affine->map = op.getMap();
  for (Value operand : op->getOperands())
    affine->operands.push_back(c.laneOf(operand));
  Instruction instruction = c.begin(op);
  instruction.run = runAffine;
  instruction.number = number;
  instruction.details = std::move(affine);
  c.emit(std::move(instruction));
  return success();
}

static Outcome runNothing(const Instruction &, Thread &) {
  return Outcome::next;
}

void addConstantOps(OpTable &ops) {
  ops.add<arith::ConstantOp>(buildConstant<arith::ConstantOp>);
  ops.add<LLVM::ConstantOp>(buildConstant<LLVM::ConstantOp>);
  ops.add<LLVM::ZeroOp>(buildZero);
  ops.add<LLVM::PoisonOp>(buildPoison);
  ops.add<LLVM::UndefOp>(buildPoison);
  ops.add<ub::PoisonOp>(buildPoison);
  ops.add<LLVM::AddressOfOp>(buildAddressOf);
  ops.add<LLVM::FreezeOp>([](LLVM::FreezeOp op, Compiler &c) {
    Instruction instruction = c.beginMove(op);
    instruction.run = runFreeze;
    c.emit(std::move(instruction));
    return success();
  });
  ops.add<affine::AffineApplyOp>(buildAffine<0, affine::AffineApplyOp>);
  ops.add<affine::AffineMinOp>(buildAffine<1, affine::AffineMinOp>);
  ops.add<affine::AffineMaxOp>(buildAffine<2, affine::AffineMaxOp>);
  ops.addRun<LLVM::NoAliasScopeDeclOp, LLVM::LifetimeStartOp,
             LLVM::LifetimeEndOp, LLVM::Prefetch>(runNothing);
}

} // namespace tilewright::verify::threads
