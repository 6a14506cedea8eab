//===- CompileModel.cpp - From a model file to a package ------------------===//
#include "frontends/package/CompileModel.h"

#include "codegen/pipeline/Compile.h"
#include "frontends/graph/fusion/Explain.h"
#include "frontends/graph/lowering/Outline.h"
#include "frontends/graph/lowering/PrepareGraph.h"
#include "frontends/graph/normalize/Passes.h"
#include "frontends/onnx/Import.h"
#include "frontends/package/GivenKernels.h"
#include "frontends/package/ImportOnnx.h"
#include "frontends/package/KernelPackage.h"
#include "frontends/package/KernelText.h"
#include "frontends/package/PackageBuilder.h"
#include "frontends/package/ScheduleChoice.h"
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
  Status failure(const std::string &stage) const {
    return Status::unsupported(model.filename().string() + ": " + stage +
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
  Status compileKernels();
  void explain(ArrayRef<graph::Group> groups);
  StatusOr<SmallVector<tile::KernelOp>> kernelsOf(ModuleOp module,
                                                  const graph::GraphProgram &);
  Status writeGraph(const std::filesystem::path &output);
  Status writeKernel(const std::filesystem::path &output);
  runtime::PackageManifest startManifest() const;
  void addKernels(runtime::PackageManifest &manifest) const;
  void addOrigins(runtime::PackageManifest &manifest) const;
  Status planMemory(const runtime::PackageManifest &manifest);
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
  if (auto named = dyn_cast<NameLoc>(diagnostic.getLocation()))
    stream << "node '" << named.getName().getValue() << "': ";
  else if (!isa<UnknownLoc>(diagnostic.getLocation()))
    stream << diagnostic.getLocation() << ": ";
  stream << diagnostic.str();
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
      return Status::invalidInput(model.string() + ": " + errors);
    // Bytecode need not hold the op's name in one piece.
    if (imported.module->getOps<tile::KernelOp>().empty())
      return failed(graph::importGraph(*imported.module))
                 ? failure("the module cannot be imported")
                 : Status();
  }
  StatusOr<KernelText> kernel =
      KernelText::open(*std::move(text), model.string());
  if (!kernel.ok())
    return kernel.status().prefixed(model.string());
  StatusOr<OwningOpRef<ModuleOp>> module = kernel->parse(context, {});
  if (!module.ok())
    return module.status().prefixed(model.string());
  imported.module = std::move(*module);
  if (!imported.module->getOps<tile::KernelOp>().empty())
    kernelText = std::move(*kernel);
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
Status ModelCompiler::compileKernels() {
  const std::vector<Target> targets = this->targets();
  size_t count = variants.front().kernels.size();
  report.kernels = count;
  images.resize(count * targets.size());
  std::vector<Status> results(images.size());
  TimingScope scope = timing.nest("Kernels");
  CompileOptions compileOptions;
  compileOptions.timing = &scope;
  compileOptions.assertions = options.assertions;
  compileOptions.onScheduled = options.onScheduled;
  compileOptions.lineInfo = options.lineInfo;
  compileOptions.schedule = options.schedule;
  compileOptions.cpuSchedule = options.cpuSchedule;
  compileOptions.wantExplanation = options.wantSchedules;
  compileOptions.wantText = options.wantScheduled || options.wantLoops ||
                            options.wantLlvm || options.wantAssembly;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
  size_t done = 0;
  std::mutex progressMutex;
  for (size_t i = 0; i < images.size(); ++i)
    pool.async([&, i] {
      const Target &target = targets[i / count];
      const Variant &variant = variants[target.variant];
      tile::KernelOp kernel = variant.kernels[i % count];
      CompileOptions own = compileOptions;
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
  pool.wait();
  for (const Status &result : results)
    if (!result.ok())
      return result;
  return Status();
}

template <typename Op> static std::string printed(Op op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(32);
  flags.elideLargeResourceString(32);
  op->print(stream, flags);
  return text;
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

/// Fills in the report's memory, unless a dimension is unknown.
Status ModelCompiler::planMemory(const runtime::PackageManifest &manifest) {
  for (const auto &[name, shape] : options.maxShapes)
    if (llvm::none_of(manifest.inputs, [&name = name](const auto &input) {
          return input.name == name;
        }))
      return Status::invalidInput("the model has no input '" + name + "'");
  std::vector<runtime::Shape> shapes;
  for (const runtime::InterfaceTensor &input : manifest.inputs) {
    auto given = options.maxShapes.find(input.name);
    if (given != options.maxShapes.end()) {
      shapes.emplace_back(given->second.begin(), given->second.end());
      continue;
    }
    runtime::Shape &shape = shapes.emplace_back();
    for (const runtime::Expression &size : input.shape) {
      StatusOr<int64_t> known = size.evaluate(runtime::Bindings());
      if (!known.ok())
        return Status();
      shape.push_back(*known);
    }
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(report.memory,
                              runtime::planMemory(manifest, shapes));
  return Status();
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
  TILEWRIGHT_RETURN_IF_ERROR(planMemory(manifest));
  explain(program->groups);
  for (const OwningOpRef<ModuleOp> &kernels : program->kernels) {
    if (options.wantTiles)
      report.tiles += printed(*kernels);
    if (mlir::failed(mlir::verify(*kernels)))
      return failure("an emitted kernel is invalid");
  }
  report.lowerSeconds = lap();
  step.stop();
  if (options.wantTiles)
    for (tile::KernelOp kernel : given.kernels())
      report.tiles += printed(kernel->getParentOp());
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
  if (options.onlyChoose)
    return Status();
  TILEWRIGHT_RETURN_IF_ERROR(compileKernels());
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
    TILEWRIGHT_ASSIGN_OR_RETURN(
        choice, splitSchedule(*chosen, variant.target == "cpu"));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      variant.bound,
      kernelText->bind(context, {choice.cut.begin(), choice.cut.end()}));
  TILEWRIGHT_ASSIGN_OR_RETURN(tile::KernelOp kernel,
                              onlyKernel(*variant.bound));
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
    if (Status bound = bindKernel(variant); !bound.ok())
      return bound.prefixed(model.string());
  tile::KernelOp kernel = variants.front().kernels.front();
  for (const Variant &variant : variants) {
    if (Status alike =
            checkSameInterface(kernel, variants.front().target,
                               variant.kernels.front(), variant.target);
        !alike.ok())
      return alike.prefixed(model.string());
    if (!options.wantTiles)
      continue;
    if (std::string text = printed(*variant.bound);
        !StringRef(report.tiles).ends_with(text))
      report.tiles += text;
  }
  if (options.onlyChoose)
    return Status();
  // What is missing for a package is told before the work.
  runtime::PackageManifest manifest = startManifest();
  if (!output.empty())
    TILEWRIGHT_RETURN_IF_ERROR(describeKernelPackage(kernel, manifest));
  TILEWRIGHT_RETURN_IF_ERROR(compileKernels());
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
  TILEWRIGHT_RETURN_IF_ERROR(import());
  report.nodes = imported.nodeCount;
  report.importSeconds = lap();
  if (options.wantGraph)
    report.graph = printed(*imported.module);
  auto kernels = llvm::to_vector(imported.module->getOps<tile::KernelOp>());
  if (kernels.size() > 1)
    return Status::invalidInput(model.string() +
                                ": expected one tile.kernel, found " +
                                std::to_string(kernels.size()));
  TILEWRIGHT_RETURN_IF_ERROR(kernelText ? writeKernel(output)
                                        : writeGraph(output));
  report.codeSeconds = lap();
  for (const KernelImage &image : images) {
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
  timing.stop();
  timer.print();
  return std::move(report);
}

StatusOr<CompileModelReport> compileModel(const std::filesystem::path &model,
                                          const std::filesystem::path &output,
                                          const CompileModelOptions &options) {
  return ModelCompiler(model, options).run(output);
}

} // namespace tilewright
