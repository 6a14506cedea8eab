//===- ReadKernel.h - The kernel that a request names -----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_READKERNEL_H
#define TILEWRIGHT_LIBRARY_COMPILER_READKERNEL_H

#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/compiler/CompileRequest.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright {

/// A kernel that is ready to be lowered: verified, without calls, its tunables
/// bound, alone in its module.
struct BoundKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
  /// The request's schedule, if it has one: for a GPU, or for a CPU.
  std::optional<schedule::GpuSchedule> schedule;
  std::optional<schedule::CpuSchedule> cpuSchedule;
  /// The values of all tunables.
  std::map<std::string, int64_t> tunables;
};

/// Reads the kernel of `request` into `context`. Diagnostics go to
/// `diagnostics`; on failure the last one has the code. `control` gets the
/// phases.
StatusOr<BoundKernel> readKernel(const CompileRequest &request,
                                 mlir::MLIRContext &context,
                                 CompilationControl &control,
                                 std::vector<Diagnostic> &diagnostics);

/// Removes all but `kernel` from `module`, and inlines its calls.
void isolate(mlir::ModuleOp module, tile::KernelOp kernel);

/// The module as text, in MLIR's default form.
std::string printModule(mlir::ModuleOp module, bool withLocations);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_READKERNEL_H
