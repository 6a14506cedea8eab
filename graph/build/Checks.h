// Sizes that must go together, at import or at run time.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// Whether two sizes may be equal: a dynamic size may equal any.
bool compatible(Expr a, Expr b);

/// Records that two sizes must be equal at run time.
void checkEqual(GraphBuilder &b, Expr size, Expr expected,
                const llvm::Twine &message);
/// Records that a size must not be greater than another, unless it is known.
void checkAtMost(GraphBuilder &b, Expr size, Expr most,
                 const llvm::Twine &message);
/// Records that a size must be `expected` or 1.
void checkEither(GraphBuilder &b, Expr size, Expr expected,
                 const llvm::Twine &message);
/// Fails where a size cannot be the expected one, else checks it at run time.
LogicalResult matchSize(GraphBuilder &b, Expr size, Expr expected,
                        const llvm::Twine &where);
/// A tensor whose dimensions are known to be these, or are checked at run time.
FailureOr<Tensor> withDims(GraphBuilder &b, const Tensor &tensor,
                           ArrayRef<Expr> dims, const llvm::Twine &where);
/// If a size is constant for all nonzero dynamic dimensions, that constant,
/// with a check at run time; any other size unchanged.
Expr staticUnlessEmpty(GraphBuilder &b, Expr size);
/// Writes the checks as operations.
void emitChecks(GraphBuilder &b);

// What kernels require of elements: a run ends with the message and the
// operator's name where they are others.

/// That indices are from -size on (0 if they are unsigned) and below size,
/// which is that of dimension `dim` of `x`.
LogicalResult requireIndices(GraphBuilder &b, const Tensor &indices,
                             const Tensor &x, int64_t dim);
/// The same of coordinate k of the last dimension of the indices and dimension
/// `first` + k, for a static number of coordinates.
LogicalResult requireCoordinates(GraphBuilder &b, const Tensor &indices,
                                 const Tensor &x, int64_t first);
/// That no divisor is zero, if they are integers.
LogicalResult requireDivisors(GraphBuilder &b, const Tensor &divisors);

/// Lengths of sequences within a dimension of this size: an error where a
/// constant one is negative or greater, or a check at run time.
LogicalResult expectLengths(GraphBuilder &b, const Tensor &lengths, Expr size,
                            StringRef what);

} // namespace tilewright::build
