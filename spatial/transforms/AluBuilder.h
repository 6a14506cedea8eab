//===- AluBuilder.h - Scalars of a body as operations on vectors -*- C++
//-*-===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_ALUBUILDER_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_ALUBUILDER_H

#include "spatial/transforms/Points.h"

namespace tilewright::spatial {

/// A scalar of a body at each of some points.
///
/// Integers of 8 and 16 bits, signless in a graph, are held by their signed
/// value; those of 64 bits by their low 32.
struct VectorScalar {
  /// Known: by vector and lane; one where all are equal. Integers only.
  std::vector<int64_t> known;
  /// Else vectors, or a number.
  Tensors::Operand operand;
  DType dtype = DType::F32;

  [[nodiscard]] bool isKnown() const { return !known.empty(); }
};

/// The type of a scalar on the machine; nothing if it has none.
[[nodiscard]] std::optional<DType> scalarType(mlir::Type type);

/// How many bits an integer or a real number has; an index has 64.
[[nodiscard]] unsigned widthOf(mlir::Type type);

/// Makes operations of the vector unit.
class AluBuilder {
public:
  /// For `count` vectors.
  AluBuilder(Tensors &tensors, mlir::Location where, int64_t count)
      : tensors(tensors), where(where), count(count) {}

  VectorScalar operator()(AluOp operation, DType type,
                          llvm::ArrayRef<VectorScalar> operands, DType result);
  /// The same on i32, and with a result of i32.
  VectorScalar integer(AluOp operation, llvm::ArrayRef<VectorScalar> operands) {
    return (*this)(operation, DType::I32, operands, DType::I32);
  }
  [[nodiscard]] static VectorScalar number(double value, DType dtype);
  [[nodiscard]] static VectorScalar integerNumber(int64_t value);
  /// Vectors or a number.
  Tensors::Operand operandOf(const VectorScalar &scalar);

private:
  Tensors &tensors;
  mlir::Location where;
  int64_t count;
};

/// The integers that an op of a body gives for known ones; nothing if it is
/// another op, or its operands are not known.
[[nodiscard]] std::optional<std::vector<int64_t>>
foldKnown(mlir::Operation *inner, llvm::ArrayRef<VectorScalar> operands);

/// Integers of a body that follow from the loops alone, at each point of a
/// list.
class KnownScalars {
public:
  explicit KnownScalars(const Points &points) : points(points) {}
  /// One for each point, or one where all are equal; nothing if it follows from
  /// data, or an op is not known.
  [[nodiscard]] std::optional<std::vector<int64_t>> get(mlir::Value value);

private:
  const Points &points;
  llvm::DenseMap<mlir::Value, VectorScalar> scalars;
};

/// An op of a body as operations of the vector unit; nothing if there are none.
[[nodiscard]] std::optional<VectorScalar>
lowerOperation(AluBuilder &alu, mlir::Operation *inner,
               llvm::ArrayRef<VectorScalar> operands);

/// The same for functions that the vector unit has no operation for, as
/// formulas of those that it has, which are within some ulp of f32.
[[nodiscard]] std::optional<VectorScalar>
lowerMathFunction(AluBuilder &alu, mlir::Operation *inner,
                  llvm::ArrayRef<VectorScalar> operands);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_ALUBUILDER_H
