// Integers of any width on the vector unit, which has those of 32 bits.
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_INTEGEROPERATIONS_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_INTEGEROPERATIONS_H

#include "spatial/transforms/AluBuilder.h"

namespace tilewright::spatial {

/// Integers of 8 and 16 bits.
inline bool isNarrow(unsigned width) { return width == 8 || width == 16; }
/// The low bits of an i32 as a signed number.
VectorScalar wrapped(AluBuilder &alu, const VectorScalar &x, unsigned width,
                     DType result);
/// The unsigned number of 8 or 16 bits; others as they are.
VectorScalar zeroExtended(AluBuilder &alu, const VectorScalar &x,
                          unsigned width);
/// Numbers whose signed order is the unsigned one of these.
VectorScalar inUnsignedOrder(AluBuilder &alu, const VectorScalar &x,
                             unsigned width);
/// x >> by, with zeros from above.
VectorScalar logicalShift(AluBuilder &alu, const VectorScalar &x,
                          const VectorScalar &by);
/// The quotient of unsigned numbers of 32 bits.
VectorScalar unsignedQuotient(AluBuilder &alu, const VectorScalar &a,
                              const VectorScalar &b);
/// What is left of a quotient.
VectorScalar restOf(AluBuilder &alu, const VectorScalar &a,
                    const VectorScalar &b, const VectorScalar &quotient);
/// The quotient of signed numbers, rounded down or up.
VectorScalar roundedQuotient(AluBuilder &alu, llvm::ArrayRef<VectorScalar> in,
                             bool isUp);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_INTEGEROPERATIONS_H
