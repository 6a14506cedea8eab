//===- ModelCompiler.cpp - One compilation of a model ---------------------===//
#include "library/model/ModelCompiler.h"

#include "codegen/pipeline/Limits.h"
#include "graph/analysis/Explain.h"
#include "graph/lowering/Program.h"
#include "graph/pipeline/Pipelines.h"
#include "library/model/Checkpoint.h"
#include "library/model/PlannedMemory.h"
#include "library/model/ScheduleChoice.h"
#include "library/model/SpillWarnings.h"
#include "library/plugin/Registry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright {

/// Whether somebody wants to see the work done on kernels.
static bool isKernelWorkSeen(const CompileModelOptions &options) {
  return options.onScheduled || options.verifyEach ||
         options.printPasses.wanted() ||
         options.times != CompileModelOptions::TimeFormat::none;
}

/// What the modules in a `graph.cpu_code` or the like are for.
static StringRef targetOf(Operation *code) {
  auto module = *code->getRegion(0).front().getOps<ModuleOp>().begin();
  return module->getAttrOfType<tile::TargetAttr>(tile::TileDialect::kTargetAttr)
      .getName();
}

ModelCompiler::ModelCompiler(const ModelSource &source,
                             const CompileModelOptions &options,
                             const PackageCache *packages)
    : source(source), model(this->source.path()), options(options),
      packages(packages), limits(model, options),
      backend(isKernelWorkSeen(options) ? nullptr : options.cache,
              options.plugins, options.cpu.value_or(cpu::CpuTarget())),
      context(modelDialects(options.plugins.get())),
      errors(context, model.string(), options.findings), watch(limits.watch()) {
  prepareContext(context);
  backend.prepare(context);
  timer.setEnabled(options.times != CompileModelOptions::TimeFormat::none);
  timer.setDisplayMode(DefaultTimingManager::DisplayMode::List);
  timer.setOutput(createOutputStrategy(
      options.times == CompileModelOptions::TimeFormat::json
          ? DefaultTimingManager::OutputFormat::Json
          : DefaultTimingManager::OutputFormat::Text,
      timesStream));
  timing = timer.getRootScope();
}

double ModelCompiler::lap() {
  auto now = std::chrono::steady_clock::now();
  double seconds = std::chrono::duration<double>(now - mark).count();
  mark = now;
  return seconds;
}

/// Runs passes on the module.
Status ModelCompiler::run(PassManager &passes, StringRef what) {
  passes.enableTiming(timing);
  const bool isFailed = failed(passes.run(*imported.module));
  if (watch.stopped())
    return limits.failure(watch.stop(), "", options.findings);
  return isFailed ? errors.failure(what.str()) : Status();
}

/// Runs passes by their names.
Status ModelCompiler::runPipeline(const std::string &pipeline) {
  PassManager passes(&context);
  TILEWRIGHT_RETURN_IF_ERROR(
      parseModelPipeline(pipeline, options.scheduleTable, passes)
          .prefixed(model.string()));
  return run(passes, "the graph cannot be lowered");
}

Status ModelCompiler::import() {
  TimingScope scope = timing.nest("Import");
  watch.beginPhase("import");
  TILEWRIGHT_ASSIGN_OR_RETURN(imported,
                              importModule(context, source, options, errors));
  if (!watch.goOn())
    return limits.failure(watch.stop(), "", options.findings);
  if (imported.isForeign && options.stopAfter.empty()) {
    PassManager passes(&context);
    graph::buildModulePipeline(passes);
    TILEWRIGHT_RETURN_IF_ERROR(run(passes, "the module cannot be imported"));
  }
  info = ModelInfo::of(*imported.module).value_or(ModelInfo());
  if (imported.countsOps) {
    imported.module->walk([&](Operation *) { ++info.nodeCount; });
    info.writeTo(*imported.module);
  }
  return Status();
}

/// What needs work that was done before the stop.
Status ModelCompiler::checkSeen() const {
  const bool wantsWay = options.wantScheduled || options.wantLoops ||
                        options.wantSchedules || options.onScheduled;
  if (!codeRest || !wantsWay)
    return {};
  return Status::invalidInput(
      model.string() +
      ": was stopped on the way of its kernels to code: what is shown of that "
      "way is there of the model itself, or of a stop before split-kernels");
}

/// Passes of plug-ins run before those by name, and are not among them.
Status ModelCompiler::checkPlugins() const {
  if (!options.plugins || options.plugins->registry().passes().empty())
    return {};
  return Status::invalidInput(
      model.string() +
      ": passes of plug-ins do not run on kernels that are stopped on their "
      "way to code; stop after split-kernels or before it");
}

