//===- CompileModel.cpp - From a model file to a package ------------------===//
#include "library/model/CompileModel.h"

#include "codegen/pipeline/Compile.h"
#include "graph/analysis/Explain.h"
#include "graph/lowering/Program.h"
#include "graph/pipeline/Pipelines.h"
#include "library/model/Checkpoint.h"
#include "library/model/ImportModel.h"
#include "library/model/KernelPackage.h"
#include "library/model/ModelInfo.h"
#include "library/model/ModelPipeline.h"
#include "library/model/PackageBuilder.h"
#include "library/model/PlannedMemory.h"
#include "library/model/ScheduleChoice.h"
#include "library/model/SpillWarnings.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "runtime/core/PackageWriter.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"
#include <chrono>
#include <mutex>

using namespace mlir;

namespace tilewright {

namespace {
/// One compilation, stage by stage.
class ModelCompiler {
public:
  ModelCompiler(const std::filesystem::path &model,
                const CompileModelOptions &options)
      : model(model), options(options), context(modelDialects()),
        errors(context, model.string()) {
    prepareContext(context);
    timer.setEnabled(options.times != CompileModelOptions::TimeFormat::none);
    timer.setDisplayMode(DefaultTimingManager::DisplayMode::List);
    timer.setOutput(createOutputStrategy(
        options.times == CompileModelOptions::TimeFormat::json
            ? DefaultTimingManager::OutputFormat::Json
            : DefaultTimingManager::OutputFormat::Text,
        timesStream));
    timing = timer.getRootScope();
  }

  StatusOr<CompileModelReport> run(const std::filesystem::path &output);
  StatusOr<std::vector<KernelToSchedule>> listKernels();

private:
  struct Target {
    enum class Kind { cpu, interpreter, gpu } kind;
    /// Null but for a GPU.
    const target::GpuTarget *gpu;
    /// Which of the variants of the kernels it runs.
    size_t variant;
  };
  std::vector<Target> targets() const;
  /// The kernels for some targets: cut alike.
  struct Variant {
    /// As TargetAttr names them.
    std::vector<std::string> targets;
    SmallVector<tile::KernelOp> kernels = {};
    /// Of a kernel written by hand: its tunables bound for this target.
    OwningOpRef<ModuleOp> bound = {};
    /// Of kernels by name, where their schedules are from.
    std::map<std::string, std::string> origins = {};
  };
  Status import();
  Status run(PassManager &passes, StringRef what);
  Status runPipeline(const std::string &pipeline);
  ModelPipelineOptions pipelineOptions() const;
  Status makeKernels();
  Status stop(const std::filesystem::path &output);
  void makeKernelVariants();
  Status bindKernel(Variant &variant);
  StatusOr<std::optional<ChosenSchedule>>
  chooseForKernel(const std::string &target) const;
  StatusOr<KernelImage> compileKernel(tile::KernelOp kernel,
                                      const Target &target,
                                      const CompileOptions &options) const;
  CompileOptions kernelOptions(TimingScope &scope) const;
  Status compileKernels(bool isUnwritten);
  Status explain();
  bool isShown(StringRef kernel) const {
    return options.onlyKernel.empty() || kernel == options.onlyKernel;
  }
  Status checkOnlyKernel() const;
  void findKernels();
  void printTiles();
  void addTexts();
  Status writeGraph(const std::filesystem::path &output);
  Status writeKernel(const std::filesystem::path &output);
  runtime::PackageManifest startManifest() const;
  void addKernels(runtime::PackageManifest &manifest) const;
  void addOrigins(runtime::PackageManifest &manifest) const;
  double lap();

