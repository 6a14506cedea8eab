//===- KernelBackend.cpp - From a bound kernel to its image ---------------===//
#include "library/compiler/KernelBackend.h"

#include "codegen/pipeline/DescribeKernel.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/pipeline/RunStages.h"
#include "library/compiler/DotPrecision.h"
#include "library/compiler/ImageFile.h"
#include "library/compiler/PluginPasses.h"
#include "library/compiler/RequestKey.h"

using namespace mlir;

namespace tilewright {

KernelBackend::KernelBackend(std::shared_ptr<Cache> cache,
                             std::shared_ptr<const Plugins> plugins,
                             cpu::CpuTarget host)
    : cache(std::move(cache)), plugins(std::move(plugins)),
      host(std::move(host)) {}

const target::GpuTarget *KernelBackend::findGpu(const std::string &name) const {
  const target::GpuTarget *found = target::findGpuTarget(name);
  return found || !plugins ? found : plugins->registry().findTarget(name);
}

/// Adds an error that no op is to blame for.
static Status reject(StatusCode status, const char *code, std::string message,
                     std::vector<Diagnostic> &diagnostics) {
  Diagnostic &diagnostic = diagnostics.emplace_back();
  diagnostic.code = code;
  diagnostic.message = message;
  return {status, std::move(message)};
}

Status KernelBackend::checkTarget(const CompileRequest &request,
                                  std::vector<Diagnostic> &diagnostics) const {
  if (!findGpu(request.target) && request.target != "cpu" &&
      request.target != "interpreter")
    return reject(StatusCode::unsupported, "target",
                  "there is no target '" + request.target +
                      "'; there is cpu, interpreter, " +
                      target::gpuTargetNames(),
                  diagnostics);
  if (request.target == "interpreter" && !request.schedule.empty())
    return reject(StatusCode::invalidInput, "schedule",
                  "a schedule is for cpu and for GPUs, found one for target "
                  "'interpreter'",
                  diagnostics);
  return {};
}

void KernelBackend::prepare(MLIRContext &context) const {
  if (!plugins)
    return;
  DialectRegistry registry;
  for (const Registry::NamedPass &added : plugins->registry().passes())
    if (std::unique_ptr<Pass> pass = added.create())
      pass->getDependentDialects(registry);
  context.appendDialectRegistry(registry);
  for (StringRef dialect : registry.getDialectNames())
    context.getOrLoadDialect(dialect);
}

Status KernelBackend::runPlugins(BoundKernel &bound,
                                 CompilationControl &control,
                                 CompileReport &report) const {
  if (!plugins || plugins->registry().passes().empty())
    return {};
  control.beginPhase("plugins");
  MLIRContext *context = bound.module->getContext();
  for (const Registry::NamedPass &added : plugins->registry().passes()) {
    DiagnosticCollector errors(context, &report.diagnostics);
    PassManager passes(context);
    passes.addPass(createPluginPass(added));
    bool ran = succeeded(passes.run(*bound.module)) && !control.stopped();
    for (Diagnostic &diagnostic : report.diagnostics)
      if (diagnostic.code.empty())
        diagnostic.code = "plugin";
    if (!ran)
      return reject(StatusCode::invalidInput, "plugin",
                    "pass '" + added.name + "' failed", report.diagnostics);
  }
  bound.kernel = *bound.module->getOps<tile::KernelOp>().begin();
  return {};
}

/// Remarks that name no location speak of the whole kernel.
static void placeRemarks(tile::KernelOp kernel, const TileModule &module,
                         std::vector<Remark> &remarks) {
  SourceRange where = sourceRange(kernel.getLoc());
  if (where.file.empty())
    where.file = module.name;
  for (Remark &remark : remarks)
    if (remark.where.file.empty())
      remark.where = where;
}

CompileOptions KernelBackend::optionsFor(const CompileRequest &request,
                                         TimingScope *timing,
                                         CompilationControl &control,
                                         CompileReport &report) {
  CompileOptions options;
  static_cast<CodeOptions &>(options) = request;
  options.wantText = request.wantText;
  options.wantExplanation = request.wantExplanation;
  options.timing = timing;
  options.control = &control;
  options.diagnostics = &report.diagnostics;
  if (request.wantRemarks)
    options.remarks = &report.remarks;
  return options;
}

StatusOr<KernelImage> KernelBackend::lower(const CompileRequest &request,
                                           const BoundKernel &bound,
                                           TimingScope *timing,
                                           CompilationControl &control,
                                           CompileReport &report) const {
  if (request.target == "interpreter")
    return compileForInterpreter(bound.kernel);
  CompileOptions options = optionsFor(request, timing, control, report);
  options.schedule = bound.schedule;
  options.cpuSchedule = bound.cpuSchedule;
  const target::GpuTarget *gpu = findGpu(request.target);
  StatusOr<KernelImage> image =
      gpu ? tilewright::compile(bound.kernel, *gpu, options)
          : tilewright::compile(bound.kernel, host, options);
  placeRemarks(bound.kernel, request.module, report.remarks);
  if (image.ok() && gpu)
    image->schedule.schedule.tunables = bound.tunables;
  return image;
}

/// An image of the cache, if it is there.
static std::optional<KernelImage> fromCache(Cache &cache, const CacheKey &key,
                                            CompileReport &report) {
  std::optional<std::string> bytes = cache.lookup(key);
  std::optional<ImageFile> file = bytes ? readImage(*bytes) : std::nullopt;
  if (!file)
    return std::nullopt;
  report.fromCache = true;
  report.remarks = std::move(file->remarks);
  return std::move(file->image);
}

static void toCache(Cache &cache, const CacheKey &key, const KernelImage &image,
                    CompileReport &report) {
  Status stored = cache.store(key, writeImage({image, report.remarks}));
  if (stored.ok())
    return;
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.code = "cache";
  warning.message = "the image is not kept: " + stored.message();
  report.diagnostics.push_back(std::move(warning));
}

/// Replaces the failure that the control reports.
static Status stoppedStatus() { return Status::cancelled("stopped"); }

StatusOr<KernelImage> KernelBackend::compile(const CompileRequest &request,
                                             BoundKernel kernel,
                                             TimingScope *timing,
                                             CompilationControl &control,
                                             CompileReport &report) const {
  if (!control.goOn())
    return stoppedStatus();
  CacheKey key;
  const bool isCached = cache && !request.verifyEach && !request.wantBytecode &&
                        !request.runsLlvmPass;
  if (isCached) {
    control.beginPhase("cache");
    key = requestKey(request, kernel, host,
                     plugins ? plugins->identity() : std::string_view());
    report.key = key.text();
    if (auto image = fromCache(*cache, key, report))
      return *std::move(image);
  }
  TILEWRIGHT_RETURN_IF_ERROR(runPlugins(kernel, control, report));
  const runtime::Precision precision = leastPrecision(*kernel.module);
  TILEWRIGHT_ASSIGN_OR_RETURN(KernelImage image,
                              lower(request, kernel, timing, control, report));
  image.manifest.precision = precision;
  // The last check before the result is cached and reported.
  if (!control.goOn())
    return stoppedStatus();
  // A warning would be lost.
  if (isCached && report.diagnostics.empty())
    toCache(*cache, key, image, report);
  return image;
}

/// Of a module behind all passes.
StatusOr<KernelImage>
KernelBackend::imageOf(ModuleOp code, const std::string &target,
                       const CompileOptions &options) const {
  if (target == "interpreter") {
    auto kernels = code.getOps<tile::KernelOp>();
    if (!llvm::hasSingleElement(kernels))
      return Status::invalidInput("kernel '" +
                                  code.getSymName().value_or("").str() +
                                  "': expected it alone in its module");
    return compileForInterpreter(*kernels.begin());
  }
  const target::GpuTarget *gpu = findGpu(target);
  return gpu ? makeImage(code, *gpu, options) : makeImage(code, host, options);
}

StatusOr<KernelImage> KernelBackend::finish(const CompileRequest &request,
                                            ModuleOp code,
                                            const std::string &text,
                                            TimingScope *timing,
                                            CompilationControl &control,
                                            CompileReport &report) const {
  const CompileOptions options = optionsFor(request, timing, control, report);
  PassManager passes(code.getContext());
  TILEWRIGHT_RETURN_IF_ERROR(parsePasses(text, plugins.get(), passes));
  const runtime::Precision precision = leastPrecision(code);
  control.beginPhase("emit");
  TILEWRIGHT_RETURN_IF_ERROR(
      runPasses(passes, code, code.getSymName().value_or(""), options));
  TILEWRIGHT_ASSIGN_OR_RETURN(KernelImage image,
                              imageOf(code, request.target, options));
  image.manifest.precision = precision;
  return image;
}

} // namespace tilewright
