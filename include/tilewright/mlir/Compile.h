//===- Compile.h - From a tile kernel to a kernel image ---------*- C++ -*-===//
#ifndef TILEWRIGHT_MLIR_COMPILE_H
#define TILEWRIGHT_MLIR_COMPILE_H

#include "mlir/Support/Timing.h"
#include "tilewright/codegen/CodeOptions.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/CpuTarget.h"
#include "tilewright/codegen/KernelImage.h"
#include "tilewright/manifest/Remark.h"
#include "tilewright/mlir/Tile.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"

namespace tilewright {

/// The budget's time and memory are looked at from stage to stage and in LLVM's
/// passes, unless there is a control.
struct CompileOptions : CodeOptions {
  /// Fill in the texts of the stages.
  bool wantText = false;
  /// For a GPU: fill in the explanation.
  bool wantExplanation = false;
  /// The schedule for a GPU; without one, the default of its work.
  std::optional<schedule::GpuSchedule> schedule;
  /// The schedule for a CPU; what it leaves out is chosen. Its tunables are
  /// those that the kernel was bound with.
  std::optional<schedule::CpuSchedule> cpuSchedule;
  /// Where passes and stages are timed; null if they are not.
  mlir::TimingScope *timing = nullptr;
  /// What may end the work early. The caller watches the kernel's context
  /// (ControlContext). Null: `budget` alone ends it, with the error.
  CompilationControl *control = nullptr;
  /// Where diagnostics and remarks go as data; null if they are not wanted. The
  /// message of an error has its diagnostics as text in any case.
  std::vector<Diagnostic> *diagnostics = nullptr;
  std::vector<Remark> *remarks = nullptr;
};

/// Whether a control ended the compilation.
inline bool isStopped(const CompileOptions &options) {
  return options.control && options.control->stopped();
}

/// Compiles one tile.kernel for a CPU. `kernel` is read only, its context was
/// prepared. Safe to call from several threads on kernels of one context. An
/// error names the op.
TILEWRIGHT_API StatusOr<KernelImage>
compile(tile::KernelOp kernel, const cpu::CpuTarget &target,
        const CompileOptions &options = {});

/// The schedule of a kernel for which none is given.
TILEWRIGHT_API schedule::ExplainedSchedule
defaultSchedule(tile::KernelOp kernel, const target::GpuTarget &target);

/// A copy of `kernel`, in a module of its own, at the scheduled level: what
/// compile() makes code of.
TILEWRIGHT_API StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
scheduleForGpu(tile::KernelOp kernel, const target::GpuTarget &target,
               const schedule::GpuSchedule &schedule, mlir::TimingScope &timing,
               const CompileOptions &options = {});

/// The same for a GPU, as PTX.
TILEWRIGHT_API StatusOr<KernelImage>
compile(tile::KernelOp kernel, const target::GpuTarget &target,
        const CompileOptions &options = {});

/// The same for the device "interpreter", which runs the kernel as it is.
TILEWRIGHT_API StatusOr<KernelImage>
compileForInterpreter(tile::KernelOp kernel);

/// The image for the device "interpreter" of the one kernel of a module as a
/// pass of a pipeline left it: at the tile level, the scheduled level, or as a
/// function with a `tile.signature`. The module is copied. Where the pass
/// `insert-barriers` is still to come, `awaitsBarriers`, each op of the
/// scheduled level waits for those before it. Errors: there is no kernel or are
/// several, or an attribute that a launch needs is missing.
TILEWRIGHT_API StatusOr<KernelImage> levelImage(mlir::ModuleOp module,
                                                bool awaitsBarriers = false);

/// The image of a kernel that is in the llvm dialect: of a module that the
/// pipeline "tile-to-llvm-on-cpu" left.
TILEWRIGHT_API StatusOr<KernelImage> makeImage(mlir::ModuleOp module,
                                               const cpu::CpuTarget &target,
                                               const CompileOptions &options);
/// The same of "tile-to-llvm-on-gpu".
TILEWRIGHT_API StatusOr<KernelImage> makeImage(mlir::ModuleOp module,
                                               const target::GpuTarget &target,
                                               const CompileOptions &options);

/// Registers all dialects that compilation and the tile level use.
TILEWRIGHT_API void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Registers and loads them in `context`; once, before compile() and before
/// other threads use it.
TILEWRIGHT_API void prepareContext(mlir::MLIRContext &context);

} // namespace tilewright

#endif // TILEWRIGHT_MLIR_COMPILE_H