/// The modules in `code`, for one target, which they leave.
void ModelCompiler::addTasks(Operation *code, StringRef target,
                             bool isUnwritten, std::vector<KernelTask> &tasks) {
  std::optional<std::string> rest;
  if (codeRest && target != "interpreter")
    rest = codePasses(*codeRest, code->getName().getStringRef());
  for (auto module : llvm::make_early_inc_range(
           code->getRegion(0).front().getOps<ModuleOp>())) {
    if (isUnwritten && !isShown(module.getSymName().value_or("")))
      continue;
    module->remove();
    tasks.push_back({module, target.str(), isKernel && target == "cpu", rest});
  }
}

/// Compiles each kernel for each target: the images of one target follow each
/// other.
Status ModelCompiler::compileKernels(bool isUnwritten) {
  TILEWRIGHT_RETURN_IF_ERROR(checkSeen());
  if (codeRest)
    TILEWRIGHT_RETURN_IF_ERROR(checkPlugins());
  report.kernels = variants.front().kernels.size();
  std::vector<KernelTask> tasks;
  for (Operation &code : *imported.module->getBody())
    if (isa<graph::CpuCodeOp, graph::GpuCodeOp, graph::InterpreterCodeOp>(code))
      addTasks(&code, targetOf(&code), isUnwritten, tasks);
  TimingScope scope = timing.nest("Kernels");
  // From here on several threads use the context.
  watched.reset();
  TILEWRIGHT_ASSIGN_OR_RETURN(CompiledKernels compiled,
                              tilewright::compileKernels(tasks, model.string(),
                                                         backend, limits,
                                                         options, scope));
  images = std::move(compiled.images);
  report.cachedImages = compiled.cached;
  report.warnings = std::move(compiled.warnings);
  warnOfSpills(compiled.remarks, report.warnings);
  return Status();
}

runtime::PackageManifest ModelCompiler::startManifest() const {
  runtime::PackageManifest manifest;
  manifest.producer = "tilewright " TILEWRIGHT_VERSION;
  manifest.name = info.name;
  manifest.metadata = info.metadata;
  return manifest;
}

/// Where the schedules of kernels are from.
void ModelCompiler::addOrigins(runtime::PackageManifest &manifest) const {
  for (const Variant &variant : variants)
    for (const std::string &target : variant.targets)
      for (const auto &[kernel, origin] : variant.origins)
        if (target != "interpreter")
          manifest.metadata["tuning." + target + "." + kernel] = origin;
}

/// The kernels of a lowered graph, and those that the user gave to it.
void ModelCompiler::findKernels() {
  for (ModuleOp module : graph::kernelModules(*imported.module)) {
    Variant &variant = variants.emplace_back();
    for (tile::TargetAttr target : graph::targetsOf(module))
      variant.targets.push_back(target.getName().str());
    llvm::append_range(variant.kernels, module.getOps<tile::KernelOp>());
    for (ModuleOp given : graph::givenModules(*imported.module))
      llvm::append_range(variant.kernels, given.getOps<tile::KernelOp>());
    if (auto origins =
            module->getAttrOfType<DictionaryAttr>(graph::kOriginsAttr))
      for (NamedAttribute origin : origins)
        variant.origins[origin.getName().str()] =
            cast<StringAttr>(origin.getValue()).str();
  }
}

/// The fusion plan, and what of the user's patterns is not in it.
Status ModelCompiler::explain() {
  std::vector<graph::Group> groups =
      graph::groupsOf(*imported.module->getOps<func::FuncOp>().begin());
  report.fusionText = graph::explainText(groups, report.nodes);
  llvm::json::Value plan = graph::explainJson(groups, report.nodes);
  llvm::json::Array notReplaced;
  for (const std::string &reason : info.notReplaced) {
    report.fusionText += "not replaced: " + reason + "\n";
    notReplaced.push_back(reason);
  }
  if (!notReplaced.empty())
    (*plan.getAsObject())["notReplaced"] = std::move(notReplaced);
  report.fusionJson = llvm::formatv("{0:2}", plan).str();
  return {};
}

/// Whether there is the one kernel that is to be shown.
Status ModelCompiler::checkOnlyKernel() const {
  if (options.onlyKernel.empty())
    return Status(); // A model may have no kernel at all.
  std::string names;
  for (tile::KernelOp kernel : variants.front().kernels) {
    if (kernel.getSymName() == options.onlyKernel)
      return Status();
    names += (names.empty() ? "" : ", ") + kernel.getSymName().str();
  }
  return Status::notFound(model.string() + ": there is no kernel '" +
                          options.onlyKernel + "'\n  the kernels are " + names);
}

