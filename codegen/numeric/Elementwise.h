//===- Elementwise.h - Ops that work element by element ---------*- C++ -*-===//
//
// Emits the ops of arith and math, tile.convert and tile.philox on scalars or
// vectors in place of tiles, for hosts and GPUs alike. Elements have the types
// of ElementTypes.h.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_NUMERIC_ELEMENTWISE_H
#define TILEWRIGHT_CODEGEN_NUMERIC_ELEMENTWISE_H

#include "codegen/numeric/FloatBits.h"

namespace tilewright::numeric {

/// Whether Elementwise emits the op, or ops of that name.
bool isElementwise(mlir::Operation *op);
bool isElementwise(mlir::OperationName op);

/// Whether it divides integers: quotients and remainders of any rounding.
bool isIntegerDivision(mlir::Operation *op);

/// The value, or any one value where it is poison, so that LLVM concludes
/// nothing from it: for what decides a branch or an address in lanes that do
/// not count. Integers and indices, scalars or vectors.
mlir::Value frozen(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);

class Elementwise {
public:
  Elementwise(mlir::OpBuilder &builder, mlir::Location loc,
              const Hardware &hardware = {})
      : b(builder), loc(loc), hardware(hardware), bits(builder, loc, hardware) {
  }

  /// The results of an op that isElementwise, for `operands`: all scalars, or
  /// vectors of one size (with vectors, the condition of a select may be a
  /// scalar). Each result is rounded once.
  llvm::SmallVector<mlir::Value> emit(mlir::Operation *op,
                                      mlir::ValueRange operands);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  Values clone(mlir::Operation *op, mlir::ValueRange operands,
               bool widens = false);
  Values emitNarrowFloat(mlir::Operation *op, mlir::ValueRange operands);
  mlir::Value emitCopySign(mlir::Type element, mlir::ValueRange operands);
  mlir::Value emitBitcast(mlir::Operation *op, mlir::Value operand);
  mlir::Value emitCast(mlir::Operation *op, mlir::Value operand);
  mlir::Value emitScaling(mlir::Operation *op, mlir::ValueRange operands);
  /// Of the ops that are put together from others: null for the rest.
  mlir::Value emitComposed(mlir::Operation *op, mlir::ValueRange operands);
  mlir::Value emitKindTest(mlir::Operation *op, mlir::Value x);
  /// Of ops that may be approximated, where the machine can: null for the rest.
  mlir::Value emitApproximate(mlir::Operation *op, mlir::ValueRange operands);
  // Division.cpp
  mlir::Value emitDivision(mlir::Operation *op, mlir::Value x, mlir::Value y);
  // Remainder.cpp
  mlir::Value emitRemainder(mlir::Value x, mlir::Value y);
  // Convert.cpp
  mlir::Value emitConvert(tile::ConvertOp op, mlir::ValueRange operands);
  Values emitPhilox(mlir::ValueRange operands);

  mlir::OpBuilder &b;
  mlir::Location loc;
  Hardware hardware;
  FloatBits bits;
};

} // namespace tilewright::numeric

#endif // TILEWRIGHT_CODEGEN_NUMERIC_ELEMENTWISE_H
