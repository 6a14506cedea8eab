//===- ModelKernels.cpp - The kernels of a model as code ------------------===//
#include "library/model/ModelKernels.h"

#include "support/Threads.h"
#include <atomic>
#include <mutex>

using namespace mlir;

namespace tilewright {

/// The request for a kernel that is in a context already.
static CompileRequest requestFor(const KernelTask &task,
                                 const std::string &model,
                                 const CompileModelOptions &options) {
  CompileRequest request;
  static_cast<CodeOptions &>(request) = options;
  request.module.name = model;
  request.target = task.target;
  request.wantText = options.wantScheduled || options.wantLoops ||
                     options.wantLlvm || options.wantAssembly;
  request.wantExplanation = options.wantSchedules || options.wantLayouts;
  request.wantRemarks = task.wantRemarks;
  return request;
}

static BoundKernel bind(OwningOpRef<ModuleOp> code) {
  BoundKernel bound;
  bound.module = std::move(code);
  bound.kernel = *bound.module->getOps<tile::KernelOp>().begin();
  return bound;
}

static StatusOr<KernelImage>
compileKernel(KernelTask &task, const std::string &model,
              const KernelBackend &backend, const ModelLimits &limits,
              const CompileModelOptions &options, TimingScope &timing,
              CompileReport &report) {
  CompilationControl control = limits.control(options.budget);
  const std::string name = task.code->getSymName().value_or("").str();
  control.beginPhase("bind");
  const CompileRequest request = requestFor(task, model, options);
  StatusOr<KernelImage> image =
      task.rest ? backend.finish(request, *task.code, *task.rest, &timing,
                                 control, report)
                : backend.compile(request, bind(std::move(task.code)), &timing,
                                  control, report);
  if (control.stopped())
    return limits.failure(control.stop(), name, &report.diagnostics);
  return image;
}

/// Where the cache cannot be written, one warning is enough.
static void addWarning(const CompileReport &report,
                       std::vector<Diagnostic> &warnings) {
  for (const Diagnostic &diagnostic : report.diagnostics)
    if (diagnostic.severity == Severity::warning &&
        diagnostic.code == "cache" && warnings.empty())
      warnings.push_back(diagnostic);
}

static size_t threadsFor(size_t tasks, const CompileModelOptions &options) {
  if (options.printPasses.wanted())
    return 1;
  const size_t threads =
      options.threads ? options.threads
                      : std::max(1u, std::thread::hardware_concurrency());
  return std::min(threads, tasks);
}

StatusOr<CompiledKernels>
compileKernels(MutableArrayRef<KernelTask> tasks, const std::string &model,
               const KernelBackend &backend, const ModelLimits &limits,
               const CompileModelOptions &options, TimingScope &timing) {
  std::vector<StatusOr<KernelImage>> images(tasks.size(), KernelImage());
  std::vector<CompileReport> reports(tasks.size());
  std::mutex mutex;
  size_t done = 0;
  std::atomic<size_t> next = 0;
  shareWork(threadsFor(tasks.size(), options), [&] {
    for (size_t i; (i = next.fetch_add(1)) < tasks.size();) {
      images[i] = compileKernel(tasks[i], model, backend, limits, options,
                                timing, reports[i]);
      std::lock_guard<std::mutex> lock(mutex);
      ++done;
      if (options.progress)
        options.progress(done, tasks.size());
    }
  });
  CompiledKernels compiled;
  for (auto [image, report] : llvm::zip(images, reports)) {
    if (!image.ok()) {
      if (options.diagnostics)
        llvm::append_range(*options.diagnostics, report.diagnostics);
      return image.status();
    }
    compiled.images.push_back(*std::move(image));
    llvm::append_range(compiled.remarks, report.remarks);
    compiled.cached += report.fromCache;
    addWarning(report, compiled.warnings);
  }
  return compiled;
}

} // namespace tilewright