/// The kernels of each variant, and those that the user gave.
void ModelCompiler::printTiles() {
  auto print = [&](ModuleOp module) {
    if (options.onlyKernel.empty()) {
      // As a module of its own.
      OwningOpRef<ModuleOp> alone = module.clone();
      for (NamedAttribute attribute : llvm::to_vector((*alone)->getAttrs()))
        (*alone)->removeAttr(attribute.getName());
      report.tiles += printForPeople(*alone);
    }
    for (tile::KernelOp kernel : module.getOps<tile::KernelOp>())
      if (kernel.getSymName() == options.onlyKernel)
        report.tiles += printForPeople(kernel) + "\n";
  };
  llvm::for_each(graph::kernelModules(*imported.module), print);
  llvm::for_each(graph::givenModules(*imported.module), print);
}

ModelPipelineOptions ModelCompiler::pipelineOptions() const {
  return {.isForeign = imported.isForeign,
          .isKernel = isKernel,
          .explains = options.wantFusion,
          .cpuSchedule = options.cpuSchedule ? options.cpuSchedule->text() : "",
          .gpuSchedule = options.schedule ? options.schedule->text() : "",
          .table = options.scheduleTable,
          .hasCpu = options.cpu.has_value(),
          .hasGpu = !options.gpus.empty(),
          .kernels = {.assertions = options.assertions,
                      .verifies = options.verifyEach}};
}

/// All passes that the program has before it.
std::string ModelCompiler::pipeline() {
  if (imported.rest)
    return *imported.rest;
  PassManager passes(&context);
  buildModelPipeline(passes, pipelineOptions());
  return textOf(passes);
}

/// Runs the passes up to the one that was asked for, and writes the module.
Status ModelCompiler::stop(const std::filesystem::path &output) {
  TILEWRIGHT_ASSIGN_OR_RETURN(CutPipeline cut,
                              cutPipeline(pipeline(), options.stopAfter));
  CutPipeline parts = cutBeforeCode(cut.first);
  TILEWRIGHT_RETURN_IF_ERROR(runPipeline(parts.first));
  if (!parts.rest.empty()) {
    TILEWRIGHT_RETURN_IF_ERROR(checkPlugins());
    for (Operation &code : *imported.module->getBody())
      if (isa<graph::CpuCodeOp, graph::GpuCodeOp>(code))
        for (auto module : code.getRegion(0).front().getOps<ModuleOp>())
          TILEWRIGHT_RETURN_IF_ERROR(checkLimits(module, options.findings));
    // The watch belongs to one thread.
    context.disableMultithreading();
    TILEWRIGHT_RETURN_IF_ERROR(runPipeline(parts.rest));
  }
  return output.empty() ? Status()
                        : writeCheckpoint(output, *imported.module, cut.rest);
}

/// A program that was stopped goes on to its kernels. Those that were stopped
/// themselves go the rest of their way by the passes that are left; all others
/// as if there had been no stop, from the cache for instance.
Status ModelCompiler::goOn() {
  CutPipeline parts = cutBeforeCode(*imported.rest);
  PassManager code(&context);
  buildCodePipeline(code, pipelineOptions());
  if (parts.rest != textOf(code))
    codeRest = parts.rest;
  return runPipeline(parts.first);
}

/// From the graph to the program and its kernels.
Status ModelCompiler::makeKernels() {
  if (imported.rest && options.wantFusion)
    return Status::invalidInput(
        model.string() + ": the fusion plan is made from the model itself, not "
                         "from a file in which it is made already");
  if (imported.rest)
    return goOn();
  if (!isKernel) {
    PassManager passes(&context);
    graph::buildGroupsPipeline(passes, options.wantFusion);
    TILEWRIGHT_RETURN_IF_ERROR(run(passes, "the graph cannot be lowered"));
    if (options.wantFusion)
      TILEWRIGHT_RETURN_IF_ERROR(explain());
  }
  PassManager passes(&context);
  buildLoweringPipeline(passes, pipelineOptions());
  return run(passes, "the graph cannot be lowered");
}

/// A model: graph, groups, kernels, package.
Status ModelCompiler::writeGraph(const std::filesystem::path &output) {
  TimingScope step = timing.nest("Fusion and tile kernels");
  TILEWRIGHT_RETURN_IF_ERROR(makeKernels());
  runtime::PackageManifest manifest = startManifest();
  PackageBuilder builder(*imported.module->getOps<func::FuncOp>().begin());
  TILEWRIGHT_RETURN_IF_ERROR(builder.describe(manifest));
  report.steps = manifest.steps.size();
  TILEWRIGHT_ASSIGN_OR_RETURN(report.memory,
                              plannedMemory(manifest, options.maxShapes));
  if (options.wantTiles)
    printTiles();
  report.lowerSeconds = lap();
  step.stop();
  findKernels();
  TILEWRIGHT_RETURN_IF_ERROR(checkOnlyKernel());
  TILEWRIGHT_RETURN_IF_ERROR(compileKernels(output.empty()));
  if (output.empty())
    return Status();
  return writePackage(output, std::move(manifest), &builder);
}

