// Numbers written in a kernel, and operands that may be such. Not for users.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_LITERALS_H
#define TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_LITERALS_H

#include "tileir/authoring/construction/KernelBuilder.h"

namespace tilewright::authoring {

/// A number as an element of `type`; null and an error where it does not fit.
mlir::TypedAttr numberOf(KernelBuilder &c, const detail::Literal &literal,
                         mlir::Type type, bool isSigned,
                         const std::source_location &where);
/// The same as a constant; in all elements where `type` is a tile's.
mlir::Value constantOf(KernelBuilder &c, const detail::Literal &literal,
                       mlir::Type type, bool isSigned,
                       const std::source_location &where);
/// A scalar operand as a value.
mlir::Value scalarOf(KernelBuilder &c, const detail::Operand &operand,
                     mlir::Type type, bool isSigned);
mlir::Value indexOf(KernelBuilder &c, const detail::Operand &operand);

} // namespace tilewright::authoring

#endif // TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_LITERALS_H
