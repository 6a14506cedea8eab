//===- FloatOps.cpp - Floats of arith and of the llvm dialect -------------===//
//
// The flags of fastmath are not used: they permit other results, and these are
// the ones without them.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/Lanes.h"
#include "verify/threads/Tracking.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

//===--- Element by element -----------------------------------------------===//

namespace {
struct Elements : Details {
  ArrayRef<EvalElement> functions;
  /// By operand: its first lane, its lanes and the type of its scalars.
  struct Operand {
    unsigned lane, count;
    Type type;
  };
  SmallVector<Operand> operands;
  /// By result.
  SmallVector<Type> results;
};
} // namespace

static Element elementOf(Type type, uint64_t bits) {
  return Element::fromBits(type, APInt(widthOf(type), bits));
}

static Outcome runElements(const Instruction &i, Thread &t) {
  const auto &all = i.as<Elements>();
  const unsigned count = i.lanes / unsigned(all.results.size());
  SmallVector<Element, 3> elements;
  for (unsigned n = 0; n < count; ++n) {
    elements.clear();
    const Lane *poison = nullptr;
    for (const Elements::Operand &operand : all.operands) {
      const Lane &lane = t.frame[operand.lane + (operand.count == 1 ? 0 : n)];
      if (isPoison(lane))
        poison = &lane;
      elements.push_back(elementOf(operand.type, lane.bits));
    }
    for (auto [r, type] : llvm::enumerate(all.results)) {
      Lane &to = t.frame[i.result + r * count + n];
      if (poison) {
        to = {0, poison->mark};
        continue;
      }
      FailureOr<Element> made = all.functions[r](i.op, elements, type);
      if (failed(made))
        return Outcome::fault;
      to = made->isPoison() ? Lane{0, i.op}
                            : Lane{made->toBits().getZExtValue(), nullptr};
    }
  }
  return Outcome::next;
}

LogicalResult buildElementwise(Operation *op, Compiler &c) {
  auto all = std::make_shared<Elements>();
  all->functions = elementFunctions(op);
  for (Value operand : op->getOperands()) {
    SmallVector<Type> scalars;
    (void)scalarsOf(operand.getType(), scalars);
    all->operands.push_back({c.laneOf(operand), unsigned(scalars.size()),
                             getElementTypeOrSelf(operand.getType())});
  }
  for (Type type : op->getResultTypes())
    all->results.push_back(getElementTypeOrSelf(type));
  Instruction instruction = c.begin(op);
  instruction.run = runElements;
  instruction.details = std::move(all);
  c.emit(std::move(instruction));
  return success();
}

//===--- Operations on the host's numbers ---------------------------------===//

template <typename N> static N addReals(N a, N b) { return a + b; }
template <typename N> static N subtractReals(N a, N b) { return a - b; }
template <typename N> static N multiplyReals(N a, N b) { return a * b; }
template <typename N> static N divideReals(N a, N b) { return a / b; }

/// The upper half of the names: a template by the format, for byFormat.
#define TILEWRIGHT_BINARY(name, fn)                                            \
  template <typename F> struct name {                                          \
    static uint64_t compute(uint64_t a, uint64_t b, const Instruction &) {     \
      return F::store(fn(F::load(a), F::load(b)));                             \
    }                                                                          \
    static Run run() { return runBinary<compute>; }                            \
  };
#define TILEWRIGHT_UNARY(name, fn)                                             \
  template <typename F> struct name {                                          \
    static uint64_t compute(uint64_t a, const Instruction &) {                 \
      using N = typename F::Number;                                            \
      return F::store(N(fn(F::load(a))));                                      \
    }                                                                          \
    static Run run() { return runUnary<compute>; }                             \
  };

namespace {
TILEWRIGHT_BINARY(AddFloats, addReals)
TILEWRIGHT_BINARY(SubFloats, subtractReals)
TILEWRIGHT_BINARY(MulFloats, multiplyReals)
TILEWRIGHT_BINARY(DivFloats, divideReals)
TILEWRIGHT_BINARY(RemFloats, std::fmod)
TILEWRIGHT_BINARY(MaximumFloats, maximumOf)
TILEWRIGHT_BINARY(MinimumFloats, minimumOf)
TILEWRIGHT_BINARY(MaxnumFloats, maxnumOf)
TILEWRIGHT_BINARY(MinnumFloats, minnumOf)
TILEWRIGHT_UNARY(SqrtFloats, std::sqrt)
TILEWRIGHT_UNARY(FloorFloats, std::floor)
TILEWRIGHT_UNARY(CeilFloats, std::ceil)
TILEWRIGHT_UNARY(TruncFloats, std::trunc)
TILEWRIGHT_UNARY(RoundFloats, std::round)
// The host rounds to nearest, ties to even.
TILEWRIGHT_UNARY(RoundEvenFloats, std::nearbyint)
// Others are the host's in double, rounded once.
TILEWRIGHT_UNARY(TanhFloats, std::tanh)
TILEWRIGHT_UNARY(ExpFloats, std::exp)
TILEWRIGHT_UNARY(Exp2Floats, std::exp2)
TILEWRIGHT_UNARY(LogFloats, std::log)
TILEWRIGHT_UNARY(Log2Floats, std::log2)
TILEWRIGHT_UNARY(Log10Floats, std::log10)
TILEWRIGHT_UNARY(SinFloats, std::sin)
TILEWRIGHT_UNARY(CosFloats, std::cos)
} // namespace
#undef TILEWRIGHT_BINARY
#undef TILEWRIGHT_UNARY

