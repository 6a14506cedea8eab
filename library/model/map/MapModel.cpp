//===- MapModel.cpp - A model on a statically scheduled machine -----------===//
#include "tilewright/compiler/MapModel.h"

#include "graph/analysis/Access.h"
#include "graph/pipeline/Pipelines.h"
#include "graph/transforms/Resources.h"
#include "library/model/map/Bounds.h"
#include "library/model/map/ExplainNodes.h"
#include "library/model/session/ModelProgram.h"
#include "spatial/schedule/ScheduleVectors.h"
#include "spatial/transforms/Passes.h"
#include "support/Format.h"

#include <chrono>
#include <cmath>

using namespace mlir;

namespace tilewright {

using spatial::Machine;

namespace {
/// Seconds since the last call.
class Lap {
public:
  double operator()() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> seconds = now - start;
    start = now;
    return seconds.count();
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

//===--- What the machine can do ------------------------------------------===//

/// The type of factors: that which is asked for, if the mxm has it.
static StatusOr<runtime::DType>
choosePrecision(const Machine &machine,
                const std::optional<runtime::DType> &asked) {
  std::vector<std::string> names;
  for (runtime::DType type :
       {runtime::DType::F32, runtime::DType::F16, runtime::DType::BF16})
    if (machine.mxm.passes.contains(type)) {
      if (!asked || *asked == type)
        return type;
      names.emplace_back(runtime::dtypeName(type));
    }
  // Without an mxm there is nothing to round.
  if (!asked || machine.positionsOf(spatial::UnitKind::mxm).empty())
    return asked.value_or(runtime::DType::F32);
  return Status::unsupported(
      format("the mxm of {} does not multiply {}; expected --precision {}",
             {machine.name, std::string(runtime::dtypeName(*asked)),
              joined(names, " or ")}));
}

static Status checkEffort(double effort) {
  if (std::isfinite(effort) && effort >= 0)
    return {};
  return Status::invalidInput(
      "expected an effort of at least 0 seconds, found " +
      std::to_string(effort));
}

static Status checkChips(const Machine &machine, int64_t chips) {
  if (chips > machine.chips)
    return Status::invalidInput(format("expected at most the {} chips that {} "
                                       "has, found {}",
                                       {machine.chips, machine.name, chips}));
  if (chips != 1)
    return Status::unsupported(
        format("a model is mapped on one chip, found --chips {}", {chips}));
  return {};
}

/// Each size of an input must be known.
static Status checkShapes(func::FuncOp graph) {
  for (BlockArgument argument : graph.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.hasStaticShape())
      continue;
    const unsigned number = argument.getArgNumber();
    auto name = graph.getArgAttrOfType<StringAttr>(number, "graph.name");
    auto dims = graph.getArgAttrOfType<ArrayAttr>(number, "graph.dims");
    const StringRef input = name ? name.getValue() : StringRef("?");
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size)) {
        std::string called;
        if (dims && dim < dims.size())
          if (auto text = dyn_cast<StringAttr>(dims[dim]);
              text && !text.empty())
            called = format(" ('{}')", {text.str()});
        return Status::invalidInput(
            format("dimension {} of input '{}'{} is not known, and a schedule "
                   "is of one size; give it with --input-shape {}=...",
                   {dim, input.str(), called, input.str()}));
      }
  }
  return {};
}

/// Multiply-adds of all products of matrices and convolutions.
static int64_t countProducts(func::FuncOp graph) {
  int64_t count = 0;
  graph.walk([&](linalg::GenericOp op) {
    if (!graph::isContraction(op))
      return;
    int64_t points = 1;
    for (int64_t extent : op.getStaticLoopRanges())
      points *= extent;
    count += points;
  });
  return count;
}

//===--- The way to a schedule --------------------------------------------===//

static Status toGraphForm(ModelSession &session, ModelProgram &program) {
  if (program.module().getOps<func::FuncOp>().empty())
    return Status::unsupported(session.name() +
                               ": a tile kernel cannot be mapped; expected a "
                               "model or a graph");
  // Sizes that are given become static on the way.
  PassManager passes(&session.context);
  graph::buildGraphFormPipeline(passes);
  TILEWRIGHT_RETURN_IF_ERROR(
      session.run(passes, program.module(), "the graph cannot be mapped"));
  return checkShapes(program.graph()).prefixed(session.name());
}

static Status toVectors(ModelSession &session, ModelProgram &program,
                        const Machine &machine, runtime::DType precision,
                        bool explains) {
  ModuleOp module = program.module();
  Builder builder(&session.context);
  module->setAttr(spatial::kMachineAttr, builder.getStringAttr(machine.text));
  module->setAttr(spatial::kPrecisionAttr,
                  builder.getStringAttr(runtime::dtypeName(precision)));
  llvm::SetVector<DenseResourceElementsAttr> weights;
  module.walk([&](Operation *op) {
    op->getAttrDictionary().walk(
        [&](DenseResourceElementsAttr data) { weights.insert(data); });
  });
  PassManager passes(&session.context);
  spatial::ConvertGraphToVectorsOptions options;
  options.recordLayouts = explains;
  passes.addPass(spatial::createConvertGraphToVectors(options));
  TILEWRIGHT_RETURN_IF_ERROR(
      session.run(passes, module, "the graph cannot be mapped"));
  // Vectors have copies of them, in other types and orders.
  graph::freeUnused(module, weights);
  return {};
}

StatusOr<MapModelReport> mapModel(const ModelSource &model,
                                  const std::filesystem::path &output,
                                  const MapModelOptions &options) {
  TILEWRIGHT_RETURN_IF_ERROR(checkEffort(options.effort));
  TILEWRIGHT_ASSIGN_OR_RETURN(Machine machine,
                              spatial::readMachine(options.machine));
  TILEWRIGHT_RETURN_IF_ERROR(checkChips(machine, options.chips));
  MapModelReport report;
  TILEWRIGHT_ASSIGN_OR_RETURN(report.precision,
                              choosePrecision(machine, options.precision));
  CompileModelOptions compile;
  compile.inputShapes = options.inputShapes;
  compile.plugins = options.plugins;
  compile.diagnostics = options.diagnostics;
  ModelSession session(model, compile);
  Lap lap;
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelProgram program, importProgram(session));
  TILEWRIGHT_RETURN_IF_ERROR(toGraphForm(session, program));
  report.importSeconds = lap();
  report.macs = countProducts(program.graph());
  TILEWRIGHT_RETURN_IF_ERROR(
      toVectors(session, program, machine, report.precision, options.explains));
  report.vectorSeconds = lap();
  StatusOr<spatial::FoundSchedule> found = spatial::searchSchedules(
      program.graph(), machine, {options.effort, options.seed});
  if (!found.ok())
    return found.status().prefixed(session.name());
  const spatial::Schedule &schedule = found->schedule;
  report.schedules = found->tried;
  report.bestSchedule = found->best;
  report.scheduleSeconds = lap();
  addBounds(program.graph(), schedule, report);
  if (options.explains)
    explainNodes(program.graph(), schedule, report);
  TILEWRIGHT_RETURN_IF_ERROR(spatial::writeSchedule(schedule, output));
  report.writeSeconds = lap();
  return report;
}

} // namespace tilewright
