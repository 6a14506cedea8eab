//===- ByteTracking.h - Errors of numbers that are moved as bits -*- C++
//-*-===//
//
// Code moves floats as integers: packs two of 16 bits into a word, takes the
// upper half of an f32. Marks follow the bytes; a few patterns of integer ops
// are the rounding of a float.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_THREADS_BYTETRACKING_H
#define TILEWRIGHT_VERIFY_THREADS_BYTETRACKING_H

#include "verify/threads/Tracking.h"

namespace tilewright::verify::threads {

/// Of casts of vectors: the same bits.
std::shared_ptr<const Tracker> castTracker(mlir::Operation *op,
                                           const Compiler &compiler);
/// Of ops on integers: extension, truncation, shifts, and, or, xor. The default
/// for all else.
std::shared_ptr<const Tracker> bytesTracker(mlir::Operation *op,
                                            const Compiler &compiler);
/// Of nvvm.prmt.
std::shared_ptr<const Tracker> permuteTracker(mlir::Operation *op,
                                              const Compiler &compiler);

/// Whether bytesTracker knows the op as the end of a rounding of f32 to bf16.
bool isRoundingToBfloat(mlir::Operation *op);

/// An f32 becomes its upper bits, of which `fraction` are of the fraction.
Inexact upperPart(const Inexact &x, unsigned fraction);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_BYTETRACKING_H
