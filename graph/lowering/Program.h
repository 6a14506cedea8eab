//===- Program.h - The modules of a lowered graph ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_PROGRAM_H
#define TILEWRIGHT_GRAPH_LOWERING_PROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/mlir/Tile.h"
#include <map>
#include <string>

namespace tilewright::graph {

/// What a module's graph is compiled for, in order.
llvm::SmallVector<tile::TargetAttr> targetsOf(mlir::ModuleOp module);
void setTargets(mlir::ModuleOp module,
                llvm::ArrayRef<tile::TargetAttr> targets);

/// The target whose schedules a target uses: the interpreter uses the CPU's.
llvm::StringRef scheduleKey(tile::TargetAttr target);

/// What was chosen for one group and one target, an entry of its `schedules`.
struct GroupSchedule {
  /// How it is tiled (Tiling.h); null: as is best by itself.
  tile::ScheduleAttr tiling;
  /// The rest; null: the default of the kernel's work.
  tile::ScheduleAttr schedule;
  /// Where it is from, for the record; may be empty.
  std::string origin;

  /// `tiling` by name.
  [[nodiscard]] std::map<std::string, int64_t> tilingValues() const;
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
  /// Of nothing where `entry` is null.
  static GroupSchedule of(mlir::DictionaryAttr entry);
};

/// The modules of kernels that convert-graph-to-tile made, that of the CPU
/// first.
llvm::SmallVector<mlir::ModuleOp> kernelModules(mlir::ModuleOp module);
/// The modules with one user's kernel, and its callees.
llvm::SmallVector<mlir::ModuleOp> userModules(mlir::ModuleOp module);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_PROGRAM_H
