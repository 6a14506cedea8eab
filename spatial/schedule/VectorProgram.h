//===- VectorProgram.h - A program on vectors as tables ---------*- C++ -*-===//
//
// What each vector is made of, by number: selections are looked through, and
// ops that make the same vectors are one.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SPATIAL_SCHEDULE_VECTORPROGRAM_H
#define TILEWRIGHT_SPATIAL_SCHEDULE_VECTORPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "spatial/ir/Spatial.h"
#include "spatial/program/Schedule.h"
#include "spatial/schedule/Timetable.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::spatial {

/// An op that takes instructions.
struct VectorOp {
  mlir::Operation *op = nullptr;
  uint32_t value = 0;
  /// By operand, and within it as the op's indices say.
  std::vector<std::vector<Ref>> operands;

  /// Calls `visit(operand, i, ref)` for each vector that is read, where i is
  /// the number of the index; rows of weights and tables, and blocks that are
  /// transposed, have one index.
  template <typename Visit> void forReads(Visit visit) const {
    for (size_t operand = 0; operand < operands.size(); ++operand)
      for (size_t i = 0; i < operands[operand].size(); ++i)
        for (int64_t k = 0; k < spanOf(operand); ++k)
          visit(operand, i,
                Ref{operands[operand][i].value,
                    operands[operand][i].index + static_cast<int32_t>(k)});
  }
  /// How many vectors an index of an operand stands for.
  [[nodiscard]] int64_t spanOf(size_t operand) const;

  [[nodiscard]] VectorAluOp alu() const {
    return mlir::dyn_cast<VectorAluOp>(op);
  }
};

/// Units that read a value.
struct Readers {
  bool alus = false, planes = false, ports = false, gathers = false;
  /// Rows of weights.
  bool loads = false;
  /// How many reads there are.
  int64_t reads = 0;
};

class VectorProgram {
public:
  explicit VectorProgram(mlir::func::FuncOp function);

  mlir::func::FuncOp function;
  std::vector<Value> values;
  std::vector<VectorOp> ops;
  /// By value: the op that makes it, or -1.
  std::vector<int32_t> makers;

  [[nodiscard]] uint32_t numberOf(mlir::Value value) const {
    return numbers.lookup(value);
  }
  /// All vectors of the program, by number.
  [[nodiscard]] size_t flat(const Ref &ref) const {
    return bases[ref.value] + ref.index;
  }
  [[nodiscard]] size_t vectors() const { return total; }
  /// Another value, which no op of the program makes.
  uint32_t addValue(llvm::StringRef prefix, DType dtype, int64_t count);

private:
  void addOp(mlir::Operation *op);
  /// An op before this one that makes the same vectors.
  [[nodiscard]] mlir::Operation *findEqual(mlir::Operation *op);
  [[nodiscard]] Ref resolve(mlir::Value value, int32_t index) const;

  llvm::DenseMap<mlir::Value, uint32_t> numbers;
  /// What stands for a value that is made twice.
  llvm::DenseMap<mlir::Value, mlir::Value> leaders;
  llvm::DenseMap<size_t, llvm::SmallVector<mlir::Operation *, 1>> known;
  std::vector<size_t> bases;
  size_t total = 0;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_VECTORPROGRAM_H
