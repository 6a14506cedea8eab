//===- Collective.h - What several threads do together ----------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_COLLECTIVE_H
#define TILEWRIGHT_VERIFY_THREADS_COLLECTIVE_H

#include "verify/threads/Thread.h"

namespace tilewright::verify::threads {

/// The threads of a warp.
inline constexpr unsigned kWarp = 32;

/// An instruction at which threads wait for each other.
struct Collective : Details {
  /// Of all threads of the block, or of those of a warp.
  bool isOfBlock = false;
  /// The lane of the mask of threads of the warp; none: all of them.
  std::optional<unsigned> mask;

  /// Runs it for all. `threads` has those of the block, or the 32 of a warp:
  /// null where there is none, or it does not take part.
  virtual Outcome complete(const Instruction &i,
                           llvm::ArrayRef<Thread *> threads) const = 0;
};

/// Waits.
Outcome runCollective(const Instruction &i, Thread &t);

/// The product of matrices by an intrinsic "llvm.nvvm.mma...."; null if it is
/// not known.
std::shared_ptr<const Collective> matrixProduct(llvm::StringRef intrinsic,
                                                mlir::Operation *op,
                                                class Compiler &compiler);

/// Ends the copies of a thread up to the last `kept` groups.
Outcome endCopies(const Instruction &i, Thread &t, size_t kept);
/// Forgets all copies that are under way, at the thread's end.
void dropCopies(Thread &t);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_COLLECTIVE_H
