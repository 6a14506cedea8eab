//===- SmallFloats.h - Errors of conversions in integers --------*- C++ -*-===//
//
// Machines without an instruction for it round floats to 8 or 16 bits, and
// decode 8-bit floats, by integer ops. Which value goes in is known by the ops;
// what comes out is compared with what a conversion gives.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_THREADS_SMALLFLOATS_H
#define TILEWRIGHT_VERIFY_THREADS_SMALLFLOATS_H

#include "verify/threads/Tracking.h"

namespace tilewright::verify::threads {

/// Of an op that may be the last one of such a conversion; null if it is not.
/// `otherwise` is the tracker that it has without.
std::shared_ptr<const Tracker>
smallFloatTracker(mlir::Operation *op, std::shared_ptr<const Tracker> otherwise,
                  const Compiler &compiler);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_SMALLFLOATS_H
