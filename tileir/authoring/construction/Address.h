// A view and offsets in it. Not for users.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_ADDRESS_H
#define TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_ADDRESS_H

#include "tileir/authoring/construction/KernelBuilder.h"

namespace tilewright::authoring::detail {

struct PlacedView {
  KernelBuilder &c;
  mlir::TypedValue<tile::ViewType> view;
  /// An index for each dimension.
  llvm::SmallVector<mlir::Value> at;

  /// None where there is an error, now or before.
  static std::optional<PlacedView> of(Handle view, const Address &address,
                                      const std::source_location &where);
};

} // namespace tilewright::authoring::detail

#endif // TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_ADDRESS_H
