//===- ModelCompiler.h - One compilation of a model -------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MODELCOMPILER_H
#define TILEWRIGHT_LIBRARY_MODEL_MODELCOMPILER_H

#include "codegen/llvm/WatchContext.h"
#include "library/model/ImportModel.h"
#include "library/model/ModelInfo.h"
#include "library/model/ModelKernels.h"
#include "library/model/ModelPipeline.h"
#include "library/model/PackageBuilder.h"
#include "library/model/PackageCache.h"
#include "mlir/Support/Timing.h"

namespace tilewright {

/// One compilation, stage by stage.
class ModelCompiler {
public:
  /// `packages`: where the package is kept; may be null.
  ModelCompiler(const ModelSource &source, const CompileModelOptions &options,
                const PackageCache *packages);

  StatusOr<CompileModelReport> run(const std::filesystem::path &output);
  StatusOr<std::vector<KernelToSchedule>> listKernels();
  /// The names of the passes that the model goes through, in order.
  StatusOr<std::vector<std::string>> listPasses();

private:
  /// The kernels for some targets: cut alike.
  struct Variant {
    /// As TargetAttr names them.
    std::vector<std::string> targets;
    llvm::SmallVector<tile::KernelOp> kernels = {};
    /// Of kernels by name, where their schedules are from.
    std::map<std::string, std::string> origins = {};
  };
  Status import();
  Status begin();
  std::string pipeline();
  Status run(mlir::PassManager &passes, llvm::StringRef what);
  Status runPipeline(const std::string &pipeline);
  ModelPipelineOptions pipelineOptions() const;
  Status makeKernels();
  Status goOn();
  Status stop(const std::filesystem::path &output);
  std::vector<std::vector<std::string>> targetsOfKernel() const;
  StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
  bindKernel(const std::vector<std::string> &targets);
  Status bindKernels();
  StatusOr<std::optional<ChosenSchedule>>
  chooseForKernel(const std::string &target) const;
  Status checkSeen() const;
  Status checkPlugins() const;
  void addTasks(mlir::Operation *code, llvm::StringRef target, bool isUnwritten,
                std::vector<KernelTask> &tasks);
  Status compileKernels(bool isUnwritten);
  Status explain();
  bool isShown(llvm::StringRef kernel) const {
    return options.onlyKernel.empty() || kernel == options.onlyKernel;
  }
  Status checkOnlyKernel() const;
  void findKernels();
  void printTiles();
  void addTexts();
  Status writeGraph(const std::filesystem::path &output);
  Status writeKernel(const std::filesystem::path &output);
  Status writePackage(const std::filesystem::path &output,
                      runtime::PackageManifest manifest,
                      PackageBuilder *builder);
  bool isCacheable();
  runtime::PackageManifest startManifest() const;
  void addOrigins(runtime::PackageManifest &manifest) const;
  double lap();

  ModelSource source;
  /// Its path, which messages begin with.
  const std::filesystem::path &model;
  const CompileModelOptions &options;
  const PackageCache *packages;
  ModelLimits limits;
  KernelBackend backend;
  mlir::MLIRContext context;
  ModelErrors errors;
  /// Of all but kernels, which have their own.
  Watch watch;
  std::optional<WatchContext> watched;
  ImportedModule imported;
  /// Whether the program is a kernel written by hand.
  bool isKernel = false;
  /// Of one that was stopped among the passes on kernels: those that are left.
  std::optional<std::string> codeRest;
  ModelInfo info;
  std::vector<Variant> variants;
  std::vector<KernelImage> images;
  CompileModelReport report;
  llvm::raw_string_ostream timesStream{report.times};
  mlir::DefaultTimingManager timer;
  mlir::TimingScope timing;
  std::chrono::steady_clock::time_point mark = std::chrono::steady_clock::now();
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MODELCOMPILER_H
