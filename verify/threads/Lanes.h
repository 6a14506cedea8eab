//===- Lanes.h - Functions of single scalars, lane by lane ------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_LANES_H
#define TILEWRIGHT_VERIFY_THREADS_LANES_H

#include "tileir/reference/HostFormats.h"
#include "verify/threads/Compiler.h"
#include "verify/threads/Thread.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::verify::threads {

/// A result that may be poison.
using Maybe = std::optional<uint64_t>;

inline int64_t asSigned(uint64_t bits, unsigned width) {
  return llvm::SignExtend64(bits, width);
}

/// Runs `fn(a, instruction)` for each lane; poison stays poison.
template <auto fn> Outcome runUnary(const Instruction &i, Thread &t) {
  const Lane *a = t.frame + i.a;
  Lane *to = t.frame + i.result;
  for (unsigned n = 0; n < i.lanes; ++n) {
    if (isPoison(a[n])) {
      to[n] = a[n];
      continue;
    }
    if constexpr (std::is_same_v<decltype(fn(0, i)), Maybe>) {
      const Maybe made = fn(a[n].bits, i);
      to[n] = made ? Lane{*made, nullptr} : Lane{0, i.op};
    } else {
      to[n] = {uint64_t(fn(a[n].bits, i)), nullptr};
    }
  }
  return Outcome::next;
}

/// Runs `fn(a, b, instruction)` for each lane.
template <auto fn> Outcome runBinary(const Instruction &i, Thread &t) {
  const Lane *a = t.frame + i.a, *b = t.frame + i.b;
  Lane *to = t.frame + i.result;
  for (unsigned n = 0; n < i.lanes; ++n) {
    if (isPoison(a[n]) || isPoison(b[n])) {
      to[n] = isPoison(a[n]) ? a[n] : b[n];
      continue;
    }
    if constexpr (std::is_same_v<decltype(fn(0, 0, i)), Maybe>) {
      const Maybe made = fn(a[n].bits, b[n].bits, i);
      to[n] = made ? Lane{*made, nullptr} : Lane{0, i.op};
    } else {
      to[n] = {uint64_t(fn(a[n].bits, b[n].bits, i)), nullptr};
    }
  }
  return Outcome::next;
}

/// Runs `fn(a, b, c, instruction)` for each lane.
template <auto fn> Outcome runTernary(const Instruction &i, Thread &t) {
  const Lane *a = t.frame + i.a, *b = t.frame + i.b, *c = t.frame + i.c;
  Lane *to = t.frame + i.result;
  for (unsigned n = 0; n < i.lanes; ++n) {
    const Lane *poison = isPoison(a[n])   ? a + n
                         : isPoison(b[n]) ? b + n
                         : isPoison(c[n]) ? c + n
                                          : nullptr;
    to[n] = poison ? *poison
                   : Lane{uint64_t(fn(a[n].bits, b[n].bits, c[n].bits, i)),
                          nullptr};
  }
  return Outcome::next;
}

/// The run of a template by the format of a float; null where the host has no
/// such format.
template <template <typename> typename Pick> Run byFormat(mlir::Type type) {
  using namespace reference;
  type = mlir::getElementTypeOrSelf(type);
  if (type.isF32())
    return Pick<F32Format>::run();
  if (type.isF64())
    return Pick<F64Format>::run();
  if (type.isF16())
    return Pick<F16Format>::run();
  return type.isBF16() ? Pick<BF16Format>::run() : nullptr;
}

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_LANES_H