  std::filesystem::path model;
  const CompileModelOptions &options;
  MLIRContext context;
  ModelErrors errors;
  ImportedModule imported;
  ModelInfo info;
  std::vector<Variant> variants;
  std::vector<KernelImage> images;
  CompileModelReport report;
  llvm::raw_string_ostream timesStream{report.times};
  DefaultTimingManager timer;
  TimingScope timing;
  std::chrono::steady_clock::time_point mark = std::chrono::steady_clock::now();
};
} // namespace

double ModelCompiler::lap() {
  auto now = std::chrono::steady_clock::now();
  double seconds = std::chrono::duration<double>(now - mark).count();
  mark = now;
  return seconds;
}

/// Runs passes on the module.
Status ModelCompiler::run(PassManager &passes, StringRef what) {
  passes.enableTiming(timing);
  return failed(passes.run(*imported.module)) ? errors.failure(what.str())
                                              : Status();
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
  TILEWRIGHT_ASSIGN_OR_RETURN(imported,
                              importModule(context, model, options, errors));
  if (imported.isForeign && options.stopAfter.empty()) {
    PassManager passes(&context);
    graph::buildModulePipeline(passes);
    TILEWRIGHT_RETURN_IF_ERROR(run(passes, "the module cannot be imported"));
  }
  info = ModelInfo::of(*imported.module).value_or(ModelInfo());
  if (model.extension() == ".mlir" && !imported.rest) {
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
    all.push_back({Target::Kind::cpu, nullptr, variantOf("cpu")});
  if (options.interpreter)
    all.push_back(
        {Target::Kind::interpreter, nullptr, variantOf("interpreter")});
  for (const target::GpuTarget *gpu : options.gpus)
    all.push_back({Target::Kind::gpu, gpu, variantOf(gpu->name)});
  return all;
}

StatusOr<KernelImage>
ModelCompiler::compileKernel(tile::KernelOp kernel, const Target &target,
                             const CompileOptions &compileOptions) const {
  switch (target.kind) {
  case Target::Kind::cpu:
    return compile(kernel, *options.cpu, compileOptions);
  case Target::Kind::interpreter:
    return compileForInterpreter(kernel);
  case Target::Kind::gpu:
    break;
  }
  return compile(kernel, *target.gpu, compileOptions);
}

/// What all kernels are compiled with.
CompileOptions ModelCompiler::kernelOptions(TimingScope &scope) const {
  CompileOptions compileOptions;
  compileOptions.timing = &scope;
  compileOptions.budget = options.budget;
  compileOptions.assertions = options.assertions;
  compileOptions.verifyEach = options.verifyEach;
  compileOptions.onScheduled = options.onScheduled;
  compileOptions.lineInfo = options.lineInfo;
  compileOptions.wantExplanation = options.wantSchedules;
  compileOptions.wantText = options.wantScheduled || options.wantLoops ||
                            options.wantLlvm || options.wantAssembly;
  return compileOptions;
}

/// Each kernel for each target: the images of one target follow each other.
Status ModelCompiler::compileKernels(bool isUnwritten) {
  const std::vector<Target> targets = this->targets();
  size_t count = variants.front().kernels.size();
  report.kernels = count;
  images.resize(count * targets.size());
  std::vector<Status> results(images.size());
  TimingScope scope = timing.nest("Kernels");
  const CompileOptions compileOptions = kernelOptions(scope);
  std::vector<std::vector<Remark>> remarks(images.size());
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(
      options.printPasses.wanted() ? 1 : options.threads));
  size_t done = 0;
  std::mutex progressMutex;
  for (size_t i = 0; i < images.size(); ++i) {
    if (isUnwritten &&
        !isShown(
            tile::KernelOp(variants.front().kernels[i % count]).getSymName()))
      continue;
    pool.async([&, i] {
      const Target &target = targets[i / count];
      const Variant &variant = variants[target.variant];
      tile::KernelOp kernel = variant.kernels[i % count];
      CompileOptions own = compileOptions;
      if (imported.kernel && target.kind == Target::Kind::cpu)
        own.remarks = &remarks[i];
      // A kernel that the user gave has the schedule that all have.
      if (!kernel->hasAttr(tile::TileDialect::kScheduleAttr)) {
        own.schedule = options.schedule;
        own.cpuSchedule = options.cpuSchedule;
      }
      StatusOr<KernelImage> image = compileKernel(kernel, target, own);
      if (image.ok())
        images[i] = std::move(*image);
      else
        results[i] = image.status();
      std::lock_guard<std::mutex> lock(progressMutex);
      ++done;
      if (options.progress)
        options.progress(done, images.size());
    });
  }
  pool.wait();
  for (const Status &result : results)
    if (!result.ok())
      return result;
  for (const std::vector<Remark> &found : remarks)
    warnOfSpills(found, report.warnings);
  return Status();
}

runtime::PackageManifest ModelCompiler::startManifest() const {
  runtime::PackageManifest manifest;
  manifest.producer = "tilewright " TILEWRIGHT_VERSION;
  manifest.name = info.name;
  manifest.metadata = info.metadata;
  return manifest;
}

void ModelCompiler::addKernels(runtime::PackageManifest &manifest) const {
  for (const KernelImage &image : images)
    manifest.kernels.push_back(image.manifest);
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
  step = timing.nest("Package");
  addKernels(manifest);
  addOrigins(manifest);
  return builder.write(output, std::move(manifest), images);
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
  if (choice.schedule)
    kernel->setAttr(tile::TileDialect::kScheduleAttr, choice.schedule);
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
  TimingScope step = timing.nest("Package");
  addKernels(manifest);
  addOrigins(manifest);
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::PackageWriter writer,
                              runtime::PackageWriter::create(output));
  for (const KernelImage &image : images)
    TILEWRIGHT_RETURN_IF_ERROR(
        writer.addFile(image.manifest.image, std::string_view(image.code)));
  return writer.finish(std::move(manifest));
}

StatusOr<CompileModelReport>
ModelCompiler::run(const std::filesystem::path &output) {
  PassPrinter printer(context, options.printPasses);
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

StatusOr<CompileModelReport> compileModel(const std::filesystem::path &model,
                                          const std::filesystem::path &output,
                                          const CompileModelOptions &options) {
  return ModelCompiler(model, options).run(output);
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

StatusOr<std::vector<KernelToSchedule>>
kernelsToSchedule(const std::filesystem::path &model,
                  const CompileModelOptions &options) {
  return ModelCompiler(model, options).listKernels();
}

} // namespace tilewright
