// A model at each level of its compilation, compared with the level before.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/support/Export.h"
#include "verify/validate/Search.h"

namespace tilewright {
class ModelLevels;
} // namespace tilewright

namespace tilewright::verify {

/// What is known of one pass of a compilation.
struct PassEvidence {
  enum class Kind : uint8_t {
    /// It left the module as it was.
    unchanged,
    /// What it left was compared with what was before.
    tested,
    /// What it left cannot be executed; the next level that can is compared
    /// with the last one before.
    unchecked
  };
  /// As in --stop-after; "llvm" for what LLVM does behind them all.
  std::string pass;
  Relation relation;
  /// Not that of a plug-in's pass which declares no relation, and is taken for
  /// exact.
  bool isDeclared = true;
  Kind kind = Kind::unchanged;
  /// Runs in which the level before was defined.
  int64_t cases = 0;
  /// Of the elements of the outputs those that were compared in each of them.
  double share = 1;
  /// Why it is unchecked.
  std::string reason;
};

/// One of LLVM's passes.
struct LlvmPass {
  /// "instcombine", and the function or the like that it changed.
  std::string pass, where;
  /// Of the optional passes that ran, each on one function: with the first
  /// `number` the code is wrong, with one less it is right. 0: it is wrong
  /// without any.
  int64_t number = 0, count = 0;
};

/// The first pass that did not keep its relation.
struct Guilty {
  /// Several with commas, where no level between them can be executed.
  std::string pass;
  Relation relation;
  /// The levels before and behind it, as files of --stop-after.
  std::string before, after;
  /// The same as `before` with as few ops as were found.
  std::string reproducer;
  /// Of the passes "llvm": the one, where it was found.
  std::optional<LlvmPass> llvmPass = {};
};

struct LevelsVerdict {
  std::vector<std::string> targets;
  std::vector<PassEvidence> passes;
  std::optional<Guilty> guilty;
  std::optional<Counterexample> counterexample;
  /// The ports of the counterexample.
  Signature signature;
};

/// A run on which two levels are known to differ.
struct Replay {
  std::vector<runtime::HostTensor> inputs;
  /// In which of its ways the second one runs.
  unsigned order = 0;
};

struct LevelOptions {
  uint64_t seed = 0;
  /// For the runs of one level.
  std::chrono::duration<double> time{2};
  /// Inputs on which all levels run.
  int64_t cases = 64;
  std::function<bool()> isStopped = {};
  /// A run that takes longer is given up.
  std::chrono::duration<double> timeOfRun{10};
  /// Only this is tried. The inputs fit the model.
  std::optional<Replay> replay = {};
  /// Inputs of the first case. None, or others than the program takes: all are
  /// made.
  std::vector<runtime::HostTensor> inputs = {};
  /// What is computed of the outputs. The other cases then have the sizes of
  /// the first one.
  Sample sample = {};
  /// Then the passes that are left run without being judged one by one.
  std::optional<std::chrono::steady_clock::time_point> end = {};
  /// Whether the code for this machine is run, too. That of a file of
  /// --stop-after does whatever the file says.
  bool runsCode = true;
  /// How many passes run at most.
  size_t mostPasses = SIZE_MAX;
  /// Whether a smaller counterexample, and a smaller program that shows it, are
  /// looked for, which takes up to a minute.
  bool reduces = true;
  /// Of tests: called behind each pass, with its flag, to change what it has
  /// left, as if it were a wrong pass.
  std::function<void(const std::string &pass, mlir::ModuleOp)> hook = {};
};

/// Compiles a model for the targets of `compile`, or a file that a compilation
/// stopped at for its own, pass by pass, and runs each level on the same
/// inputs. Errors: those of an import; the model is defined on no inputs; a
/// pass fails.
TILEWRIGHT_PRIVATE_API StatusOr<LevelsVerdict>
checkLevels(const ModelSource &model, CompileModelOptions compile,
            const LevelOptions &options);
/// The same for one that is read already, before any pass has run.
StatusOr<LevelsVerdict> checkLevels(std::shared_ptr<ModelLevels> levels,
                                    const LevelOptions &options);

} // namespace tilewright::verify
