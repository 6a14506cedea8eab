// By how much the results of a compiled model may differ from exact ones.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/support/Export.h"
#include "verify/validate/Program.h"
#include <functional>
#include <memory>

namespace tilewright::verify {

/// An output, as the reference computes it in the order of operations of the
/// target, which the target need not do bit by bit: its functions have errors
/// of their own.
struct BoundedOutput {
  runtime::HostTensor computed;
  /// By element, in row-major order: by how much at most what the target
  /// computes, and what the reference does, differ from the result in real
  /// arithmetic. Infinite where nothing is known; 0 or infinite for integers.
  std::vector<double> bounds;
};

struct ErrorBounds {
  /// In the order of the signature. None if the run is undetermined.
  std::vector<BoundedOutput> outputs;
  /// Why there are no bounds: a condition, an index or an address depends on
  /// rounding errors. Empty: there are.
  std::string undetermined = {};
  /// The kernels that were launched, in order.
  std::vector<std::string> launches = {};
};

struct BoundOptions {
  /// So many launches first make exact results.
  size_t exactLaunches = 0;
  /// A launch that takes longer, about, is an error; none: it may last.
  std::optional<RunTime> mostTime = std::nullopt;
};

/// By how much at most the numbers that one launch of a kernel writes differ
/// from exact ones, if those that it reads are taken as exact. Infinite where
/// nothing is known, also of a number that no other kernel reads.
struct KernelErrorBound {
  std::string kernel;
  double bound = 0;
};

/// A model, compiled for one target up to where its operations have their order
/// and functions of math are still ops: before the pass `lower-math`. For one
/// thread.
class BoundedProgram {
public:
  /// What tests call behind each pass, with its flag, to change what it has
  /// left: as if it were a wrong pass.
  using Hook = std::function<void(const std::string &pass, mlir::ModuleOp)>;

  /// Errors: those of the compilation; not one target, or one without threads;
  /// an op that the reference does not know.
  TILEWRIGHT_PRIVATE_API static StatusOr<std::unique_ptr<BoundedProgram>>
  open(const ModelSource &model, CompileModelOptions compile,
       const Hook &hook = nullptr);
  virtual ~BoundedProgram() = default;

  [[nodiscard]] virtual const Signature &signature() const = 0;
  /// Runs it on one tensor for each input. Errors: a fault of the program.
  virtual StatusOr<ErrorBounds> run(std::span<const runtime::HostTensor> inputs,
                                    const BoundOptions &options = {}) = 0;
  /// The launches of a run on these inputs, in order, each by itself. None if a
  /// run is undetermined.
  virtual StatusOr<std::vector<KernelErrorBound>>
  runByKernel(std::span<const runtime::HostTensor> inputs,
              const BoundOptions &options = {}) = 0;
};

} // namespace tilewright::verify
