// The values that handles stand for. Not for users.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_HANDLES_H
#define TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_HANDLES_H

#include "tileir/authoring/construction/KernelBuilder.h"

namespace tilewright::authoring {

/// The value of a handle; null where there is an error, now or before: it is
/// empty, belongs to another kernel, or to a body that has ended.
mlir::Value valueOf(KernelBuilder &c, detail::Handle handle,
                    const std::source_location &where);
/// False where one is null.
bool valuesOf(KernelBuilder &c, const detail::Handles &handles,
              const std::source_location &where,
              llvm::SmallVectorImpl<mlir::Value> &values);

/// Empty for a null value.
detail::Handle handleOf(const KernelBuilder &c, mlir::Value value);
detail::Handles handlesOf(const KernelBuilder &c, mlir::ValueRange values);

} // namespace tilewright::authoring

#endif // TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_HANDLES_H
