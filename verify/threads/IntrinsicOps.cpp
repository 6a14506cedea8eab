//===- IntrinsicOps.cpp - Intrinsics of LLVM by name ----------------------===//
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tileir/reference/ElementOps.h"
#include "verify/threads/Collective.h"
#include "verify/threads/Lanes.h"
#include "verify/threads/Tracking.h"
#include <numbers>

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

//===--- x86 --------------------------------------------------------------===//

/// The second operand where one is NaN, or both are zeros.
template <typename F, bool isMin>
static uint64_t pickX86(uint64_t x, uint64_t y, const Instruction &) {
  const auto a = F::load(x), b = F::load(y);
  return (isMin ? a < b : a > b) ? x : y;
}

/// Number `n` of the numbers with `bits` that lanes of `laneBits` are made of;
/// null after poison.
static uint64_t partAt(const Lane *lanes, unsigned laneBits, unsigned bits,
                       unsigned n, Operation *&poison) {
  const unsigned perLane = laneBits / bits;
  const Lane &lane = lanes[n / perLane];
  if (!poison)
    poison = lane.mark;
  return lane.bits >> n % perLane * bits & Instruction::maskOf(bits);
}

/// acc + four products each of an unsigned and a signed byte. The second and
/// third operand have lanes of `number` bits.
static Outcome runFourBytes(const Instruction &i, Thread &t) {
  for (unsigned n = 0; n < i.lanes; ++n) {
    Operation *poison = t.frame[i.a + n].mark;
    uint64_t sum = t.frame[i.a + n].bits;
    for (unsigned k = 4 * n; k < 4 * n + 4; ++k) {
      const uint64_t x =
          partAt(t.frame + i.b, unsigned(i.number), 8, k, poison);
      const uint64_t y =
          partAt(t.frame + i.c, unsigned(i.number), 8, k, poison);
      sum += x * uint64_t(asSigned(y, 8));
    }
    t.frame[i.result + n] = {poison ? 0 : sum & i.resultMask(), poison};
  }
  return Outcome::next;
}

/// The sum of two products of signed numbers of 16 bits.
static Outcome runTwoWords(const Instruction &i, Thread &t) {
  for (unsigned n = 0; n < i.lanes; ++n) {
    Operation *poison = nullptr;
    uint64_t sum = 0;
    for (unsigned k = 2 * n; k < 2 * n + 2; ++k)
      sum +=
          uint64_t(asSigned(partAt(t.frame + i.a, i.bits, 16, k, poison), 16) *
                   asSigned(partAt(t.frame + i.b, i.bits, 16, k, poison), 16));
    t.frame[i.result + n] = {poison ? 0 : sum & i.resultMask(), poison};
  }
  return Outcome::next;
}

//===--- Approximations of PTX --------------------------------------------===//

/// The exact result, rounded once; the device's is within an error of it.
template <double (*fn)(double), bool flushes>
static uint64_t approximate(uint64_t a, const Instruction &) {
  using F = F32Format;
  auto flushed = [](float x) {
    return flushes && std::fabs(x) < 0x1p-126F ? std::copysign(0.0F, x) : x;
  };
  return F::store(flushed(float(fn(flushed(F::load(a))))));
}
static double inverse(double x) { return 1 / x; }
static double inverseRoot(double x) { return 1 / std::sqrt(x); }
static uint64_t divide(uint64_t a, uint64_t b, const Instruction &) {
  using F = F32Format;
  return F::store(F::load(a) / F::load(b));
}

static Run runOf(StringRef name) {
  return llvm::StringSwitch<Run>(name)
      .Cases({"llvm.x86.sse.min.ps", "llvm.x86.avx.min.ps.256",
              "llvm.x86.avx512.min.ps.512"},
             runBinary<pickX86<F32Format, true>>)
      .Cases({"llvm.x86.sse.max.ps", "llvm.x86.avx.max.ps.256",
              "llvm.x86.avx512.max.ps.512"},
             runBinary<pickX86<F32Format, false>>)
      .Cases({"llvm.x86.sse2.min.pd", "llvm.x86.avx.min.pd.256",
              "llvm.x86.avx512.min.pd.512"},
             runBinary<pickX86<F64Format, true>>)
      .Cases({"llvm.x86.sse2.max.pd", "llvm.x86.avx.max.pd.256",
              "llvm.x86.avx512.max.pd.512"},
             runBinary<pickX86<F64Format, false>>)
      .Cases({"llvm.x86.avx512.vpdpbusd.512", "llvm.x86.avx512.vpdpbusd.256"},
             runFourBytes)
      .Cases({"llvm.x86.avx512.pmaddw.d.512", "llvm.x86.avx2.pmadd.wd"},
             runTwoWords)
      .Case("llvm.nvvm.ex2.approx.ftz.f",
            runUnary<approximate<std::exp2, true>>)
      .Case("llvm.nvvm.lg2.approx.f", runUnary<approximate<std::log2, false>>)
      .Case("llvm.nvvm.sqrt.approx.f", runUnary<approximate<std::sqrt, false>>)
      .Case("llvm.nvvm.rsqrt.approx.f",
            runUnary<approximate<inverseRoot, false>>)
      .Case("llvm.nvvm.sin.approx.f", runUnary<approximate<std::sin, false>>)
      .Case("llvm.nvvm.cos.approx.f", runUnary<approximate<std::cos, false>>)
      .Case("llvm.nvvm.rcp.approx.ftz.f", runUnary<approximate<inverse, true>>)
      .Case("llvm.nvvm.div.full", runBinary<divide>)
      .Default(nullptr);
}

