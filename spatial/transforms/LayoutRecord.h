//===- LayoutRecord.h - What --explain says of layouts ----------*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_LAYOUTRECORD_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_LAYOUTRECORD_H

#include "spatial/transforms/Tensors.h"

namespace tilewright::spatial {

/// Says of each tensor that an op computes how its vectors hold it, and whether
/// its operands lay so (kLayoutsAttr of Passes.h).
class LayoutRecord {
public:
  explicit LayoutRecord(Tensors &tensors) : tensors(tensors) {}

  /// Before the lowering of an op: what is arranged already.
  void begin();
  /// After it.
  void end(mlir::Operation *op);
  /// An input, when all is lowered.
  void addInput(mlir::BlockArgument input);

  [[nodiscard]] mlir::ArrayAttr entries() const;

private:
  enum class Lies : uint8_t { inPlace, elsewhere, constant };

  void add(llvm::StringRef label, int64_t tensor, mlir::ArrayAttr operands);
  [[nodiscard]] Lies liesOf(mlir::OpOperand &operand, int64_t result) const;
  [[nodiscard]] mlir::ArrayAttr operandsOf(mlir::Operation *op,
                                           int64_t result) const;
  [[nodiscard]] bool isInLane(ElementId id, int64_t lane) const;

  Tensors &tensors;
  /// By tensor: how many arrangements it had.
  std::vector<size_t> before;
  std::vector<mlir::Attribute> list;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_LAYOUTRECORD_H
