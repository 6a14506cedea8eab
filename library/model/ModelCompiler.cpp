//===- ModelCompiler.cpp - One compilation of a model ---------------------===//
#include "library/model/ModelCompiler.h"

#include "graph/analysis/Explain.h"
#include "graph/lowering/Program.h"
#include "graph/pipeline/Pipelines.h"
#include "library/model/Checkpoint.h"
#include "library/model/KernelPackage.h"
#include "library/model/PlannedMemory.h"
#include "library/model/ScheduleChoice.h"
#include "library/model/SpillWarnings.h"
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

/// What kernels are compiled for.
std::vector<ModelCompiler::Target> ModelCompiler::targets() const {
  std::vector<Target> all;
  auto variantOf = [&](std::string_view target) {
    auto own = llvm::find_if(variants, [&](const Variant &variant) {
      return llvm::is_contained(variant.targets, target);
    });
    return size_t(own - variants.begin());
  };
  if (options.cpu)
    all.push_back({"cpu", variantOf("cpu")});
  if (options.interpreter)
    all.push_back({"interpreter", variantOf("interpreter")});
  for (const target::GpuTarget *gpu : options.gpus)
    all.push_back({std::string(gpu->name), variantOf(gpu->name)});
  return all;
}

/// Each kernel for each target: the images of one target follow each other.
Status ModelCompiler::compileKernels(bool isUnwritten) {
  report.kernels = variants.front().kernels.size();
  std::vector<KernelTask> tasks;
  for (const Target &target : targets())
    for (tile::KernelOp kernel : variants[target.variant].kernels)
      if (!isUnwritten || isShown(kernel.getSymName()))
        tasks.push_back(
            {kernel, target.name, imported.kernel && target.name == "cpu"});
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
  if (imported.rest)
    return Status::invalidInput(
        model.string() + ": the fusion plan is made from the model itself, not "
                         "from a file in which it is made already");
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
          .explains = options.wantFusion,
          .cpuSchedule = options.cpuSchedule ? options.cpuSchedule->text() : "",
          .gpuSchedule = options.schedule ? options.schedule->text() : "",
          .table = options.scheduleTable};
}

/// Runs the passes up to the one that was asked for, and writes the module.
Status ModelCompiler::stop(const std::filesystem::path &output) {
  std::string pipeline;
  if (imported.rest) {
    pipeline = "builtin.module(" + *imported.rest + ")";
  } else {
    PassManager passes(&context);
    buildModelPipeline(passes, pipelineOptions());
    pipeline = textOf(passes);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(CutPipeline cut,
                              cutPipeline(pipeline, options.stopAfter));
  TILEWRIGHT_RETURN_IF_ERROR(runPipeline(cut.first));
  return output.empty() ? Status()
                        : writeCheckpoint(output, *imported.module, cut.rest);
}

/// From the graph to the program and its kernels.
Status ModelCompiler::makeKernels() {
  if (options.wantFusion || !imported.rest) {
    PassManager passes(&context);
    graph::buildGroupsPipeline(passes, options.wantFusion);
    if (!imported.rest)
      TILEWRIGHT_RETURN_IF_ERROR(run(passes, "the graph cannot be lowered"));
    if (options.wantFusion)
      TILEWRIGHT_RETURN_IF_ERROR(explain());
  }
  if (imported.rest)
    return runPipeline(*imported.rest);
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
    if (Status kept = packages->keep(writer.directory(), report); !kept.ok())
      report.warnings.push_back("the package is not kept: " + kept.message());
  return writer.commit();
}

/// The schedule that is taken for a kernel written by hand.
StatusOr<std::optional<ChosenSchedule>>
ModelCompiler::chooseForKernel(const std::string &target) const {
  if (options.scheduleTable) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        std::optional<ChosenSchedule> found,
        options.scheduleTable->find(
            {imported.kernel->text(), info.name, target}));
    if (found)
      return found;
  }
  if (target == "cpu" && options.cpuSchedule)
    return ChosenSchedule{options.cpuSchedule->text(), ""};
  if (target != "cpu" && options.schedule)
    return ChosenSchedule{options.schedule->text(), ""};
  return std::nullopt;
}