//===--- Their errors -----------------------------------------------------===//

/// The bounds of the PTX ISA, 9.7.3, in units of the last place of f32.
static double approximateUnits(StringRef name) {
  return llvm::StringSwitch<double>(name)
      .Cases({"ex2.approx.ftz.f", "div.full", "lg2.approx.f"}, 2.5)
      .Case("rcp.approx.ftz.f", 1.5)
      .Cases({"sqrt.approx.f", "rsqrt.approx.f"}, 2.5)
      .Default(kUnbounded);
}

/// The same, as an absolute error.
static double approximateError(const ErrorCall &call) {
  const double size = call.x[0].size() + 2 * call.x[0].error;
  if (call.name == "lg2.approx.f")
    return size < 2.01 ? 0x1p-22 : 0;
  if (call.name != "sin.approx.f" && call.name != "cos.approx.f")
    return 0;
  if (size <= 6.28)
    return 0x1p-20 * std::numbers::sqrt2;
  return size <= 314 ? 0x1p-14 : kUnbounded;
}

static double errorOfApproximation(const ErrorCall &call) {
  StringRef name = call.name;
  double error = 0;
  if (name == "div.full")
    error = quotientError(call.x[0], call.x[1]);
  else if (name == "rcp.approx.ftz.f")
    error = quotientError({1, 0}, call.x[0]);
  else
    error = *functionError(llvm::StringSwitch<StringRef>(name)
                               .Case("ex2.approx.ftz.f", "exp2")
                               .Case("lg2.approx.f", "log2")
                               .Case("sqrt.approx.f", "sqrt")
                               .Case("rsqrt.approx.f", "rsqrt")
                               .Case("sin.approx.f", "sin")
                               .Default("cos"),
                           call.x[0]);
  error = enlarged(error + approximateError(call));
  // Subnormal numbers may become 0, as operands, too.
  const double flushed = 2 * call.format.leastNormal();
  const double units = approximateUnits(name);
  return units < kUnbounded ? call.rounded(error + flushed, units)
                            : enlarged(error + flushed);
}

/// Null for those that have no error of their own.
static std::shared_ptr<const Tracker> intrinsicTracker(LLVM::CallIntrinsicOp op,
                                                       const Compiler &c) {
  StringRef name = op.getIntrin();
  if (name.starts_with("llvm.x86.") &&
      (name.contains(".min.p") || name.contains(".max.p")))
    return trackerOf(op, errorOfExtremum, "maxnumf", c);
  if (!name.consume_front("llvm.nvvm.") || name.starts_with("mma."))
    return nullptr;
  return trackerOf(op, errorOfApproximation, name, c);
}

static unsigned laneBits(Value value) {
  return bitsOf(getElementTypeOrSelf(value.getType()));
}

static LogicalResult buildIntrinsic(LLVM::CallIntrinsicOp op, Compiler &c) {
  const StringRef name = op.getIntrin();
  const Run run = runOf(name);
  std::shared_ptr<const Collective> product =
      run ? nullptr : matrixProduct(name, op, c);
  if (!run && !product)
    return errorAt(op) << "the reference of threads has no intrinsic " << name;
  Instruction instruction = run ? c.begin(op) : c.beginMove(op);
  if (std::shared_ptr<const Tracker> tracker = intrinsicTracker(op, c))
    instruction.tracker = std::move(tracker);
  instruction.run = run ? run : runCollective;
  if (run == runFourBytes)
    instruction.number = laneBits(op.getArgs()[1]);
  instruction.details = std::move(product);
  c.emit(std::move(instruction));
  return success();
}

void addIntrinsicOps(OpTable &ops) {
  ops.add<LLVM::CallIntrinsicOp>(buildIntrinsic);
}

} // namespace tilewright::verify::threads
