//===- ModelLevels.h - A model between its passes ---------------*- C++ -*-===//
//
// What judges passes takes a model as it is at some level: no pass has run on
// it but those that made it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MODELLEVELS_H
#define TILEWRIGHT_LIBRARY_MODEL_MODELLEVELS_H

#include "library/model/KeptConstants.h"
#include "library/model/session/ModelProgram.h"
#include "tilewright/runtime/Package.h"

namespace tilewright {

/// A model at the level that its file has. Copies of its module may be used as
/// long as it lives. For one thread.
class ModelLevels {
public:
  /// Reads any model, or a file that a compilation stopped at, whose targets
  /// are then those of the file. Errors: those of an import.
  static StatusOr<std::unique_ptr<ModelLevels>>
  open(const ModelSource &source, CompileModelOptions options);

  /// What the kernels are compiled for.
  [[nodiscard]] std::vector<std::string> targets();
  /// The passes from the level that was read to code.
  [[nodiscard]] const PassList &passes() const { return *all; }
  /// How many of them have run.
  [[nodiscard]] size_t position() const { return done; }
  /// What tests call behind each pass, with its flag, to change what it has
  /// left: as if it were a wrong pass.
  using Hook = std::function<void(const std::string &pass, mlir::ModuleOp)>;
  void setHook(Hook wanted) { hook = std::move(wanted); }
  /// Runs the next pass, there being one; returns whether it changed anything.
  /// Errors: it fails.
  StatusOr<bool> advance();
  /// A module as a file from which the passes behind the first `position` go
  /// on.
  [[nodiscard]] std::string text(mlir::ModuleOp module, size_t position) const;

  /// The function of a graph that launches no kernel yet: @main, or the only
  /// public one. Null for kernels, and for a graph that launches them. Error: a
  /// module of several functions, none of which is @main.
  StatusOr<mlir::func::FuncOp> graph();
  /// The kernels and their launches as a package for the device "interpreter",
  /// which executes each kernel at the level where it is. Of several targets it
  /// has the kernels of the first. The model does not change.
  StatusOr<std::shared_ptr<const runtime::Package>> package();
  /// The package that the compilation would make from here, for the devices of
  /// its targets.
  StatusOr<std::shared_ptr<const runtime::Package>> code() {
    return code(module(), done);
  }
  /// The same for another module of this model behind the first `position`
  /// passes, and with some of LLVM's passes, asked on one thread.
  StatusOr<std::shared_ptr<const runtime::Package>>
  code(mlir::ModuleOp module, size_t position,
       LlvmPassFilter runsLlvmPass = {});
  mlir::ModuleOp module() { return program.module(); }
  /// Whether it goes on with a file of --stop-after, which is code, as a
  /// package is.
  [[nodiscard]] bool goesOn() const {
    return program.imported.rest.has_value();
  }
  /// How it is compiled.
  [[nodiscard]] const CompileModelOptions &compileOptions() const {
    return options;
  }
  /// What messages call the model: its path.
  [[nodiscard]] std::string name() const { return session.name(); }

private:
  ModelLevels(const ModelSource &source, CompileModelOptions given)
      : options(std::move(given)), session(source, options) {}
  Status read();
  [[nodiscard]] bool awaitsBarriers() const;
  [[nodiscard]] std::string fingerprint() const;

  const CompileModelOptions options; // The session refers to them.
  ModelSession session;
  KeptConstants constants;
  ModelProgram program;
  std::optional<PassList> all;
  size_t done = 0;
  /// Of the module behind the last pass; empty before the first one.
  std::string last;
  Hook hook;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MODELLEVELS_H
