//===- ScheduleFacts.h - What a scheduled op will do, and why ---*- C++ -*-===//
//
// For explanations and remarks: of ops at the last form of the scheduled level.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_SCHEDULEFACTS_H
#define TILEWRIGHT_CODEGEN_PIPELINE_SCHEDULEFACTS_H

#include "codegen/layout/Access.h"
#include "codegen/layout/Conversion.h"
#include "codegen/tilegpu/TileGpu.h"

namespace tilewright {

/// How each thread accesses its part of a tile of a view.
struct ViewAccess {
  /// Accesses, and the bits of each.
  size_t count = 0;
  unsigned bits = 0;
  /// Why they are narrower than the hardware allows; empty if they are not.
  std::string limit;
  /// What the author of the kernel may do about it.
  std::string remedy;
  /// The most bits that one access moves.
  static constexpr unsigned widest = 128;
};
ViewAccess viewAccess(tile::ViewAccessOpInterface op);

/// How a tile gets from one layout to another.
StatusOr<layout::ConversionPlan> conversionPlan(tilegpu::ConvertLayoutOp op);

/// How threads access a whole tile in shared memory; rejected where they do it
/// element by element.
StatusOr<layout::SharedAccess> sharedAccess(tilegpu::StoreSharedOp op,
                                            mlir::Value tile);
StatusOr<layout::SharedAccess> sharedAccess(tilegpu::LoadSharedOp op,
                                            mlir::Value tile);

/// Why a dot is multiplied and added, or what was decided about a loop or a
/// load
/// (`tilegpu.reason`); empty where nothing says.
std::string reasonOf(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_SCHEDULEFACTS_H
