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

private:
  struct Target {
    /// As CompileRequest names it.
    std::string name;
    /// Which of the variants of the kernels it runs.
    size_t variant;
  };
  std::vector<Target> targets() const;
  /// The kernels for some targets: cut alike.
  struct Variant {
    /// As TargetAttr names them.
    std::vector<std::string> targets;
    llvm::SmallVector<tile::KernelOp> kernels = {};
    /// Of a kernel written by hand: its tunables bound for this target.
    mlir::OwningOpRef<mlir::ModuleOp> bound = {};
    /// And the schedule that is taken for it; null: its own, or its default.
    tile::ScheduleAttr schedule = {};
    /// Of kernels by name, where their schedules are from.
    std::map<std::string, std::string> origins = {};
  };
  Status import();
  Status run(mlir::PassManager &passes, llvm::StringRef what);
  Status runPipeline(const std::string &pipeline);
  ModelPipelineOptions pipelineOptions() const;
  Status makeKernels();
  Status stop(const std::filesystem::path &output);
  void makeKernelVariants();
  Status bindKernel(Variant &variant);
  StatusOr<std::optional<ChosenSchedule>>
  chooseForKernel(const std::string &target) const;
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
