//===- OpClasses.h - Ops of equal cost --------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TILEIR_ANALYSIS_OPCLASSES_H
#define TILEWRIGHT_TILEIR_ANALYSIS_OPCLASSES_H

#include "mlir/IR/Operation.h"

namespace tilewright::tile {

enum class OpClass : uint8_t {
#define OP_CLASS(ENUMERATOR) ENUMERATOR,
#include "tileir/analysis/OpClasses.inc"
#undef OP_CLASS
};

/// The class of an op that works element by element.
[[nodiscard]] OpClass opClassOf(mlir::Operation *op);
/// Whether the table names it.
[[nodiscard]] bool hasOpClass(mlir::OperationName op);

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_ANALYSIS_OPCLASSES_H
