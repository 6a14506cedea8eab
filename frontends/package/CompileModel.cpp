//===- CompileModel.cpp - From a model file to a package ------------------===//
#include "frontends/package/CompileModel.h"

#include "codegen/pipeline/Compile.h"
#include "frontends/graph/fusion/Explain.h"
#include "frontends/onnx/Import.h"
#include "frontends/package/GivenKernels.h"
#include "frontends/package/KernelPackage.h"
#include "frontends/package/PackageBuilder.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
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
      : model(model), options(options), context(onnxRegistry()),
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
  static DialectRegistry onnxRegistry() {
    DialectRegistry registry;
    onnx::registerDialects(registry);
    return registry;
  }
  void append(mlir::Diagnostic &diagnostic);
  Status failure(const std::string &stage) const {
    return Status::unsupported(model.filename().string() + ": " + stage +
                               (errors.empty() ? "" : ": " + errors));
  }
  Status import();
  struct Target {
    enum class Kind { cpu, interpreter, gpu } kind;
    /// Null but for a GPU.
    const target::GpuTarget *gpu;
  };
  std::vector<Target> targets() const;
  StatusOr<KernelImage> compileKernel(tile::KernelOp kernel,
                                      const Target &target,
                                      const CompileOptions &options) const;
  Status compileKernels(ArrayRef<tile::KernelOp> cpuKernels,
                        ArrayRef<tile::KernelOp> gpuKernels);
  void explain(ArrayRef<graph::Group> groups);
  StatusOr<SmallVector<tile::KernelOp>> kernelsOf(ModuleOp module,
                                                  const graph::GraphProgram &);
  Status writeGraph(const std::filesystem::path &output);
  Status writeKernel(const std::filesystem::path &output,
                     tile::KernelOp kernel);
  runtime::PackageManifest startManifest() const;
  void addKernels(runtime::PackageManifest &manifest) const;
  Status planMemory(const runtime::PackageManifest &manifest);
  double lap();

  std::filesystem::path model;
  const CompileModelOptions &options;
  MLIRContext context;
  std::mutex mutex;
  std::string errors;
  ScopedDiagnosticHandler handler;
  onnx::ImportedModel imported;
  GivenKernels given;
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

Status ModelCompiler::import() {
  TimingScope scope = timing.nest("Import");
  if (model.extension() == ".mlir") {
    if (!options.replacements.empty())
      return Status::invalidInput(
          model.string() +
          ": a pattern of ONNX nodes needs an .onnx model to match");
    imported.module =
        parseSourceFile<ModuleOp>(model.string(), ParserConfig(&context));
    if (!imported.module)
      return Status::invalidInput(model.string() + ": " + errors);
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
  llvm::Expected<onnx::ImportedModel> result =
      onnx::importModel(context, model.string(), importOptions);
  if (!result)
    return Status::invalidInput(llvm::toString(result.takeError()));
  imported = std::move(*result);
  return Status();
}

/// What kernels are compiled for.
std::vector<ModelCompiler::Target> ModelCompiler::targets() const {
  std::vector<Target> all;
  if (options.cpu)
    all.push_back({Target::Kind::cpu, nullptr});
  if (options.interpreter)
    all.push_back({Target::Kind::interpreter, nullptr});
  for (const target::GpuTarget *gpu : options.gpus)
    all.push_back({Target::Kind::gpu, gpu});
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

/// Each kernel for each target: the images of one target follow each other.
Status ModelCompiler::compileKernels(ArrayRef<tile::KernelOp> cpuKernels,
                                     ArrayRef<tile::KernelOp> gpuKernels) {
  const std::vector<Target> targets = this->targets();
  size_t count = cpuKernels.size();
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
  compileOptions.wantExplanation = options.wantSchedules;
  compileOptions.wantText = options.wantScheduled || options.wantLoops ||
                            options.wantLlvm || options.wantAssembly;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
  size_t done = 0;
  std::mutex progressMutex;
  for (size_t i = 0; i < images.size(); ++i)
    pool.async([&, i] {
      const Target &target = targets[i / count];
      StatusOr<KernelImage> image =
          compileKernel((target.gpu ? gpuKernels : cpuKernels)[i % count],
                        target, compileOptions);
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
  SmallVector<graph::TileLimits> limits;
  if (options.cpu || options.interpreter || options.gpus.empty())
    limits.push_back(graph::TileLimits());
  if (!options.gpus.empty())
    limits.push_back(graph::TileLimits::gpu());
  FailureOr<graph::GraphProgram> program =
      graph::lowerGraph(*imported.module, limits);
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
  TILEWRIGHT_ASSIGN_OR_RETURN(auto forCpu,
                              kernelsOf(*program->kernels.front(), *program));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto forGpu,
                              kernelsOf(*program->kernels.back(), *program));
  TILEWRIGHT_RETURN_IF_ERROR(compileKernels(forCpu, forGpu));
  if (output.empty())
    return Status();
  step = timing.nest("Package");
  addKernels(manifest);
  return builder.write(output, std::move(manifest), images);
}

/// A tile kernel written by hand: a package of one step.
Status ModelCompiler::writeKernel(const std::filesystem::path &output,
                                  tile::KernelOp kernel) {
  report.steps = 1;
  if (options.wantTiles)
    report.tiles = printed(*imported.module);
  TILEWRIGHT_RETURN_IF_ERROR(compileKernels(kernel, kernel));
  if (output.empty())
    return Status();
  TimingScope step = timing.nest("Package");
  runtime::PackageManifest manifest = startManifest();
  addKernels(manifest);
  TILEWRIGHT_RETURN_IF_ERROR(describeKernelPackage(kernel, manifest));
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
  TILEWRIGHT_RETURN_IF_ERROR(kernels.empty()
                                 ? writeGraph(output)
                                 : writeKernel(output, kernels.front()));
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
