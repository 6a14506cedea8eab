//===- Engine.cpp - What one thread compiles with -------------------------===//
#include "library/compiler/Engine.h"

#include "codegen/llvm/WatchContext.h"
#include "codegen/pipeline/Compile.h"
#include "codegen/pipeline/DescribeKernel.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "library/compiler/Findings.h"
#include "library/compiler/ImageFile.h"
#include "library/compiler/RequestKey.h"
#include "library/plugin/Registry.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tilewright {

/// A context keeps each type and attribute that it ever saw. After so many
/// kernels it is replaced, which costs less than one kernel.
static constexpr unsigned compilationsOfContext = 256;

Engine::Engine(std::shared_ptr<Cache> cache,
               std::shared_ptr<const Plugins> plugins)
    : cache(std::move(cache)), plugins(std::move(plugins)),
      host(cpu::hostTarget()) {}
Engine::~Engine() = default;

const target::GpuTarget *Engine::findGpu(const std::string &name) const {
  const target::GpuTarget *found = target::findGpuTarget(name);
  return found || !plugins ? found : plugins->registry().findTarget(name);
}

/// Adds an error that no op is to blame for.
static Status refuse(StatusCode status, const char *code, std::string message,
                     CompileReport &report) {
  Diagnostic &finding = report.diagnostics.emplace_back();
  finding.code = code;
  finding.message = message;
  return {status, std::move(message)};
}

Status Engine::runPlugins(BoundKernel &bound, Watch &watch,
                          CompileReport &report) const {
  if (!plugins || plugins->registry().passes().empty())
    return {};
  watch.beginPhase("plugins");
  std::string name = bound.kernel.getSymName().str();
  for (const Registry::NamedPass &added : plugins->registry().passes()) {
    DiagnosticCollector errors(context.get(), &report.diagnostics);
    PassManager passes(context.get());
    std::unique_ptr<Pass> pass = added.create();
    if (pass && pass->getOpName() == tile::KernelOp::getOperationName())
      passes.addNestedPass<tile::KernelOp>(std::move(pass));
    else if (pass && pass->getOpName().value_or("builtin.module") ==
                         ModuleOp::getOperationName())
      passes.addPass(std::move(pass));
    else
      return refuse(StatusCode::invalidInput, "plugin",
                    "pass '" + added.name +
                        "': expected one over modules or tile.kernel",
                    report);
    bool ran = succeeded(passes.run(*bound.module)) && !watch.stopped();
    for (Diagnostic &finding : report.diagnostics)
      if (finding.code.empty())
        finding.code = "plugin";
    if (!ran)
      return refuse(StatusCode::invalidInput, "plugin",
                    "pass '" + added.name + "' failed", report);
  }
  auto kernels = bound.module->getOps<tile::KernelOp>();
  if (!llvm::hasSingleElement(kernels) ||
      (*kernels.begin()).getSymName() != name)
    return refuse(StatusCode::invalidInput, "plugin",
                  "expected the passes of plug-ins to leave the kernel '" +
                      name + "' alone in its module",
                  report);
  bound.kernel = *kernels.begin();
  return {};
}

void Engine::renew() {
  if (context && ++compilations < compilationsOfContext)
    return;
  compilations = 0;
  context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  // The op as text, in a note of its own, may be pages long.
  context->printOpOnDiagnostic(false);
  prepareContext(*context);
}

/// Remarks that name no place speak of the whole kernel.
static void placeRemarks(tile::KernelOp kernel, const TileModule &module,
                         std::vector<Remark> &remarks) {
  SourceRange where = sourceRange(kernel.getLoc());
  if (where.file.empty())
    where.file = module.name;
  for (Remark &remark : remarks)
    if (remark.where.file.empty())
      remark.where = where;
}

/// An image is launched by hand: what its code takes for granted is checked.
static StatusOr<KernelImage> withFixedSizes(tile::KernelOp kernel,
                                            StatusOr<KernelImage> image) {
  if (image.ok())
    for (std::string &guard : fixedSizesOf(kernel))
      image->manifest.guards.push_back(std::move(guard));
  return image;
}

