//===- Workload.cpp - What a user asks to tune, as tasks ------------------===//
#include "autotune/task/Workload.h"

#include "autotune/task/NamedArguments.h"
#include "autotune/task/Rules.h"
#include "autotune/task/ShapeTable.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "graph/analysis/Blocks.h"
#include "graph/ir/Graph.h"
#include "graph/lowering/Outline.h"
#include "graph/pipeline/Pipelines.h"
#include "library/model/import/ModelFrontends.h"
#include "support/Format.h"
#include "tileir/diagnostics/ParseText.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/compiler/ModelKind.h"
#include "tilewright/mlir/Compile.h"
#include "tilewright/runtime/MappedFile.h"
#include <map>

using namespace mlir;

namespace tilewright::autotune {

/// Adds a task; one that is there already counts once more.
static void add(Workload &workload, TaskRecord task) {
  for (WeightedTask &known : workload.tasks)
    if (known.task.code == task.code &&
        known.task.arguments == task.arguments) {
      ++known.count;
      return;
    }
  workload.tasks.push_back({std::move(task), 1});
}

/// Labels identify tasks for people: the second of equal ones becomes "(2)",
/// and so on.
static void tellApart(Workload &workload) {
  std::map<std::string, size_t> counts;
  for (WeightedTask &weighted : workload.tasks)
    if (size_t number = ++counts[weighted.task.label]; number > 1)
      weighted.task.label += format(" ({})", {number});
}

/// The function's only group in the form that a model's groups have, so that
/// both are the same task.
static StatusOr<std::string> canonicalGroup(const std::string &code) {
  DialectRegistry registry;
  registry.insert<graph::GraphDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  prepareContext(context);
  DiagnosticCollector errors(&context);
  OwningOpRef<ModuleOp> module = parseText(code, &context, "task");
  FailureOr<func::FuncOp> func = failure();
  if (module)
    func = graph::groupGraph(*module);
  if (failed(func))
    return Status::internal(errors.text());
  SmallVector<graph::GroupOp> groups = graph::graphOps<graph::GroupOp>(*func);
  if (groups.size() != 1)
    return Status::unsupported(
        format("expected one kernel, found {}", {groups.size()}));
  OwningOpRef<ModuleOp> outlined = graph::outline(groups.front());
  if (!outlined)
    return Status::internal("a static group cannot be outlined");
  return graph::outlinedText(*outlined);
}

static StatusOr<Workload> readTable(const std::filesystem::path &path,
                                    const WorkloadOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string csv, runtime::readFile(path));
  StatusOr<std::vector<NamedKernel>> kernels = parseShapeTable(csv);
  if (!kernels.ok())
    return kernels.status().prefixed(path.string());
  Workload workload;
  for (NamedKernel &kernel : *kernels) {
    TaskRecord task;
    task.label = kernel.label;
    task.target = options.target;
    task.code = std::move(kernel.code);
    if (task.code.find("func.func") != std::string::npos) {
      StatusOr<std::string> canonical = canonicalGroup(task.code);
      if (!canonical.ok())
        return canonical.status().prefixed(
            format("{}: {}", {path.string(), kernel.label}));
      task.code = *std::move(canonical);
    }
    add(workload, std::move(task));
  }
  return workload;
}

static StatusOr<Workload> readModel(const std::filesystem::path &path,
                                    const WorkloadOptions &options) {
  Workload workload;
  CompileModelOptions compileOptions;
  compileOptions.inputShapes = options.inputShapes;
  compileOptions.plugins = options.plugins;
  if (options.target != "cpu") {
    const target::GpuTarget *gpu =
        findGpu(options.target, options.plugins.get());
    if (!gpu)
      return notTuned(options.target);
    compileOptions.cpu.reset();
    compileOptions.gpus.push_back(gpu);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<KernelToSchedule> kernels,
                              kernelsToSchedule(path, compileOptions));
  for (KernelToSchedule &kernel : kernels) {
    TaskRecord task;
    task.label = kernel.label;
    task.target = kernel.target;
    task.code = std::move(kernel.code);
    if (task.code.empty())
      workload.untuned.push_back(task.label +
                                 ": its shapes are known at run time only");
    else
      add(workload, std::move(task));
  }
  return workload;
}

/// The text of tile kernels, from their frontend.
static StatusOr<std::string> kernelCode(const ModelSource &source,
                                        const Plugins *plugins) {
  TILEWRIGHT_ASSIGN_OR_RETURN(const frontend::Frontend *found,
                              frontend::choose(frontendsOf(plugins), source));
  DialectRegistry registry;
  found->registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  prepareContext(context);
  DiagnosticCollector errors(&context);
  StatusOr<frontend::ImportedModel> imported =
      found->import(context, source, {});
  if (!imported.ok())
    return errors.text().empty() ? imported.status()
                                 : Status::invalidInput(errors.text());
  std::optional<TileModule> kernels = frontend::kernelsOf(*imported, source);
  if (!kernels)
    return Status::unsupported(format("{}: expected tile kernels, found {}",
                                      {source.path().string(), found->name()}));
  return std::move(kernels->code);
}

/// The arguments of a kernel: in their order, or by name.
static StatusOr<std::string> argumentsOf(const std::filesystem::path &path,
                                         const std::string &code,
                                         const WorkloadOptions &options) {
  if (options.inputShapes.empty())
    return options.arguments;
  if (!options.arguments.empty())
    return Status::invalidInput("--argument gives what --input-shape gives "
                                "too; leave one out");
  StatusOr<std::string> named = namedArguments(code, options.inputShapes);
  if (!named.ok())
    return named.status().prefixed(path.string());
  return named;
}

StatusOr<Workload> readWorkload(const std::filesystem::path &path,
                                const WorkloadOptions &options) {
  StatusOr<Workload> workload = Workload();
  if (path.extension() == ".csv") {
    workload = readTable(path, options);
  } else {
    TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source, ModelSource::file(path));
    TILEWRIGHT_ASSIGN_OR_RETURN(ModelKind kind,
                                kindOf(source, options.plugins.get()));
    if (kind.isKernel) {
      TaskRecord task;
      task.label = path.stem().string();
      task.target = options.target;
      TILEWRIGHT_ASSIGN_OR_RETURN(task.code,
                                  kernelCode(source, options.plugins.get()));
      TILEWRIGHT_ASSIGN_OR_RETURN(task.arguments,
                                  argumentsOf(path, task.code, options));
      add(*workload, std::move(task));
    } else {
      workload = readModel(path, options);
    }
  }
  if (workload.ok())
    tellApart(*workload);
  if (workload.ok() && workload->tasks.empty())
    return Status::invalidInput(
        format("{}: there is nothing to tune{}",
               {path.string(), workload->untuned.empty()
                                   ? ""
                                   : format("; {}; fix them with --input-shape",
                                            {workload->untuned.front()})}));
  return workload;
}

} // namespace tilewright::autotune
