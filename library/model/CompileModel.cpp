//===- CompileModel.cpp - From a model file to a package ------------------===//
#include "library/model/CompileModel.h"

#include "codegen/pipeline/Compile.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "frontends/onnx/Import.h"
#include "graph/analysis/Explain.h"
#include "graph/lowering/Outline.h"
#include "graph/lowering/PrepareGraph.h"
#include "graph/transforms/Passes.h"
#include "library/model/GivenKernels.h"
#include "library/model/GraphInterface.h"
#include "library/model/ImportOnnx.h"
#include "library/model/KernelPackage.h"
#include "library/model/KernelText.h"
#include "library/model/PackageBuilder.h"
#include "library/model/PlannedMemory.h"
#include "library/model/ScheduleChoice.h"
#include "library/model/SpillWarnings.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/Timing.h"
#include "runtime/core/MappedFile.h"
#include "runtime/core/PackageWriter.h"
#include "llvm/ADT/StringExtras.h"
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
      : model(model), options(options), context(registry()),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            append(diagnostic);
          return success();
        }) {
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

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    onnx::registerDialects(registry);
    graph::registerModuleDialects(registry);
    return registry;
  }
  void append(mlir::Diagnostic &diagnostic);
  /// What went wrong, at its place in the model's file if that is known.
  Status failure(const std::string &stage) const {
    if (StringRef(errors).starts_with(model.string() + ":"))
      return Status::unsupported(errors);
    return Status::unsupported(model.string() + ": " + stage +
                               (errors.empty() ? "" : ": " + errors));
  }
  Status import();
  Status importModule();
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
    graph::TileLimits limits;
    /// The target that schedules are chosen for.
    std::string target;
    SmallVector<tile::KernelOp> kernels;
    /// Of a kernel written by hand: its tunables bound for this target.
    OwningOpRef<ModuleOp> bound;
    /// Of kernels by name, where one was chosen, and where it is from.
    std::map<std::string, std::string> schedules, origins;
  };
  void makeVariants();
  FailureOr<graph::GroupChoice> choose(const graph::Group &group,
                                       const Variant &variant);
  Status bindKernel(Variant &variant);
  Status setSchedule(const Variant &variant, StringRef kernel,
                     CompileOptions &compileOptions) const;
  StatusOr<KernelImage> compileKernel(tile::KernelOp kernel,
                                      const Target &target,
                                      const CompileOptions &options) const;
  Status compileKernels(bool isUnwritten);
  void explain(ArrayRef<graph::Group> groups);
  bool isShown(StringRef kernel) const {
    return options.onlyKernel.empty() || kernel == options.onlyKernel;
  }
  Status checkOnlyKernel() const;
  void printTiles(const graph::GraphProgram &program);
  void addTexts();
  StatusOr<SmallVector<tile::KernelOp>> kernelsOf(ModuleOp module,
                                                  const graph::GraphProgram &);
  Status writeGraph(const std::filesystem::path &output);
  Status writeKernel(const std::filesystem::path &output);
  runtime::PackageManifest startManifest() const;
  void addKernels(runtime::PackageManifest &manifest) const;
  void addOrigins(runtime::PackageManifest &manifest) const;
  double lap();

  std::filesystem::path model;
  const CompileModelOptions &options;
  MLIRContext context;
  std::mutex mutex;
  std::string errors;
  ScopedDiagnosticHandler handler;
  onnx::ImportedModel imported;
  /// Where the model is a tile kernel written by hand.
  std::optional<KernelText> kernelText;
  GivenKernels given;
  std::vector<Variant> variants;
  std::vector<KernelImage> images;
  CompileModelReport report;
  llvm::raw_string_ostream timesStream{report.times};
  DefaultTimingManager timer;
  TimingScope timing;
  std::chrono::steady_clock::time_point mark = std::chrono::steady_clock::now();
};
} // namespace

void ModelCompiler::append(mlir::Diagnostic &diagnostic) {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::raw_string_ostream stream(errors);
  if (!errors.empty())
    stream << "\n";
  stream << placePrefix(diagnostic.getLocation()) << diagnostic.str();
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    if (!isOpText(note))
      stream << "\n"
             << placePrefix(note.getLocation()) << "note: " << note.str();
}

double ModelCompiler::lap() {
  auto now = std::chrono::steady_clock::now();
  double seconds = std::chrono::duration<double>(now - mark).count();
  mark = now;
  return seconds;
}

