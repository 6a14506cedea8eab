//===- TunableModule.h - Tile kernels whose tunables are open ---*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_TUNABLEMODULE_H
#define TILEWRIGHT_LIBRARY_COMPILER_TUNABLEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tileir/text/Template.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/GpuSchedule.h"
#include "tilewright/compiler/TileModule.h"
#include "tilewright/mlir/Tile.h"
#include "tilewright/support/Diagnostic.h"

namespace tilewright {

/// A verified kernel whose tunables are bound, alone with the functions of its
/// module.
struct BoundKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
  /// The values of all tunables.
  std::map<std::string, int64_t> tunables;
  /// A schedule that counts more than the kernel's own: for a GPU, or a CPU.
  std::optional<schedule::GpuSchedule> schedule;
  std::optional<schedule::CpuSchedule> cpuSchedule;
};

/// A tile-level module with tunables: those of a template
/// (tileir/text/Template.h), and ops tile.tunable. It is used with one context.
///
/// The messages of errors begin with NAME:LINE:COLUMN: as far as that is known.
/// Where a function takes `diagnostics`, errors are appended to them as well,
/// with a code each: parse, invalid_ir, kernel or tunable.
class TunableModule {
public:
  /// Parses text or bytecode; the numbers of a template have their defaults.
  /// Errors: a malformed template; text that is no valid module.
  static StatusOr<TunableModule>
  parse(mlir::MLIRContext &context, TileModule source,
        std::vector<Diagnostic> *diagnostics = nullptr);

  /// Of a verified module with this text.
  TunableModule(mlir::OwningOpRef<mlir::ModuleOp> module, TileModule source)
      : source(std::move(source)), parsed(std::move(module)) {}

  /// The text that was parsed, unexpanded.
  [[nodiscard]] const std::string &text() const { return source.code; }
  [[nodiscard]] mlir::ModuleOp module() const { return *parsed; }

  /// The tunables of a kernel in module(): the template's, then those of ops in
  /// it and in the module's functions.
  [[nodiscard]] std::vector<tile::Tunable>
  tunables(tile::KernelOp kernel) const;

  /// Binds the tunables of one kernel, as findKernel() finds it; missing values
  /// are the defaults. Errors: those of findKernel() and parse(); no such
  /// tunable, or no such value of it; an illegal combination of values.
  StatusOr<BoundKernel>
  bind(llvm::StringRef kernel, const std::map<std::string, int64_t> &values,
       std::vector<Diagnostic> *diagnostics = nullptr) const;

private:
  TunableModule(TileModule source, tile::Template pieces)
      : source(std::move(source)), pieces(std::move(pieces)) {}

  TileModule source;
  tile::Template pieces;
  mlir::OwningOpRef<mlir::ModuleOp> parsed;
};

/// The module's tile.kernel of this name; the only one for an empty name.
/// Errors list the kernels: no such name, or several kernels and no name.
StatusOr<tile::KernelOp> findKernel(mlir::ModuleOp module,
                                    llvm::StringRef name = {});

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_TUNABLEMODULE_H