/// Gives a variant the kernel written by hand, by the schedule that is taken
/// for it.
Status ModelCompiler::bindKernel(Variant &variant) {
  const std::string &target = variant.targets.front();
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<ChosenSchedule> chosen,
                              chooseForKernel(target));
  graph::GroupSchedule choice;
  std::map<std::string, int64_t> values;
  if (chosen) {
    StatusOr<graph::GroupSchedule> split =
        splitSchedule(*chosen, target == "cpu", &context);
    if (!split.ok())
      return split.status().prefixed(model.string());
    choice = *std::move(split);
    values = choice.cutValues();
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(variant.bound,
                              imported.kernel->bind(context, values));
  StatusOr<tile::KernelOp> found =
      onlyKernel(*variant.bound, options.onlyKernel);
  if (!found.ok())
    return found.status().prefixed(model.string());
  tile::KernelOp kernel = *found;
  variant.kernels.push_back(kernel);
  variant.schedule = choice.schedule;
  if (!choice.origin.empty())
    variant.origins[kernel.getSymName().str()] = choice.origin;
  return Status();
}

/// One for the CPU and the interpreter, and one for all GPUs, which have their
/// own only where a table may choose for each.
void ModelCompiler::makeKernelVariants() {
  if (options.cpu || options.gpus.empty() || options.interpreter)
    variants.push_back({{"cpu", "interpreter"}});
  for (const target::GpuTarget *gpu : options.gpus) {
    if (options.scheduleTable || variants.empty() ||
        variants.back().targets.front() == "cpu")
      variants.emplace_back();
    variants.back().targets.emplace_back(gpu->name);
  }
}

/// A tile kernel written by hand: a package of one step.
Status ModelCompiler::writeKernel(const std::filesystem::path &output) {
  report.steps = 1;
  makeKernelVariants();
  for (Variant &variant : variants)
    TILEWRIGHT_RETURN_IF_ERROR(bindKernel(variant));
  tile::KernelOp kernel = variants.front().kernels.front();
  for (const Variant &variant : variants) {
    if (Status alike = checkSameInterface(
            kernel, variants.front().targets.front(), variant.kernels.front(),
            variant.targets.front());
        !alike.ok())
      return alike.prefixed(model.string());
    if (!options.wantTiles)
      continue;
    if (std::string text = printForPeople(*variant.bound);
        !StringRef(report.tiles).ends_with(text))
      report.tiles += text;
  }
  for (const Variant &variant : variants)
    if (tile::KernelOp own = variant.kernels.front(); variant.schedule)
      own->setAttr(tile::TileDialect::kScheduleAttr, variant.schedule);
  // What is wrong with the kernel's interface is told whatever is wanted; what
  // a package cannot pass matters to a package alone.
  runtime::PackageManifest manifest = startManifest();
  if (Status described = describeKernelPackage(kernel, manifest);
      !described.ok() &&
      (described.code() != StatusCode::unsupported || !output.empty()))
    return described;
  TILEWRIGHT_RETURN_IF_ERROR(compileKernels(output.empty()));
  if (output.empty())
    return Status();
  return writePackage(output, std::move(manifest), nullptr);
}

StatusOr<CompileModelReport>
ModelCompiler::run(const std::filesystem::path &output) {
  PassPrinter printer(context, options.printPasses);
  if (!options.printPasses.wanted())
    watched.emplace(context, watch);
  TILEWRIGHT_RETURN_IF_ERROR(import());
  report.nodes = info.nodeCount;
  report.importSeconds = lap();
  if (options.wantGraph)
    report.graph = printForPeople(*imported.module);
  if (imported.kernel && !options.stopAfter.empty())
    return Status::invalidInput(
        model.string() + ": --stop-after stops a graph; the passes of a tile "
                         "kernel run one by one in tilewright-opt");
  TILEWRIGHT_RETURN_IF_ERROR(!options.stopAfter.empty() ? stop(output)
                             : imported.kernel          ? writeKernel(output)
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
