// The instruction that was chosen for a dot, in the IR.
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_INSTRUCTIONS_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_INSTRUCTIONS_H

#include "codegen/target/MatrixInstruction.h"
#include "codegen/tilegpu/TileGpu.h"

namespace tilewright::tilegpu {

/// What computes a dot.
struct InstructionChoice {
  /// Null: multiplications and additions.
  const target::MatrixInstruction *instruction = nullptr;
  /// Why there is none, or not a faster one that the precision allows.
  std::string reason;
  /// The operands that the instruction multiplies.
  struct Operands {
    enum class Origin : uint8_t { asTheyAre, beforeExtension, widened };
    mlir::Type lhs = {}, rhs = {};
    bool isLhsUnsigned = false, isRhsUnsigned = false;
    Origin origin = Origin::asTheyAre;
  } operands = {};
};

/// `wanted`, if not null, is the only instruction that may be chosen.
InstructionChoice
chooseInstruction(tile::ContractionOpInterface op,
                  const target::GpuTarget &target,
                  const target::MatrixInstruction *wanted = nullptr);

/// The same for the GPU of the module; where that names none, no instruction.
InstructionChoice
chooseInstruction(tile::ContractionOpInterface op,
                  const target::MatrixInstruction *wanted = nullptr);

/// The matrix instruction that `choose-instructions` wrote on a dot; null where
/// it is multiplied and added.
inline const target::MatrixInstruction *instructionOf(mlir::Operation *dot) {
  auto name =
      dot->getAttrOfType<mlir::StringAttr>(TileGpuDialect::kInstructionAttr);
  return name ? target::findMatrixInstruction(name.getValue()) : nullptr;
}

/// The precision of a dot; that of scaled dots is ieee.
tile::DotPrecision precisionOf(tile::ContractionOpInterface op);

/// The type of elements that threads, and matrix instructions of 16-bit floats,
/// multiply in place of `element`, exactly: of a byte at least, and floats of
/// 16 bits.
mlir::Type widenedElement(mlir::Type element, mlir::Type acc);
/// Converts the operands of a dot without scales to these types.
void widenOperands(tile::ContractionOpInterface op);

/// Whether an operand is lhs or rhs of a dot that a matrix instruction
/// computes.
inline bool isMatrixOperand(mlir::OpOperand &operand) {
  mlir::Operation *op = operand.getOwner();
  return operand.getOperandNumber() < 2 &&
         llvm::isa<tile::ContractionOpInterface>(op) && instructionOf(op);
}

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_INSTRUCTIONS_H
