#include "test/spatial/sweep/SweepCase.h"

#include "graph/pipeline/Pipelines.h"
#include "mlir/Pass/PassManager.h"
#include "spatial/reference/Execute.h"
#include "spatial/schedule/ScheduleVectors.h"
#include "spatial/simulator/Simulator.h"
#include "spatial/transforms/Passes.h"
#include "test/spatial/sweep/GraphOracle.h"
#include "test/spatial/sweep/SweepMachine.h"
#include "verify/spatial/VerifySchedule.h"
#include <cstring>

namespace tilewright::test {

using namespace spatial;
using runtime::HostTensor;

SweepCase makeSweepCase(mlir::MLIRContext &context, uint64_t seed) {
  Dice dice(seed);
  SweepCase sweep;
  sweep.seed = seed;
  auto machine = parseMachine(
      sweepMachine(dice, dice.oneOf<int64_t>({1024, 4096, 16384})), "machine");
  assert(machine.ok() && "machines at random are valid ones");
  sweep.machine = std::move(*machine);
  std::vector<runtime::DType> types;
  for (runtime::DType type :
       {runtime::DType::F32, runtime::DType::F16, runtime::DType::BF16})
    if (sweep.machine.mxm.passes.contains(type))
      types.push_back(type);
  sweep.precision = dice.pick(types);
  // Without an mxm nothing is rounded.
  if (sweep.machine.positionsOf(UnitKind::mxm).empty())
    sweep.precision = runtime::DType::F32;
  sweep.graph = randomGraph(context, dice);
  return sweep;
}

//===--- The stages -------------------------------------------------------===//

/// The program on vectors. The error is the first of the diagnostics.
static StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
lower(const SweepCase &sweep) {
  mlir::ModuleOp graph = *sweep.graph.module;
  mlir::MLIRContext *context = graph.getContext();
  std::string message;
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &found) {
    if (message.empty() &&
        found.getSeverity() == mlir::DiagnosticSeverity::Error)
      message = found.str();
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module = graph.clone();
  mlir::Builder builder(context);
  mlir::PassManager form(context);
  graph::buildGraphFormPipeline(form);
  if (failed(form.run(*module)))
    return Status::internal("no graph form: " + message);
  (*module)->setAttr(kMachineAttr, builder.getStringAttr(sweep.machine.text));
  (*module)->setAttr(kPrecisionAttr, builder.getStringAttr(
                                         runtime::dtypeName(sweep.precision)));
  mlir::PassManager passes(context);
  passes.addPass(createConvertGraphToVectors());
  if (failed(passes.run(*module)))
    return Status::unsupported(message);
  return module;
}

/// All of a schedule as text.
static std::string textOf(const Schedule &schedule) {
  std::string text;
  auto addNumber = [&](int64_t number) {
    text += std::to_string(number) + " ";
  };
  for (const auto &chip : schedule.instructions)
    for (const Instruction &line : chip)
      text += printInstruction(schedule, line) + "\n";
  for (const Placement &place : schedule.placements) {
    text += printName(schedule, place.value, place.vector) +
            printQueue(place.bank) + " ";
    for (int64_t number :
         {place.count, place.step, place.plane, place.row, place.stride})
      addNumber(number);
  }
  for (const LaneMap &map : schedule.maps) {
    text += map.name + " ";
    for (int32_t lane : map.lanes)
      addNumber(lane);
  }
  for (ConstantBytes bytes : schedule.constantBytes)
    text.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return text;
}

static std::string bytesOf(std::span<const HostTensor> outputs) {
  std::string bytes;
  for (const HostTensor &output : outputs)
    bytes.append(reinterpret_cast<const char *>(output.data()), output.bytes());
  return bytes;
}

/// With a short search if the seed is odd.
static StatusOr<Schedule> makeSchedule(mlir::func::FuncOp program,
                                       const SweepCase &sweep) {
  SearchOptions options;
  options.seed = sweep.seed;
  options.effort = sweep.seed % 2 ? 0.1 : 0;
  TILEWRIGHT_ASSIGN_OR_RETURN(FoundSchedule found,
                              searchSchedules(program, sweep.machine, options));
  return std::move(found.schedule);
}

static StatusOr<Schedule> mapAgain(const SweepCase &sweep) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto module, lower(sweep));
  return makeSchedule(*module->getOps<mlir::func::FuncOp>().begin(), sweep);
}

/// Asks all oracles about a schedule; empty if none objects.
static std::string objection(const SweepCase &sweep, const Schedule &schedule,
                             std::span<const HostTensor> expected) {
  std::vector<runtime::TensorView> views(sweep.graph.inputs.begin(),
                                         sweep.graph.inputs.end());
  const verify::ScheduleVerdict verdict = verify::verifySchedule(schedule);
  if (!verdict.findings.empty())
    return "verifier: " + printFinding(verdict.findings.front());
  auto simulated = simulate(schedule, views);
  if (!simulated.ok())
    return "simulator: " + simulated.status().message();
  if (!simulated->findings.empty())
    return "simulator: " + printFinding(simulated->findings.front());
  if (simulated->cycles != schedule.cycles)
    return std::to_string(schedule.cycles) + " cycles were planned, " +
           std::to_string(simulated->cycles) + " simulated";
  if (bytesOf(simulated->outputs) != bytesOf(expected))
    return "the schedule gives other bits than the vectors";
  auto permitted = permittedOutputs(*sweep.graph.module, sweep.graph.inputs,
                                    sweep.precision);
  if (!permitted.ok())
    return permitted.status().message();
  std::string difference = firstDifference(*permitted, expected);
  return difference.empty() ? "" : "outputs: " + difference;
}

SweepResult check(const SweepCase &sweep) {
  SweepResult result;
  auto fail = [&](const Status &status) {
    result.message = status.message();
    if (status.code() != StatusCode::internal && !result.message.empty())
      result.verdict = SweepVerdict::rejected;
    return result;
  };
  auto module = lower(sweep);
  if (!module.ok())
    return fail(module.status());
  auto program = *(**module).getOps<mlir::func::FuncOp>().begin();
  std::vector<runtime::TensorView> views(sweep.graph.inputs.begin(),
                                         sweep.graph.inputs.end());
  auto schedule = makeSchedule(program, sweep);
  if (!schedule.ok())
    return fail(schedule.status());
  result.cycles = schedule->cycles;
  auto expected = executeVectors(program, views);
  if (!expected.ok())
    result.message = "vectors: " + expected.status().message();
  else
    result.message = objection(sweep, *schedule, *expected);
  if (result.message.empty()) {
    auto again = mapAgain(sweep);
    if (!again.ok() || textOf(*again) != textOf(*schedule))
      result.message = "a second map gives another schedule";
  }
  if (result.message.empty())
    result.verdict = SweepVerdict::right;
  result.schedule = std::move(*schedule);
  return result;
}

} // namespace tilewright::test
