//===- Task.cpp - One kernel at fixed shapes, ready to be tuned -----------===//
#include "autotune/task/Task.h"

#include "autotune/task/OracleKernel.h"
#include "autotune/task/Source.h"
#include "autotune/task/TargetRules.h"
#include "autotune/task/TaskKey.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "graph/ir/Graph.h"
#include "library/compiler/Diagnostics.h"
#include "library/compiler/KernelBackend.h"
#include "support/Format.h"
#include "tileir/diagnostics/ParseText.h"
#include "tilewright/mlir/Compile.h"

using namespace mlir;

namespace tilewright::autotune {

Task::~Task() = default;

namespace {
/// Of tunables.
using Values = std::map<std::string, int64_t>;

class OpenTask : public Task {
public:
  OpenTask(TaskRecord record, const std::shared_ptr<const Plugins> &plugins)
      : description(std::move(record)), plugins(plugins),
        backend(nullptr, plugins, cpu::CpuTarget()) {}

  Status open(unsigned threads);
  const TaskRecord &record() const override { return description; }
  const Space &space() const override { return searched; }
  const std::vector<TaskTensor> &tensors() const override {
    return source->tensors();
  }
  Estimate estimate(const std::string &schedule) override;
  StatusOr<double> costOf(const std::string &schedule,
                          const runtime::LaunchCounters &counters) override;
  size_t rankedPoints() const override { return rules->rankedPoints(); }
  StatusOr<Candidate> compile(const std::string &schedule) override;
  int64_t programs() const override { return grid[0] * grid[1] * grid[2]; }
  bool programsAreIndependent() const override { return areIndependent; }
  StatusOr<Candidate> oracleKernel(std::optional<int64_t> program) override;

private:
  Status openSource();
  bool isTargetParameter(const Parameter &parameter) const;
  StatusOr<TaskKernel> build(const Values &values);
  StatusOr<TaskKernel> build(const std::string &schedule);
  StatusOr<KernelModel *> modelFor(const std::string &schedule);

  TaskRecord description;
  std::shared_ptr<const Plugins> plugins;
  /// For the passes of plug-ins.
  KernelBackend backend;
  MLIRContext context;
  std::unique_ptr<TargetRules> rules;
  std::unique_ptr<Source> source;
  Space searched;
  std::array<int64_t, 3> grid = {1, 1, 1};
  bool areIndependent = false;
  /// Many schedules differ in the target's parameters only. Of the kernels with
  /// the same tunables, by these:
  std::map<Values, std::unique_ptr<KernelModel>> models;
  /// Of the schedules with the same code, by that part of them:
  std::map<std::string, Candidate> candidates;
};
} // namespace

/// A template parses only once it is expanded, and only tile kernels may be
/// templates: what parses and has a function is a graph.
Status OpenTask::openSource() {
  OwningOpRef<ModuleOp> module;
  {
    DiagnosticCollector ignored(&context);
    module = parseText(description.code, &context, "task");
  }
  if (module && !module->getOps<func::FuncOp>().empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        source, openGraphSource(std::move(module), rules->tileLimits()));
    return Status();
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      source,
      openKernelSource(context, description.code, description.arguments));
  return Status();
}

/// Whether schedules have a parameter of this name, so that the tunable has to
/// be written otherwise.
bool OpenTask::isTargetParameter(const Parameter &parameter) const {
  auto parsed = rules->tunables(format(
      "{}={}", {parameter.name, parameter.text(parameter.values.front())}));
  return !parsed.ok() || !parsed->contains(parameter.name);
}

