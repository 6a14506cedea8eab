// The operands of an elementwise operation, brought to one shape. Not for
// users.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_ELEMENTWISE_H
#define TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_ELEMENTWISE_H

#include "tileir/authoring/construction/KernelBuilder.h"

namespace tilewright::authoring::detail {

struct Elementwise {
  KernelBuilder &c;
  std::source_location where;
  llvm::SmallVector<mlir::Value, 3> values;

  /// None after an error, now or before. `name` is for the message.
  static std::optional<Elementwise>
  of(llvm::StringRef name, llvm::ArrayRef<const Operand *> operands,
     llvm::ArrayRef<ElementTraits> operandTraits);
};

} // namespace tilewright::authoring::detail

#endif // TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_ELEMENTWISE_H