static uint64_t negate(uint64_t a, const Instruction &i) {
  return a ^ (uint64_t(1) << (i.bits - 1));
}
static uint64_t clearSign(uint64_t a, const Instruction &i) {
  return a & (i.mask() >> 1);
}
static uint64_t copySign(uint64_t a, uint64_t b, const Instruction &i) {
  const uint64_t sign = uint64_t(1) << (i.bits - 1);
  return (a & ~sign) | (b & sign);
}

static uint64_t fmaSingle(uint64_t a, uint64_t b, uint64_t c,
                          const Instruction &) {
  using F = F32Format;
  return F::store(std::fma(F::load(a), F::load(b), F::load(c)));
}
static uint64_t fmaDouble(uint64_t a, uint64_t b, uint64_t c,
                          const Instruction &) {
  using F = F64Format;
  return F::store(std::fma(F::load(a), F::load(b), F::load(c)));
}
template <typename F> static const llvm::fltSemantics &semanticsOf() {
  if constexpr (std::is_same_v<F, F16Format>)
    return APFloat::IEEEhalf();
  return APFloat::BFloat();
}
template <typename F>
static uint64_t fmaNarrow(uint64_t a, uint64_t b, uint64_t c,
                          const Instruction &) {
  auto load = [](uint64_t bits) {
    return APFloat(semanticsOf<F>(), APInt(16, bits));
  };
  APFloat made = load(a);
  made.fusedMultiplyAdd(load(b), load(c), APFloat::rmNearestTiesToEven);
  return made.bitcastToAPInt().getZExtValue();
}

static LogicalResult buildFma(Operation *op, Compiler &c) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  Instruction instruction = c.begin(op);
  instruction.run = type.isF32()    ? runTernary<fmaSingle>
                    : type.isF64()  ? runTernary<fmaDouble>
                    : type.isF16()  ? runTernary<fmaNarrow<F16Format>>
                    : type.isBF16() ? runTernary<fmaNarrow<BF16Format>>
                                    : nullptr;
  if (!instruction.run)
    return errorAt(op) << "the reference of threads has no fma of " << type;
  c.emit(std::move(instruction));
  return success();
}

/// `fn` by the type of the first operand; ops of arith and math have functions
/// of elements for all other types.
template <template <typename> typename Pick, typename... Ops>
static void addFloat(OpTable &ops) {
  (ops.add<Ops>([](Operation *op, Compiler &c) -> LogicalResult {
    const Run run = byFormat<Pick>(op->getOperand(0).getType());
    if (!run && !elementFunctions(op).empty())
      return buildElementwise(op, c);
    if (!run)
      return errorAt(op) << "the reference of threads has no such op on "
                         << op->getOperand(0).getType();
    Instruction instruction = c.begin(op);
    instruction.run = run;
    c.emit(std::move(instruction));
    return success();
  }),
   ...);
}

//===--- Comparisons ------------------------------------------------------===//

/// By predicate, in the order of both dialects: whether it holds for equal (1),
/// greater (2), less (4) and unordered (8) numbers.
static constexpr unsigned kHolds[16] = {0, 1,  2,  3,  4,  5,  6, 7,
                                        9, 10, 11, 12, 13, 14, 8, 15};
static_assert(unsigned(arith::CmpFPredicate::UEQ) == 8 &&
              unsigned(LLVM::FCmpPredicate::ueq) == 8 &&
              unsigned(arith::CmpFPredicate::UNO) == 14 &&
              unsigned(LLVM::FCmpPredicate::uno) == 14);

namespace {
template <typename F> struct CompareFloats {
  static uint64_t compute(uint64_t x, uint64_t y, const Instruction &i) {
    const auto a = F::load(x), b = F::load(y);
    const unsigned is = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
    return (kHolds[i.number] & is) != 0;
  }
  static Run run() { return runBinary<compute>; }
};
} // namespace

