//===- ModelSession.h - What the stages of a compilation share --*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELSESSION_H
#define TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELSESSION_H

#include "codegen/llvm/ControlContext.h"
#include "library/compiler/KernelBackend.h"
#include "library/model/import/ModelErrors.h"
#include "library/model/session/ModelLimits.h"
#include "library/model/session/SessionThreads.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"

namespace tilewright {

/// The time of each stage and pass, in the format of the options.
class ModelTimes {
public:
  explicit ModelTimes(CompileModelOptions::TimeFormat format);

  /// Begins a stage, which ends with the scope.
  mlir::TimingScope nest(llvm::StringRef stage) { return root.nest(stage); }
  /// What passes report to.
  mlir::TimingScope &scope() { return root; }
  /// Ends all; the text.
  std::string finish();

private:
  std::string text;
  llvm::raw_string_ostream stream{text};
  mlir::DefaultTimingManager manager;
  mlir::TimingScope root;
};

/// What all stages of one compilation use: the model, the options, a context
/// with its errors, and the limits on the work.
class ModelSession {
public:
  ModelSession(const ModelSource &source, const CompileModelOptions &options);

  /// What messages call the model: its path.
  [[nodiscard]] std::string name() const { return source.path().string(); }
  /// Begins a phase of the work.
  void beginPhase(const std::string &phase) { control.beginPhase(phase); }
  /// Errors: the work is to be stopped.
  Status goOn();
  /// Runs passes on `module`. Errors: that `what`, and why.
  Status run(mlir::PassManager &passes, mlir::ModuleOp module,
             llvm::StringRef what);
  /// Runs passes by their names. Errors: as run(); there is no such pass.
  Status runPipeline(const std::string &pipeline, mlir::ModuleOp module);
  /// Watches passes and rewrites.
  void beginControl() { controlled.emplace(context, control); }
  void endControl() { controlled.reset(); }

  const ModelSource source;
  const CompileModelOptions &options;
  ModelLimits limits;
  KernelBackend backend;
  SessionThreads threads; // Of the context, and lives longer.
  mlir::MLIRContext context;
  ModelErrors errors;
  ModelTimes times;

private:
  /// Of all but kernels, which have their own.
  CompilationControl control;
  std::optional<ControlContext> controlled;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELSESSION_H
