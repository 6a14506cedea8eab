// A model as a frontend read it, judged by another implementation of its
// format.
#pragma once

#include "verify/validate/KernelCheck.h"

namespace tilewright::verify {

/// Opens the other implementation, for a model with these inputs and outputs.
/// A run that it rejects, or does not survive, is unfinished. Error
/// `unsupported`: it cannot say anything of the model, for a reason that is
/// reported; others end the check.
using OpenOracle =
    std::function<StatusOr<std::unique_ptr<Program>>(const Signature &)>;

/// What is known of an import.
struct ImportVerdict {
  /// Of the pass "import".
  PassEvidence evidence;
  /// `before` is the oracle, `after` the model as it was read.
  std::optional<Counterexample> counterexample;
  /// The ports of the counterexample.
  Signature signature;
  /// Whether the model is too large for the reference, so that what it compiles
  /// to was run in its place.
  bool isCompiled = false;
};

/// Compares a model, as it was read for the targets of `compile`, with the
/// oracle, on inputs as checkModel() has them. An element is right if it is in
/// the set that the model permits with all roundings open, widened
/// (docs/verification.md#the-import). Errors: those of an import; the model is
/// no graph; the oracle runs on none of the inputs.
TILEWRIGHT_PRIVATE_API StatusOr<ImportVerdict>
checkImport(const ModelSource &model, CompileModelOptions compile,
            const OpenOracle &open, const ModelCheckOptions &options);

} // namespace tilewright::verify
