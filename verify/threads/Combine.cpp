#include "verify/threads/Combine.h"

#include "mlir/IR/BuiltinTypes.h"
#include "tileir/reference/HostFormats.h"
#include "verify/threads/Code.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

static int64_t asInt(uint64_t bits, unsigned width) {
  return llvm::SignExtend64(bits, width);
}

static Combine combinerOfInts(Combining combining) {
  switch (combining) {
  case Combining::exchange:
    return [](uint64_t, uint64_t b, unsigned) { return b; };
  case Combining::add:
    return [](uint64_t a, uint64_t b, unsigned bits) {
      return (a + b) & Instruction::maskOf(bits);
    };
  case Combining::sub:
    return [](uint64_t a, uint64_t b, unsigned bits) {
      return (a - b) & Instruction::maskOf(bits);
    };
  case Combining::mul:
    return [](uint64_t a, uint64_t b, unsigned bits) {
      return (a * b) & Instruction::maskOf(bits);
    };
  case Combining::bitAnd:
    return [](uint64_t a, uint64_t b, unsigned) { return a & b; };
  case Combining::bitOr:
    return [](uint64_t a, uint64_t b, unsigned) { return a | b; };
  case Combining::bitXor:
    return [](uint64_t a, uint64_t b, unsigned) { return a ^ b; };
  case Combining::maxSigned:
    return [](uint64_t a, uint64_t b, unsigned bits) {
      return asInt(a, bits) > asInt(b, bits) ? a : b;
    };
  case Combining::minSigned:
    return [](uint64_t a, uint64_t b, unsigned bits) {
      return asInt(a, bits) < asInt(b, bits) ? a : b;
    };
  case Combining::maxUnsigned:
    return [](uint64_t a, uint64_t b, unsigned) { return std::max(a, b); };
  case Combining::minUnsigned:
    return [](uint64_t a, uint64_t b, unsigned) { return std::min(a, b); };
  default:
    return nullptr;
  }
}

template <typename N> static N added(N a, N b) { return a + b; }
template <typename N> static N subtracted(N a, N b) { return a - b; }
template <typename N> static N multiplied(N a, N b) { return a * b; }

template <typename F,
          typename F::Number (*fn)(typename F::Number, typename F::Number)>
static uint64_t onFloats(uint64_t a, uint64_t b, unsigned) {
  return F::store(fn(F::load(a), F::load(b)));
}

template <typename F> static Combine combinerOfFloats(Combining combining) {
  using N = typename F::Number;
  switch (combining) {
  case Combining::exchange:
    return [](uint64_t, uint64_t b, unsigned) { return b; };
  case Combining::add:
    return onFloats<F, added<N>>;
  case Combining::sub:
    return onFloats<F, subtracted<N>>;
  case Combining::mul:
    return onFloats<F, multiplied<N>>;
  case Combining::maxNumber:
    return onFloats<F, maxnumOf<N>>;
  case Combining::minNumber:
    return onFloats<F, minnumOf<N>>;
  case Combining::maximum:
    return onFloats<F, maximumOf<N>>;
  case Combining::minimum:
    return onFloats<F, minimumOf<N>>;
  default:
    return nullptr;
  }
}

Combine combinerOf(Combining combining, Type scalar) {
  if (scalar.isF32())
    return combinerOfFloats<F32Format>(combining);
  if (scalar.isF64())
    return combinerOfFloats<F64Format>(combining);
  if (scalar.isF16())
    return combinerOfFloats<F16Format>(combining);
  if (scalar.isBF16())
    return combinerOfFloats<BF16Format>(combining);
  return scalar.isIntOrIndex() ? combinerOfInts(combining) : nullptr;
}

} // namespace tilewright::verify::threads