Status OpenTask::open(unsigned threads) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      rules, targetRules(description.target, threads, plugins.get()));
  DialectRegistry registry;
  registry.insert<graph::GraphDialect>();
  context.appendDialectRegistry(registry);
  // The tuner has its own threads.
  context.disableMultithreading();
  prepareContext(context);
  backend.prepare(context);
  TILEWRIGHT_RETURN_IF_ERROR(openSource());
  TILEWRIGHT_ASSIGN_OR_RETURN(TaskKernel built, build(Values()));
  grid = gridOf(built.kernel, built.arguments, tensors());
  areIndependent = autotune::programsAreIndependent(built.kernel, tensors());
  std::vector<Parameter> parameters = source->parameters();
  for (Parameter &parameter : parameters)
    if (isTargetParameter(parameter))
      parameter.name = "tunable." + parameter.name;
  for (Parameter &parameter : rules->parameters(built.kernel))
    parameters.push_back(std::move(parameter));
  searched = Space(std::move(parameters));
  completeKey(description, tensors());
  return Status();
}

/// The kernel as a compilation of it lowers it.
StatusOr<TaskKernel> OpenTask::build(const Values &values) {
  TILEWRIGHT_ASSIGN_OR_RETURN(TaskKernel built, source->build(values));
  CompilationControl control;
  CompileReport report;
  if (Status failure = backend.runPlugins(built, control, report);
      !failure.ok())
    return conclude(failure, "plugin", {.code = "", .name = description.label},
                    report.diagnostics);
  return built;
}

StatusOr<TaskKernel> OpenTask::build(const std::string &schedule) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Values values, rules->tunables(schedule));
  return build(values);
}

StatusOr<KernelModel *> OpenTask::modelFor(const std::string &schedule) {
  constexpr size_t most = 64;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto values, rules->tunables(schedule));
  if (auto known = models.find(values); known != models.end())
    return known->second.get();
  TILEWRIGHT_ASSIGN_OR_RETURN(TaskKernel built, build(values));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<KernelModel> model,
                              rules->model(std::move(built), tensors()));
  if (models.size() >= most)
    models.clear();
  return (models[std::move(values)] = std::move(model)).get();
}

Estimate OpenTask::estimate(const std::string &schedule) {
  auto estimate = [&]() -> StatusOr<Estimate> {
    TILEWRIGHT_ASSIGN_OR_RETURN(KernelModel * model, modelFor(schedule));
    return model->estimate(schedule);
  };
  StatusOr<Estimate> result = estimate();
  if (!result.ok())
    return {Rejection{"not supported", result.status().message()}, 0, {}};
  return *std::move(result);
}

StatusOr<double> OpenTask::costOf(const std::string &schedule,
                                  const runtime::LaunchCounters &counters) {
  TILEWRIGHT_ASSIGN_OR_RETURN(TaskKernel built, build(schedule));
  return rules->costOf(built, tensors(), schedule, counters);
}

StatusOr<Candidate> OpenTask::compile(const std::string &schedule) {
  constexpr size_t most = 16;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string part, rules->codePart(schedule));
  if (auto known = candidates.find(part); known != candidates.end()) {
    Candidate candidate = known->second;
    TILEWRIGHT_RETURN_IF_ERROR(rules->relaunch(candidate.image, schedule));
    return candidate;
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(TaskKernel built, build(schedule));
  Candidate candidate;
  TILEWRIGHT_ASSIGN_OR_RETURN(candidate.image,
                              rules->compile(built.kernel, schedule));
  candidate.arguments = std::move(built.arguments);
  if (candidates.size() >= most)
    candidates.clear();
  candidates[std::move(part)] = candidate;
  return candidate;
}

StatusOr<Candidate> OpenTask::oracleKernel(std::optional<int64_t> program) {
  TILEWRIGHT_ASSIGN_OR_RETURN(TaskKernel built, build(Values()));
  if (program)
    isolateProgram(built.kernel, grid, *program);
  Candidate candidate;
  TILEWRIGHT_ASSIGN_OR_RETURN(candidate.image,
                              compileForInterpreter(built.kernel));
  candidate.arguments = std::move(built.arguments);
  return candidate;
}

StatusOr<std::unique_ptr<Task>>
Task::open(TaskRecord record, unsigned threads,
           std::shared_ptr<const Plugins> plugins) {
  auto task = std::make_unique<OpenTask>(std::move(record), plugins);
  TILEWRIGHT_RETURN_IF_ERROR(task->open(threads));
  return std::unique_ptr<Task>(std::move(task));
}

} // namespace tilewright::autotune
