//===- BundleCombiner.h - Vectors and lanes of equal results ----*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_BUNDLECOMBINER_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_BUNDLECOMBINER_H

#include "mlir/IR/BuiltinAttributes.h"
#include "spatial/transforms/Tensors.h"

namespace tilewright::spatial {

/// Vectors that are combined to one, lane by lane.
struct Bundle {
  /// By lane, the result's element, or -1.
  llvm::SmallVector<int32_t> results;
  std::vector<Tensors::Vector> vectors;
};

/// Combines vectors, and lanes of vectors, by the operation of a reduction.
class BundleCombiner {
public:
  struct Operation {
    AluOp op = AluOp::add;
    DType type = DType::F32;
    /// Of the vectors.
    DType held = DType::F32;
    mlir::TypedAttr neutral;
  };
  /// `precision` is the type of factors, where lanes are summed by products.
  BundleCombiner(Tensors &tensors, mlir::Location where, Operation operation,
                 DType precision)
      : tensors(tensors), where(where), operation(operation),
        precision(precision), lanes(tensors.machine.lanes) {}

  /// Leaves one vector in each bundle, by the same ops for all bundles.
  void combineVectors(llvm::MutableArrayRef<Bundle> bundles);
  /// Whether the machine can combine lanes: all of those with results must be
  /// of one result, from lane 0 on.
  [[nodiscard]] bool canCombineLanes(llvm::ArrayRef<Bundle> bundles) const;
  /// Combines lanes, so that each result is in one place, or in several that
  /// are equal.
  void combineLanes(std::vector<Bundle> &bundles);
  /// Combines each vector of `a` with that of `b`.
  Reads combine(const Reads &a, const Reads &b) {
    return onAll(operation.op, {{a}, {b}}, a.indices.size());
  }

private:
  /// One operation on `count` vectors of each operand; the result is held as
  /// the others if it has no type of its own.
  Reads onAll(AluOp op, llvm::ArrayRef<Tensors::Operand> operands, size_t count,
              std::optional<DType> result = std::nullopt);
  Reads vectorsOf(llvm::ArrayRef<Bundle> bundles);
  Reads mapLanes(const Reads &reads, llvm::ArrayRef<int32_t> map);
  void fillLanes(llvm::MutableArrayRef<Bundle> bundles, int64_t count,
                 int64_t end);
  [[nodiscard]] std::optional<DType> factorOfSums(int64_t count) const;
  [[nodiscard]] bool prefersTransposes(int64_t vectors, int64_t count) const;
  bool sumByOnes(llvm::MutableArrayRef<Bundle> bundles, int64_t count,
                 int64_t unit);
  bool foldByTransposes(std::vector<Bundle> &bundles, int64_t count);
  Reads halveLanes(Reads reads, int64_t count, int64_t unit);

  Tensors &tensors;
  mlir::Location where;
  Operation operation;
  DType precision;
  int64_t lanes;
};

/// Bundles with the vectors of all that have the same results.
std::vector<Bundle> bundlesByResults(llvm::ArrayRef<Bundle> bundles);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_BUNDLECOMBINER_H