StatusOr<KernelImage> Engine::lower(const CompileRequest &request,
                                    const BoundKernel &bound, Watch &watch,
                                    CompileReport &report) {
  if (request.target == "interpreter")
    return withFixedSizes(bound.kernel, compileForInterpreter(bound.kernel));
  CompileOptions options;
  options.wantText = request.wantText;
  options.wantExplanation = request.wantExplanation;
  options.lineInfo = request.lineInfo;
  options.assertions = request.assertions;
  options.schedule = bound.schedule;
  options.cpuSchedule = bound.cpuSchedule;
  options.watch = &watch;
  options.findings = &report.diagnostics;
  if (request.wantRemarks)
    options.remarks = &report.remarks;
  const target::GpuTarget *gpu = findGpu(request.target);
  StatusOr<KernelImage> image =
      gpu ? tilewright::compile(bound.kernel, *gpu, options)
          : tilewright::compile(bound.kernel, host, options);
  placeRemarks(bound.kernel, request.module, report.remarks);
  if (image.ok() && gpu)
    image->schedule.schedule.tunables = bound.tunables;
  return withFixedSizes(bound.kernel, std::move(image));
}

/// In place of the failure that the watch tells.
static Status stoppedStatus() { return Status::cancelled("stopped"); }

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

StatusOr<KernelImage> Engine::compile(const CompileRequest &request,
                                      Watch &watch, CompileReport &report,
                                      std::string &kernel) {
  bool isGpu = findGpu(request.target);
  if (!isGpu && request.target != "cpu" && request.target != "interpreter")
    return refuse(StatusCode::unsupported, "target",
                  "there is no target '" + request.target +
                      "'; there is cpu, interpreter, " +
                      target::gpuTargetNames(),
                  report);
  if (request.target == "interpreter" && !request.schedule.empty())
    return refuse(StatusCode::invalidInput, "schedule",
                  "a schedule is for cpu and for GPUs, found one for target "
                  "'interpreter'",
                  report);
  TILEWRIGHT_ASSIGN_OR_RETURN(
      BoundKernel bound,
      readKernel(request, *context, watch, report.diagnostics));
  kernel = tile::KernelOp(bound.kernel).getSymName().str();
  if (!watch.goOn())
    return stoppedStatus();
  CacheKey key;
  if (cache) {
    watch.beginPhase("cache");
    key = requestKey(request, bound, host,
                     plugins ? plugins->identity() : std::string_view());
    report.key = key.text();
    if (auto image = fromCache(*cache, key, report))
      return *std::move(image);
  }
  TILEWRIGHT_RETURN_IF_ERROR(runPlugins(bound, watch, report));
  TILEWRIGHT_ASSIGN_OR_RETURN(KernelImage image,
                              lower(request, bound, watch, report));
  // The last look: what is kept is told.
  if (!watch.goOn())
    return stoppedStatus();
  // A warning would be lost.
  if (cache && report.diagnostics.empty())
    toCache(*cache, key, image, report);
  return image;
}

CompileOutcome Engine::run(const CompileRequest &request,
                           std::stop_token token) {
  CompileReport report;
  std::stop_source either;
  auto stop = [&either] { either.request_stop(); };
  std::stop_callback first(token, stop), second(request.stop, stop);
  std::string kernel = request.kernel;
  renew();
  Watch watch(request.budget, either.get_token());
  WatchContext watched(*context, watch);
  StatusOr<KernelImage> image = compile(request, watch, report, kernel);
  watch.finish();
  report.phases = watch.phases();
  if (watch.stopped())
    image =
        concludeStop(watch.stop(), kernel, request.module, report.diagnostics);
  else if (!image.ok())
    image = conclude(image.status(), codeOf(image.status().code()),
                     request.module, report.diagnostics);
  return {std::move(image), std::move(report)};
}

} // namespace tilewright
