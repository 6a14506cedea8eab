// A large model judged kernel by kernel, on what its kernels read in a run.
#pragma once

#include "verify/validate/GivenInputs.h"
#include "verify/validate/LevelCheck.h"

namespace tilewright::verify {

/// What is known of one kernel.
struct KernelEvidence {
  /// As in the package.
  std::string kernel;
  /// Those of the compilation, as far as it was judged.
  std::vector<PassEvidence> passes;
  /// An equal one, with which it was judged.
  std::string sameAs;
  /// Why a part of it, or all, was not judged.
  std::string reason;

  [[nodiscard]] TILEWRIGHT_PRIVATE_API int64_t
  count(PassEvidence::Kind kind) const;
  /// The fewest runs of a pass that is tested, and the least share.
  [[nodiscard]] TILEWRIGHT_PRIVATE_API int64_t cases() const;
  [[nodiscard]] TILEWRIGHT_PRIVATE_API double share() const;
};

struct ModelVerdict {
  std::vector<std::string> targets;
  /// Of a model that was judged as a whole; of another one what was found for
  /// the guilty kernel, `guilty->reproducer` being a part of the model.
  LevelsVerdict levels;
  /// None: the model was judged as a whole.
  std::vector<KernelEvidence> kernels;
  /// The first kernel in which a pass did not keep its relation.
  std::optional<size_t> guiltyKernel;
};

struct ModelCheckOptions {
  uint64_t seed = 0;
  /// Of a whole model for the runs of one level (2 s if not given), else for
  /// all kernels, on all threads (75 s).
  std::optional<std::chrono::duration<double>> time = {};
  /// On which kernels are judged; 0: one for each of the machine.
  size_t threads = 0;
  /// Kernel by kernel, also where a run of the whole model is quick.
  bool byKernel = false;
  /// Whether the code of a file of --stop-after is run on this machine.
  bool resume = false;
  /// Of the model, by name; others are made.
  GivenInputs inputs = {};
  std::function<bool()> isStopped = {};
  /// As in LevelOptions.
  std::function<void(const std::string &pass, mlir::ModuleOp)> hook = {};
};

/// Whether a run of a graph on these inputs takes the reference more than about
/// a second.
StatusOr<bool> isLarge(const std::shared_ptr<ModelLevels> &levels,
                       const std::vector<runtime::HostTensor> &inputs);

/// Compiles a model for the targets of `compile` and judges each pass, as
/// checkLevels() does where the reference runs the model in a second. A larger
/// one is taken apart by its kernels. Each part is judged as a model of its
/// own: that of the model which becomes the kernel, behind the passes on
/// graphs, and its group, behind the others. The parts read what they read in a
/// run of the compiled model. Of large outputs some elements are computed and
/// compared. Errors: those of checkLevels() and takeApart().
TILEWRIGHT_PRIVATE_API StatusOr<ModelVerdict>
checkModel(const ModelSource &model, CompileModelOptions compile,
           const ModelCheckOptions &options);

} // namespace tilewright::verify