/// Reads a module; that of a kernel is a template, perhaps.
Status ModelCompiler::importModule() {
  StatusOr<std::string> text = runtime::readFile(model);
  if (!text.ok() || !isKernelText(*text)) {
    imported.module =
        parseSourceFile<ModuleOp>(model.string(), ParserConfig(&context));
    if (!imported.module)
      return Status::invalidInput(
          StringRef(errors).starts_with(model.string() + ":")
              ? errors
              : model.string() + ": " + errors);
    // Bytecode need not hold the op's name in one piece.
    if (imported.module->getOps<tile::KernelOp>().empty()) {
      TILEWRIGHT_RETURN_IF_ERROR(checkGraphInterface(*imported.module));
      return failed(graph::importGraph(*imported.module))
                 ? failure("the module cannot be imported")
                 : Status();
    }
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      KernelText kernel, KernelText::open(*std::move(text), model.string()));
  TILEWRIGHT_ASSIGN_OR_RETURN(imported.module, kernel.parse(context, {}));
  if (!imported.module->getOps<tile::KernelOp>().empty())
    kernelText = std::move(kernel);
  return Status();
}

Status ModelCompiler::import() {
  TimingScope scope = timing.nest("Import");
  if (model.extension() == ".mlir") {
    if (!options.replacements.empty())
      return Status::invalidInput(
          model.string() +
          ": a pattern of ONNX nodes needs an .onnx model to match");
    TILEWRIGHT_RETURN_IF_ERROR(importModule());
    imported.name = model.stem().string();
    imported.module->walk([&](Operation *) { ++imported.nodeCount; });
    return Status();
  }
  if (model.extension() != ".onnx")
    return Status::invalidInput(model.string() +
                                ": expected a model file that ends in .onnx or "
                                ".mlir, found '" +
                                model.extension().string() + "'");
  onnx::ImportOptions importOptions;
  importOptions.inputShapes = options.inputShapes;
  TILEWRIGHT_RETURN_IF_ERROR(given.read(context, options.replacements));
  importOptions.replacements = given.replacements();
  TILEWRIGHT_ASSIGN_OR_RETURN(imported, importOnnx(context, model.string(),
                                                   std::move(importOptions),
                                                   options.inputValues));
  return Status();
}

/// What kernels are compiled for.
std::vector<ModelCompiler::Target> ModelCompiler::targets() const {
  std::vector<Target> all;
  if (options.cpu)
    all.push_back({Target::Kind::cpu, nullptr, 0});
  if (options.interpreter)
    all.push_back({Target::Kind::interpreter, nullptr, 0});
  for (const target::GpuTarget *gpu : options.gpus) {
    auto own = llvm::find_if(variants, [&](const Variant &variant) {
      return variant.target == gpu->name;
    });
    size_t last = variants.size() - 1;
    all.push_back({Target::Kind::gpu, gpu,
                   std::min<size_t>(own - variants.begin(), last)});
  }
  return all;
}

/// One for the CPU and one for all GPUs, which have their own only where
/// schedules are chosen for each.
void ModelCompiler::makeVariants() {
  if (options.cpu || options.interpreter || options.gpus.empty())
    variants.push_back(
        {graph::TileLimits::cpu(options.cpu ? options.cpu->threads : 1),
         "cpu",
         {},
         {},
         {},
         {}});
  for (const target::GpuTarget *gpu : options.gpus) {
    variants.push_back(
        {graph::TileLimits::gpu(), std::string(gpu->name), {}, {}, {}, {}});
    if (!options.chooseSchedule)
      return;
  }
}

/// The choice for a group: how it is cut, and the rest of its schedule.
FailureOr<graph::GroupChoice> ModelCompiler::choose(const graph::Group &group,
                                                    const Variant &variant) {
  KernelToSchedule kernel{"", llvm::join(graph::nodesOf(group), " + "),
                          variant.target};
  if (options.chooseSchedule)
    if (OwningOpRef<ModuleOp> code = graph::outline(group))
      kernel.code = graph::outlinedText(*code);
  std::optional<ChosenSchedule> chosen = takenFor(kernel, options);
  if (!chosen)
    return graph::GroupChoice();
  StatusOr<graph::GroupChoice> choice =
      splitSchedule(*chosen, variant.target == "cpu");
  if (!choice.ok())
    return group.last->emitError(choice.status().message());
  return *std::move(choice);
}

