//===- ConstantSums.h - Sums of the integers of constants -------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_CONSTANTSUMS_H
#define TILEWRIGHT_GRAPH_TRANSFORMS_CONSTANTSUMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::graph {

/// The result of a reduction that adds integers of a constant, perhaps widened:
/// the sums of quantized weights, which a zero point is multiplied by. The
/// constant may be read through slices, reshapes and transpositions. Null for
/// other ops, for more than 16 million elements, and where the result is not at
/// most a quarter of what is read.
mlir::ElementsAttr sumsOfConstant(mlir::linalg::GenericOp op);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_TRANSFORMS_CONSTANTSUMS_H
