// What a graph computes in exact arithmetic.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "verify/validate/Program.h"
#include "llvm/ADT/APFloat.h"

namespace tilewright::verify {

/// Elements of one output.
struct ExactOutput {
  runtime::Shape shape;
  /// In row-major order; each once, in no order.
  std::vector<int64_t> positions;
  /// Of each position the number, as f128; integers, too.
  std::vector<llvm::APFloat> numbers;
};

struct ExactOptions {
  /// So many elements of each output, its corners among them, or all.
  int64_t samples = 1000;
  uint64_t seed = 0;
  /// Behind so many ops no further element is computed.
  uint64_t mostOps = UINT64_MAX;
};

/// The outputs of `graph` for these inputs. Errors: an op has no meaning in
/// exact arithmetic; a fault; the limit is reached before an output has an
/// element.
StatusOr<std::vector<ExactOutput>>
exactResults(mlir::func::FuncOp graph, const Signature &signature,
             std::span<const runtime::HostTensor> inputs,
             const ExactOptions &options);

} // namespace tilewright::verify
