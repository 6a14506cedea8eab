//===- Expressions.cpp - MLIR's sizes in the manifest's language ----------===//
#include "codegen/pipeline/Expressions.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

runtime::Expression toExpression(AffineExpr expr,
                                 ArrayRef<runtime::Expression> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return runtime::Expression(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  runtime::Expression lhs = toExpression(binary.getLHS(), symbols);
  runtime::Expression rhs = toExpression(binary.getRHS(), symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return runtime::floorDiv(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return runtime::ceilDiv(lhs, rhs);
  default:
    return runtime::mod(lhs, rhs);
  }
}

std::optional<runtime::DType> toDType(Type element) {
  using runtime::DType;
  using Result = std::optional<DType>;
  return TypeSwitch<Type, Result>(element)
      .Case<IntegerType>([](IntegerType type) -> Result {
        switch (type.getWidth()) {
        case 1:
          return DType::Bool;
        case 4:
          return DType::I4;
        case 8:
          return DType::I8;
        case 16:
          return DType::I16;
        case 32:
          return DType::I32;
        case 64:
          return DType::I64;
        default:
          return std::nullopt;
        }
      })
      .Case<Float16Type>([](Type) { return Result(DType::F16); })
      .Case<BFloat16Type>([](Type) { return Result(DType::BF16); })
      .Case<Float32Type>([](Type) { return Result(DType::F32); })
      .Case<Float64Type>([](Type) { return Result(DType::F64); })
      .Case<Float8E4M3FNType>([](Type) { return Result(DType::F8E4M3FN); })
      .Case<Float8E5M2Type>([](Type) { return Result(DType::F8E5M2); })
      .Case<Float4E2M1FNType>([](Type) { return Result(DType::F4E2M1FN); })
      .Case<Float8E8M0FNUType>([](Type) { return Result(DType::F8E8M0FNU); })
      .Default([](Type) { return Result(); });
}

} // namespace tilewright
