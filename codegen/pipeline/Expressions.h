//===- Expressions.h - MLIR's sizes in the manifest's language --*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_EXPRESSIONS_H
#define TILEWRIGHT_CODEGEN_PIPELINE_EXPRESSIONS_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Types.h"
#include "tilewright/manifest/DType.h"
#include "tilewright/manifest/Expression.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace tilewright {

/// `expr` as a manifest expression; symbol i is symbols[i]. The expression has
/// no dims.
runtime::Expression toExpression(mlir::AffineExpr expr,
                                 llvm::ArrayRef<runtime::Expression> symbols);

/// The manifest's type of a tensor's element; none for index and types that
/// cannot be in memory. Signless integers are signed, i1 is bool.
std::optional<runtime::DType> toDType(mlir::Type element);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_EXPRESSIONS_H
