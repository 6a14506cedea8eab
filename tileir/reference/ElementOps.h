// The ops of arith and math on single elements, in a program or out of one.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "tileir/reference/Element.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>

namespace tilewright::reference {

/// How one element of a result follows from one element of each operand.
/// Operands are not poison. May fail with an error at `op`.
using EvalElement = std::function<mlir::FailureOr<Element>(
    mlir::Operation *op, llvm::ArrayRef<Element> operands, mlir::Type result)>;

/// For each result of `op` how its elements are computed, from elements of the
/// operands alone; none if `op` is not such an op. The functions live as long
/// as the process, and may be called by several threads.
llvm::ArrayRef<EvalElement> elementFunctions(mlir::Operation *op);

/// The result of math.exp.
Element exponential(const Element &x);

/// The element that an IntegerAttr or FloatAttr of `type` holds.
Element attributeElement(mlir::Type type, mlir::Attribute attribute);

/// An error at `op` that begins with its name.
mlir::InFlightDiagnostic errorAt(mlir::Operation *op);
/// An error at `op` that uses a poison element: `what`, and a note where the
/// element became poison.
mlir::InFlightDiagnostic poisonError(mlir::Operation *op,
                                     const Element &element,
                                     const llvm::Twine &what);
/// The first poison element, or null.
const Element *findPoison(llvm::ArrayRef<Element> elements);

} // namespace tilewright::reference
