//===- ExpandMinMax.cpp - Minima and maxima of vectors on x86 -------------===//
#include "codegen/cpu/CpuTargets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tilewright::cpu {

#define GEN_PASS_DEF_EXPANDMINMAX
#include "codegen/cpu/Passes.h.inc"

/// The instruction for a type. Its result is the second operand where one of
/// them is NaN, and where both are zeros.
static std::string intrinsicOf(StringRef name, VectorType type) {
  const unsigned bits = type.getElementTypeBitWidth();
  const int64_t all = type.getNumElements() * bits;
  StringRef suffix = bits == 32 ? "ps" : "pd";
  if (all == 512)
    return ("llvm.x86.avx512." + name + "." + suffix + ".512").str();
  if (all == 256)
    return ("llvm.x86.avx." + name + "." + suffix + ".256").str();
  return ((bits == 32 ? "llvm.x86.sse." : "llvm.x86.sse2.") + name + "." +
          suffix)
      .str();
}

static Value call(ImplicitLocOpBuilder &b, StringRef name, Value x, Value y) {
  auto type = cast<VectorType>(x.getType());
  SmallVector<Value> operands = {x, y};
  // Of 512 bits it has a mode: 4 handles floats as everywhere else.
  if (type.getNumElements() * type.getElementTypeBitWidth() == 512)
    operands.push_back(LLVM::ConstantOp::create(b, b.getI32IntegerAttr(4)));
  return LLVM::CallIntrinsicOp::create(
             b, type, b.getStringAttr(intrinsicOf(name, type)), operands)
      .getResult(0);
}

/// LLVM handles a constant better, which is not NaN or not zero.
static bool isConstant(Value value) {
  if (auto spread = value.getDefiningOp<vector::BroadcastOp>())
    value = spread.getSource();
  return matchPattern(value, m_Constant());
}

namespace {
template <typename Op> struct Expand : OpRewritePattern<Op> {
  Expand(MLIRContext *context, const CpuTarget &target)
      : OpRewritePattern<Op>(context), target(target) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.isScalable() ||
        !(type.getElementType().isF32() || type.getElementType().isF64()))
      return rewriter.notifyMatchFailure(op, "no vector of f32 or f64");
    const int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    if (bits < 128 || bits > target.vectorBits || !llvm::isPowerOf2_64(bits))
      return rewriter.notifyMatchFailure(op, "no register of the target");
    if (bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::nnan |
                                                 arith::FastMathFlags::nsz))
      return rewriter.notifyMatchFailure(op, "one instruction may do");
    if (isConstant(op.getLhs()) || isConstant(op.getRhs()))
      return rewriter.notifyMatchFailure(op, "an operand is constant");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expand(b, op.getLhs(), op.getRhs(), type));
    return success();
  }

private:
  /// Both orders of the operands give the same bits but where there is a NaN:
  /// then one gives x, the other y; and for zeros of two signs.
  static Value expand(ImplicitLocOpBuilder &b, Value x, Value y,
                      VectorType type) {
    constexpr bool isMinimum = std::is_same_v<Op, arith::MinimumFOp>;
    constexpr const char *name = isMinimum ? "min" : "max";
    auto bitsType = type.clone(b.getIntegerType(type.getElementTypeBitWidth()));
    Value first = arith::BitcastOp::create(b, bitsType, call(b, name, x, y));
    Value second = arith::BitcastOp::create(b, bitsType, call(b, name, y, x));
    // NaN with more bits is NaN, and -0 is +0 with one more.
    Value all = arith::OrIOp::create(b, first, second);
    all = arith::BitcastOp::create(b, type, all);
    if (isMinimum)
      return all;
    // Takes the sign that only one zero has from the -0; else 0, or anything
    // from a NaN.
    Value different = arith::XOrIOp::create(b, first, second);
    different = arith::BitcastOp::create(b, type, different);
    return arith::SubFOp::create(b, all, different);
  }

  const CpuTarget &target;
};

struct ExpandMinMax : impl::ExpandMinMaxBase<ExpandMinMax> {
  void runOnOperation() override {
    FailureOr<CpuTarget> target = cpuOf(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (!isX86(*target))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<Expand<arith::MinimumFOp>, Expand<arith::MaximumFOp>>(
        &getContext(), *target);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

} // namespace tilewright::cpu