/// Whether the package is a function of the model's file and the options.
bool ModelCompiler::isCacheable() {
  if (!packages || imported.hasExternalData)
    return false;
  bool hasValues = false;
  for (auto func : imported.module->getOps<func::FuncOp>())
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      hasValues |= bool(func.getArgAttr(i, "graph.fixed"));
  return !hasValues;
}

/// `builder` has the weights; null where there are none.
Status ModelCompiler::writePackage(const std::filesystem::path &output,
                                   runtime::PackageManifest manifest,
                                   PackageBuilder *builder) {
  TimingScope step = timing.nest("Package");
  watch.beginPhase("package");
  if (!watch.goOn())
    return limits.failure(watch.stop(), "", options.findings);
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::PackageWriter writer,
                              runtime::PackageWriter::create(output));
  for (const KernelImage &image : images) {
    manifest.kernels.push_back(image.manifest);
    TILEWRIGHT_RETURN_IF_ERROR(
        writer.addFile(image.manifest.image, std::string_view(image.code)));
  }
  addOrigins(manifest);
  if (builder)
    TILEWRIGHT_RETURN_IF_ERROR(builder->addWeights(writer));
  TILEWRIGHT_RETURN_IF_ERROR(writer.seal(std::move(manifest)));
  if (isCacheable())
    if (Status kept = packages->keep(writer.directory(), report); !kept.ok()) {
      Diagnostic &warning = report.warnings.emplace_back();
      warning.severity = Severity::warning;
      warning.code = "cache";
      warning.message = "the package is not kept: " + kept.message();
    }
  return writer.commit();
}

/// From the model to the program that passes run on.
Status ModelCompiler::begin() {
  TILEWRIGHT_RETURN_IF_ERROR(import());
  report.nodes = info.nodeCount;
  report.importSeconds = lap();
  if (options.wantGraph)
    report.graph = printForPeople(*imported.module);
  if (imported.kernel)
    TILEWRIGHT_RETURN_IF_ERROR(bindKernels());
  isKernel = imported.module->getOps<func::FuncOp>().empty() &&
             !graph::kernelModules(*imported.module).empty();
  placeUnwritten(*imported.module);
  return Status();
}

StatusOr<std::vector<std::string>> ModelCompiler::listPasses() {
  TILEWRIGHT_RETURN_IF_ERROR(begin());
  return passNames(pipeline());
}

StatusOr<CompileModelReport>
ModelCompiler::run(const std::filesystem::path &output) {
  PassPrinter printer(context, options.printPasses);
  if (!options.printPasses.wanted())
    watched.emplace(context, watch);
  TILEWRIGHT_RETURN_IF_ERROR(begin());
  TILEWRIGHT_RETURN_IF_ERROR(!options.stopAfter.empty() ? stop(output)
                             : isKernel                 ? writeKernel(output)
                                                        : writeGraph(output));
  report.codeSeconds = lap();
  addTexts();
  timing.stop();
  timer.print();
  report.passes = printer.passes();
  return std::move(report);
}

/// What is wanted of the kernels' texts.
void ModelCompiler::addTexts() {
  for (const KernelImage &image : images) {
    if (image.manifest.name.empty() || !isShown(image.manifest.name))
      continue;
    report.scheduled += image.scheduled;
    if (!image.explanation.empty())
      report.schedules += image.manifest.target + "  " + image.explanation;
    report.loops += image.loops;
    report.llvm += image.llvmIr;
    const bool isGpu = image.manifest.target.starts_with("sm_");
    if (options.wantPtx && isGpu)
      report.ptx.push_back(
          {image.manifest.name, image.manifest.target, image.code});
    report.assembly += isGpu ? image.code : image.assembly;
  }
}

StatusOr<std::vector<KernelToSchedule>> ModelCompiler::listKernels() {
  TILEWRIGHT_RETURN_IF_ERROR(import());
  SmallVector<StringRef> keys = scheduleKeys(*imported.module);
  std::vector<KernelToSchedule> kernels;
  if (imported.kernel) {
    for (StringRef key : keys)
      kernels.push_back({imported.kernel->text(), info.name, key.str()});
    return kernels;
  }
  PassManager passes(&context);
  graph::buildGroupsPipeline(passes);
  TILEWRIGHT_RETURN_IF_ERROR(run(passes, "the graph cannot be lowered"));
  for (auto func : imported.module->getOps<func::FuncOp>())
    for (auto group : func.getOps<graph::GroupOp>())
      for (StringRef key : keys)
        if (hasChoices(group))
          kernels.push_back(kernelOf(group, key));
  return kernels;
}

} // namespace tilewright
