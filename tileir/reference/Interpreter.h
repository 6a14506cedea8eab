// The reference interpreter: executes tile kernels on a CPU, slowly and simply,
// and is the oracle in every comparison. It shares no code with any lowering.
// Each op does what docs/spec.md says, element by element.
//
// Where the specification leaves freedom:
// - programs run one after the other, in an order that a seed can shuffle;
// - a reduce combines from the first element to the last;
// - a dot adds products in double (in integers: modulo 2^width) and rounds
// once;
// - math functions are the host's, in double, rounded once to the type.
//
// A fault of the program (an access out of bounds, a read of memory never
// written, use of poison, a failed assertion) is an error diagnostic at the op.
#pragma once

#include "tileir/reference/Memory.h"
#include "tileir/reference/TileValue.h"
#include "tilewright/mlir/Tile.h"
#include <chrono>
#include <functional>
#include <optional>

namespace tilewright::reference {

class OpTable;

struct LaunchOptions {
  /// 0: programs in order of their linear id. Otherwise they are shuffled by
  /// this seed.
  uint64_t orderSeed = 0;
  /// Runs only so many programs, those of chosenPrograms(); 0: all.
  int64_t mostPrograms = 0;
  /// Ops that all programs together may execute.
  int64_t stepLimit = 1'000'000'000;
  /// When the launch is given up; none: it may last.
  std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt;
  /// Set to true where one of these limits is why a launch fails. May be null.
  bool *reachedLimit = nullptr;
  /// Gets the lines of tile.print, without their ends; none: they are dropped.
  std::function<void(llvm::StringRef)> prints;
  /// Evaluations of ops beyond the tile level; null: none. Not owned.
  const OpTable *moreOps = nullptr;
  /// Programs along each grid dimension; without it, the kernel's own grid.
  std::optional<llvm::SmallVector<int64_t>> grid = std::nullopt;
  /// What else than the computed values is permitted: memory then has a shadow
  /// (Memory::getShadow), and Memory::load gives elements with their sets.
  FreedomOptions freedom = {};
  /// Where a launch ended because it would need a value that has several
  /// permitted ones: it then fails without an error. Null: it is an error. Not
  /// owned.
  Undetermined *undetermined = nullptr;
};

/// The number of programs along each grid dimension, for these arguments, on a
/// device of one multiprocessor.
/// Fails with a diagnostic if the arguments do not fit the kernel.
mlir::FailureOr<llvm::SmallVector<int64_t>>
evaluateGrid(tile::KernelOp kernel, llvm::ArrayRef<Value> arguments);

/// Runs all programs of `kernel`. There is one argument for each parameter: a
/// ViewValue for a view, else a TileValue with one element. Fails with an error
/// diagnostic at the faulty op; memory then has the writes before it.
mlir::LogicalResult interpretKernel(tile::KernelOp kernel,
                                    llvm::ArrayRef<Value> arguments,
                                    Memory &memory,
                                    const LaunchOptions &options = {});

/// Runs one device function and returns its results.
mlir::FailureOr<llvm::SmallVector<Value>>
interpretFunction(tile::FuncOp function, llvm::ArrayRef<Value> arguments,
                  Memory &memory, const LaunchOptions &options = {});

} // namespace tilewright::reference
