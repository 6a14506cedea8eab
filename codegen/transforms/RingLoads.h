//===- RingLoads.h - Loads that a loop can start early ----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_RINGLOADS_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_RINGLOADS_H

#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// A load in the body of a loop whose tile goes to shared memory and nowhere
/// else. All that it needs is known iterations before.
struct RingLoad {
  tile::ViewAccessOpInterface load;
  /// The transposes and reshapes between, and at the end perhaps a conversion.
  llvm::SmallVector<mlir::Operation *> between;
  StoreSharedOp store;
  AllocOp memory;
  /// Empty: cp.async copies it. Else it goes through registers, because of
  /// this.
  std::string throughRegisters;
};

/// Rejected with what keeps `load` from being started iterations early.
StatusOr<RingLoad> ringLoad(tile::ViewAccessOpInterface load,
                            mlir::scf::ForOp loop, bool hasAsyncCopies);
/// Whether `op` reads a tile of a view, and does nothing else.
bool isLoad(mlir::Operation &op);

/// The ops in the body of `loop` that compute operands of the loads, in order.
llvm::SmallVector<mlir::Operation *>
operandSlice(llvm::ArrayRef<RingLoad> loads, mlir::scf::ForOp loop);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_RINGLOADS_H
