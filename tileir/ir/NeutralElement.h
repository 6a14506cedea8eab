//===- NeutralElement.h - What a combiner leaves as it is -------*- C++ -*-===//
#ifndef TILEWRIGHT_TILEIR_IR_NEUTRALELEMENT_H
#define TILEWRIGHT_TILEIR_IR_NEUTRALELEMENT_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

namespace tilewright::tile {

/// The element e for which combiner(e, x) and combiner(x, e) are x, bit by bit
/// but for the payload of a NaN; null where none is known.
mlir::TypedAttr neutralElement(mlir::Operation *combiner);

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_IR_NEUTRALELEMENT_H