template <typename Op>
static LogicalResult buildFloatComparison(Op op, int64_t predicate,
                                          Compiler &c) {
  const Run run = byFormat<CompareFloats>(op->getOperand(0).getType());
  if (!run)
    return buildElementwise(op, c);
  Instruction instruction = c.begin(op);
  instruction.run = run;
  instruction.tracker = comparisonTracker(op, c);
  instruction.number = predicate;
  c.emit(std::move(instruction));
  return success();
}

/// The classes of llvm.is.fpclass, from bit 0 on: signaling and quiet NaN, then
/// from -infinity to +infinity.
static uint64_t isClass(uint64_t a, const Instruction &i) {
  const auto &semantics = i.bits == 64   ? APFloat::IEEEdouble()
                          : i.bits == 32 ? APFloat::IEEEsingle()
                                         : APFloat::IEEEhalf();
  return (unsigned(APFloat(semantics, APInt(i.bits, a)).classify()) &
          unsigned(i.number)) != 0;
}

static LogicalResult buildIsClass(LLVM::IsFPClass op, Compiler &c) {
  if (getElementTypeOrSelf(op.getIn().getType()).isBF16())
    return errorAt(op) << "the reference of threads has no such op on bf16";
  Instruction instruction = c.begin(op);
  instruction.run = runUnary<isClass>;
  instruction.number = op.getBit();
  c.emit(std::move(instruction));
  return success();
}

static void addRounded(OpTable &ops) {
  addFloat<FloorFloats, math::FloorOp, LLVM::FFloorOp>(ops);
  addFloat<CeilFloats, math::CeilOp, LLVM::FCeilOp>(ops);
  addFloat<TruncFloats, math::TruncOp, LLVM::FTruncOp>(ops);
  addFloat<RoundFloats, math::RoundOp, LLVM::RoundOp>(ops);
  addFloat<RoundEvenFloats, math::RoundEvenOp, LLVM::RoundEvenOp, LLVM::RintOp,
           LLVM::NearbyintOp>(ops);
}

void addFloatOps(OpTable &ops) {
  addFloat<AddFloats, arith::AddFOp, LLVM::FAddOp>(ops);
  addFloat<SubFloats, arith::SubFOp, LLVM::FSubOp>(ops);
  addFloat<MulFloats, arith::MulFOp, LLVM::FMulOp>(ops);
  addFloat<DivFloats, arith::DivFOp, LLVM::FDivOp>(ops);
  addFloat<RemFloats, LLVM::FRemOp>(ops);
  addFloat<MaximumFloats, arith::MaximumFOp, LLVM::MaximumOp>(ops);
  addFloat<MinimumFloats, arith::MinimumFOp, LLVM::MinimumOp>(ops);
  addFloat<MaxnumFloats, arith::MaxNumFOp, LLVM::MaxNumOp>(ops);
  addFloat<MinnumFloats, arith::MinNumFOp, LLVM::MinNumOp>(ops);
  addFloat<SqrtFloats, LLVM::SqrtOp>(ops);
  addFloat<TanhFloats, LLVM::TanhOp>(ops);
  addFloat<ExpFloats, LLVM::ExpOp>(ops);
  addFloat<Exp2Floats, LLVM::Exp2Op>(ops);
  addFloat<LogFloats, LLVM::LogOp>(ops);
  addFloat<Log2Floats, LLVM::Log2Op>(ops);
  addFloat<Log10Floats, LLVM::Log10Op>(ops);
  addFloat<SinFloats, LLVM::SinOp>(ops);
  addFloat<CosFloats, LLVM::CosOp>(ops);
  addRounded(ops);
  ops.addRun<LLVM::FNegOp, arith::NegFOp>(runUnary<negate>);
  ops.addRun<LLVM::FAbsOp, math::AbsFOp>(runUnary<clearSign>);
  ops.addRun<LLVM::CopySignOp, math::CopySignOp>(runBinary<copySign>);
  ops.add<math::FmaOp>(buildFma);
  ops.add<vector::FMAOp>(buildFma);
  ops.add<LLVM::FMAOp>(buildFma);
  ops.add<LLVM::FMulAddOp>(buildFma);
  ops.add<arith::CmpFOp>([](arith::CmpFOp op, Compiler &c) {
    return buildFloatComparison(op, int64_t(op.getPredicate()), c);
  });
  ops.add<LLVM::FCmpOp>([](LLVM::FCmpOp op, Compiler &c) {
    return buildFloatComparison(op, int64_t(op.getPredicate()), c);
  });
  ops.add<LLVM::IsFPClass>(buildIsClass);
}

} // namespace tilewright::verify::threads
