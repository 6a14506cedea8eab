//===- Tracking.h - The errors of instructions ------------------*- C++ -*-===//
//
// Marks are carried where lanes are copied. What computes has a tracker.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_THREADS_TRACKING_H
#define TILEWRIGHT_VERIFY_THREADS_TRACKING_H

#include "verify/threads/Compiler.h"
#include "verify/threads/ErrorRules.h"
#include "verify/threads/Thread.h"

namespace tilewright::verify::threads {

/// The bound of a lane that is read as one number with such bits: of the lane,
/// or of its upper half, if the lower one is 0 as that of a bf16 is.
double errorOf(const Lane &lane, unsigned bits);

/// Of results that are integers: they are exact if their operands are, element
/// by element; otherwise unknown. Floats are unknown.
std::shared_ptr<const Tracker> defaultTracker(mlir::Operation *op,
                                              const Compiler &compiler);
/// Of an op of arith, math or the llvm dialect with floats among its operands
/// or results: by the rule for its name, element by element. The default if
/// there is none.
std::shared_ptr<const Tracker> elementTracker(mlir::Operation *op,
                                              const Compiler &compiler);
/// The one for an op by its name.
std::shared_ptr<const Tracker> trackerOf(mlir::Operation *op,
                                         const Compiler &compiler);
/// By a rule of the caller.
std::shared_ptr<const Tracker> trackerOf(mlir::Operation *op, ErrorRule rule,
                                         llvm::StringRef name,
                                         const Compiler &compiler);
/// Of a comparison: exact if the errors cannot change it.
std::shared_ptr<const Tracker> comparisonTracker(mlir::Operation *op,
                                                 const Compiler &compiler);
/// Of a selection between the second and the third operand, which may leave
/// open which one it is.
std::shared_ptr<const Tracker> selectTracker(mlir::Operation *op,
                                             const Compiler &compiler);

/// One result of a rule: nothing for a result or operands that are poison or
/// not finite.
Mark markBy(ErrorRule rule, ErrorCall call);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_TRACKING_H
