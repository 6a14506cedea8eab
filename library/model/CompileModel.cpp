//===- CompileModel.cpp - From a model file to a package ------------------===//
#include "tilewright/compiler/CompileModel.h"

#include "library/compiler/Diagnostics.h"
#include "library/model/ModelCompiler.h"
#include "tilewright/mlir/Registry.h"

#include <algorithm>

namespace tilewright {

Status setTargets(std::span<const std::string> names,
                  CompileModelOptions &options) {
  options.cpu.reset();
  options.interpreter = false;
  options.gpus.clear();
  for (const std::string &name : names) {
    const target::GpuTarget *gpu = target::findGpuTarget(name);
    if (!gpu && options.plugins)
      gpu = options.plugins->registry().findTarget(name);
    if (name == "cpu")
      options.cpu = cpu::hostTarget();
    else if (name == "interpreter")
      options.interpreter = true;
    else if (!gpu)
      return Status::unsupported("target '" + name +
                                 "' is not supported; expected cpu, "
                                 "interpreter, " +
                                 target::gpuTargetNames());
    else if (std::ranges::find(options.gpus, gpu) == options.gpus.end())
      options.gpus.push_back(gpu);
  }
  return {};
}

/// Writes the program as it was before the pass that failed, and adds a note to
/// `failure`. Returns it as it is if no pass is to blame, but the model, a
/// limit or the caller's wish.
static Status withReproducer(Status failure, const ModelSource &model,
                             CompileModelOptions options) {
  if (failure.code() == StatusCode::cancelled ||
      failure.code() == StatusCode::resourceExhausted)
    return failure;
  options.diagnostics = nullptr;
  options.printPasses = {};
  options.times = CompileModelOptions::TimeFormat::none;
  // An import that is to be stopped runs no passes.
  options.stopAfter = "none";
  const std::string note = ModelCompiler(model, options, nullptr)
                               .writeReproducer(options.reproducer);
  return note.empty()
             ? failure
             : Status(failure.code(), failure.message() + "\n  note: " + note);
}

/// Takes the package from the cache, or compiles.
static StatusOr<CompileModelReport>
compileOrRestore(const ModelSource &model, const std::filesystem::path &output,
                 const CompileModelOptions &options) {
  auto start = std::chrono::steady_clock::now();
  std::optional<PackageCache> packages;
  if (!output.empty())
    packages = PackageCache::open(model, options);
  if (packages) {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<CompileModelReport> kept,
                                packages->restore(output));
    if (kept) {
      std::chrono::duration<double> seconds =
          std::chrono::steady_clock::now() - start;
      kept->importSeconds = seconds.count();
      return *std::move(kept);
    }
  }
  StatusOr<CompileModelReport> report =
      ModelCompiler(model, options, packages ? &*packages : nullptr)
          .run({output});
  if (!report.ok() && !options.reproducer.empty())
    return withReproducer(report.status(), model, options);
  return report;
}

/// Errors are also reported as data.
static Status told(Status failure, const std::filesystem::path &model,
                   const CompileModelOptions &options) {
  if (options.diagnostics)
    (void)conclude(failure, codeOf(failure.code()),
                   {.code = "", .name = model.string()}, *options.diagnostics);
  return failure;
}

StatusOr<CompileModelReport> compileModel(const ModelSource &model,
                                          const std::filesystem::path &output,
                                          const CompileModelOptions &options) {
  StatusOr<CompileModelReport> report =
      compileOrRestore(model, output, options);
  if (!report.ok())
    return told(report.status(), model.path(), options);
  return report;
}

StatusOr<CompileModelReport> compileModel(const std::filesystem::path &model,
                                          const std::filesystem::path &output,
                                          const CompileModelOptions &options) {
  StatusOr<ModelSource> source = ModelSource::file(model);
  if (!source.ok())
    return told(source.status(), model, options);
  return compileModel(*source, output, options);
}

StatusOr<CompiledModel>
compileModelInMemory(const ModelSource &model,
                     const CompileModelOptions &options) {
  if (!options.stopAfter.empty())
    return told(Status::invalidInput("stopAfter writes a file, expected a "
                                     "compilation to the end in memory"),
                model.path(), options);
  runtime::PackageFiles files;
  StatusOr<CompileModelReport> report =
      ModelCompiler(model, options, nullptr).run({{}, &files});
  Status failure = report.status();
  if (!report.ok() && !options.reproducer.empty())
    failure = withReproducer(failure, model, options);
  if (!failure.ok())
    return told(failure, model.path(), options);
  // Nobody has changed the weights since their hash was computed.
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package, runtime::Package::fromMemory(
                                                files, {.verifyWeights = false},
                                                model.path().string()));
  return CompiledModel{std::move(package), *std::move(report)};
}

StatusOr<std::vector<KernelToSchedule>>
kernelsToSchedule(const std::filesystem::path &model,
                  const CompileModelOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source, ModelSource::file(model));
  return ModelCompiler(source, options, nullptr).listKernels();
}

} // namespace tilewright