/// Gives a kernel the schedule that was chosen for its group.
Status ModelCompiler::setSchedule(const Variant &variant, StringRef kernel,
                                  CompileOptions &compileOptions) const {
  auto chosen = variant.schedules.find(kernel.str());
  if (chosen == variant.schedules.end())
    return Status();
  if (variant.target == "cpu") {
    TILEWRIGHT_ASSIGN_OR_RETURN(compileOptions.cpuSchedule,
                                schedule::CpuSchedule::parse(chosen->second));
  } else {
    TILEWRIGHT_ASSIGN_OR_RETURN(compileOptions.schedule,
                                schedule::Schedule::parse(chosen->second));
  }
  return Status();
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

/// Each kernel for each target: the images of one target follow each other.
Status ModelCompiler::compileKernels(bool isUnwritten) {
  const std::vector<Target> targets = this->targets();
  size_t count = variants.front().kernels.size();
  report.kernels = count;
  images.resize(count * targets.size());
  std::vector<Status> results(images.size());
  TimingScope scope = timing.nest("Kernels");
  CompileOptions compileOptions;
  compileOptions.timing = &scope;
  compileOptions.budget = options.budget;
  compileOptions.assertions = options.assertions;
  compileOptions.verifyEach = options.verifyEach;
  compileOptions.onScheduled = options.onScheduled;
  compileOptions.lineInfo = options.lineInfo;
  compileOptions.schedule = options.schedule;
  compileOptions.cpuSchedule = options.cpuSchedule;
  compileOptions.wantExplanation = options.wantSchedules;
  compileOptions.wantText = options.wantScheduled || options.wantLoops ||
                            options.wantLlvm || options.wantAssembly;
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
      if (kernelText && target.kind == Target::Kind::cpu)
        own.remarks = &remarks[i];
      Status given = setSchedule(variant, kernel.getSymName(), own);
      StatusOr<KernelImage> image =
          given.ok() ? compileKernel(kernel, target, own) : given;
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
  manifest.name = imported.name.empty() ? model.stem().string() : imported.name;
  manifest.metadata = imported.metadata;
  return manifest;
}

void ModelCompiler::addKernels(runtime::PackageManifest &manifest) const {
  for (const KernelImage &image : images)
    manifest.kernels.push_back(image.manifest);
}

/// Where the schedules of kernels are from.
void ModelCompiler::addOrigins(runtime::PackageManifest &manifest) const {
  for (const Variant &variant : variants)
    for (const auto &[kernel, origin] : variant.origins)
      manifest.metadata["tuning." + variant.target + "." + kernel] = origin;
}

/// The kernels of a lowered graph, and those that the user gave to it.
StatusOr<SmallVector<tile::KernelOp>>
ModelCompiler::kernelsOf(ModuleOp module, const graph::GraphProgram &program) {
  SmallVector<tile::KernelOp> kernels(module.getOps<tile::KernelOp>());
  for (const graph::GraphStep &step : program.steps)
    if (!module.lookupSymbol(step.kernel) && !given.contains(step.kernel))
      return Status::invalidInput(model.string() + ": graph.replaced names @" +
                                  step.kernel +
                                  ", expected a kernel that was given");
  llvm::append_range(kernels, given.kernels());
  return kernels;
}

/// The fusion plan, and what of the user's patterns is not in it.
void ModelCompiler::explain(ArrayRef<graph::Group> groups) {
  report.fusionText = graph::explainText(groups, report.nodes);
  llvm::json::Value plan = graph::explainJson(groups, report.nodes);
  llvm::json::Array notReplaced;
  for (const std::string &reason : imported.notReplaced) {
    report.fusionText += "not replaced: " + reason + "\n";
    notReplaced.push_back(reason);
  }
  if (!notReplaced.empty())
    (*plan.getAsObject())["notReplaced"] = std::move(notReplaced);
  report.fusionJson = llvm::formatv("{0:2}", plan).str();
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
void ModelCompiler::printTiles(const graph::GraphProgram &program) {
  auto print = [&](ModuleOp module) {
    if (options.onlyKernel.empty())
      report.tiles += printForPeople(module);
    for (tile::KernelOp kernel : module.getOps<tile::KernelOp>())
      if (kernel.getSymName() == options.onlyKernel)
        report.tiles += printForPeople(kernel) + "\n";
  };
  for (const OwningOpRef<ModuleOp> &kernels : program.kernels)
    print(*kernels);
  for (tile::KernelOp kernel : given.kernels())
    print(kernel->getParentOfType<ModuleOp>());
}

/// A model: graph, groups, kernels, package.
Status ModelCompiler::writeGraph(const std::filesystem::path &output) {
  TimingScope step = timing.nest("Fusion and tile kernels");
  makeVariants();
  SmallVector<graph::TileLimits> limits;
  for (const Variant &variant : variants)
    limits.push_back(variant.limits);
  FailureOr<graph::GraphProgram> program = graph::lowerGraph(
      *imported.module, limits,
      [this](const graph::Group &group, graph::SymbolicShapes &,
             size_t variant) { return choose(group, variants[variant]); });
  if (failed(program))
    return failure("the graph cannot be lowered");
  report.steps = program->steps.size();
  runtime::PackageManifest manifest = startManifest();
  PackageBuilder builder(*program);
  TILEWRIGHT_RETURN_IF_ERROR(builder.describe(manifest));
  TILEWRIGHT_ASSIGN_OR_RETURN(report.memory,
                              plannedMemory(manifest, options.maxShapes));
  explain(program->groups);
  for (const OwningOpRef<ModuleOp> &kernels : program->kernels)
    if (mlir::failed(mlir::verify(*kernels)))
      return failure("an emitted kernel is invalid");
  if (options.wantTiles)
    printTiles(*program);
  report.lowerSeconds = lap();
  step.stop();
  for (size_t i = 0; i < variants.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(variants[i].kernels,
                                kernelsOf(*program->kernels[i], *program));
    for (auto &[kernel, choice] : program->choices[i]) {
      if (choice.isChosen)
        variants[i].schedules[kernel] = choice.schedule;
      if (!choice.origin.empty())
        variants[i].origins[kernel] = choice.origin;
    }
  }
  TILEWRIGHT_RETURN_IF_ERROR(checkOnlyKernel());
  if (options.onlyChoose)
    return Status();
  TILEWRIGHT_RETURN_IF_ERROR(compileKernels(output.empty()));
  if (output.empty())
    return Status();
  step = timing.nest("Package");
  addKernels(manifest);
  addOrigins(manifest);
  return builder.write(output, std::move(manifest), images);
}

/// Gives a variant the kernel written by hand, by the schedule that is taken
/// for it.
Status ModelCompiler::bindKernel(Variant &variant) {
  graph::GroupChoice choice;
  std::optional<ChosenSchedule> chosen =
      takenFor({kernelText->text(), imported.name, variant.target}, options);
  if (chosen) {
    StatusOr<graph::GroupChoice> split =
        splitSchedule(*chosen, variant.target == "cpu");
    if (!split.ok())
      return split.status().prefixed(model.string());
    choice = *std::move(split);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      variant.bound,
      kernelText->bind(context, {choice.cut.begin(), choice.cut.end()}));
  StatusOr<tile::KernelOp> found =
      onlyKernel(*variant.bound, options.onlyKernel);
  if (!found.ok())
    return found.status().prefixed(model.string());
  tile::KernelOp kernel = *found;
  variant.kernels.push_back(kernel);
  if (chosen)
    variant.schedules[kernel.getSymName().str()] = choice.schedule;
  if (!choice.origin.empty())
    variant.origins[kernel.getSymName().str()] = choice.origin;
  return Status();
}

/// A tile kernel written by hand: a package of one step.
Status ModelCompiler::writeKernel(const std::filesystem::path &output) {
  report.steps = 1;
  makeVariants();
  for (Variant &variant : variants)
    TILEWRIGHT_RETURN_IF_ERROR(bindKernel(variant));
  tile::KernelOp kernel = variants.front().kernels.front();
  for (const Variant &variant : variants) {
    if (Status alike =
            checkSameInterface(kernel, variants.front().target,
                               variant.kernels.front(), variant.target);
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
  if (options.onlyChoose)
    return Status();
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
  report.nodes = imported.nodeCount;
  report.importSeconds = lap();
  if (options.wantGraph)
    report.graph = printForPeople(*imported.module);
  TILEWRIGHT_RETURN_IF_ERROR(kernelText ? writeKernel(output)
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

} // namespace tilewright
