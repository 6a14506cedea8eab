//===- Scheduler.cpp - Times and places for a program on vectors ----------===//
#include "spatial/schedule/Scheduler.h"

using namespace mlir;

namespace tilewright::spatial {

Scheduler::Scheduler(const ScheduleProblem &problem,
                     const ScheduleChoices &scheduleChoices, Emitter emitter)
    : machine(problem.machine), program(problem.program),
      chains(problem.chains), choices(scheduleChoices),
      function(problem.program.function),
      table(machine, choices, std::move(emitter)) {
  schedule.values = program.values;
  for (int64_t position : machine.positionsOf(UnitKind::mxm))
    for (int64_t index = 0; index < machine.mxm.planes; ++index) {
      Plane plane;
      plane.position = position;
      plane.index = index;
      plane.bufferFree.resize(machine.mxm.buffers);
      plane.buffers.resize(machine.mxm.buffers);
      plane.accumulatorFree.resize(machine.mxm.accumulators);
      planes.push_back(std::move(plane));
    }
  if (std::vector<int64_t> positions = machine.positionsOf(UnitKind::vxm);
      !positions.empty())
    vxm = positions.front();
  homes.resize(program.values.size());
  isKept.resize(program.values.size(), false);
  Operation *end = function.getBody().front().getTerminator();
  for (mlir::Value value : end->getOperands())
    isKept[program.numberOf(value)] = true;
}

Status Scheduler::place() {
  TILEWRIGHT_ASSIGN_OR_RETURN(const bool nearAll, checkRoom());
  TILEWRIGHT_RETURN_IF_ERROR(placeInputs());
  TILEWRIGHT_RETURN_IF_ERROR(placeConstants(nearAll));
  makeTasks();
  return placeTasks();
}

Schedule Scheduler::takeSchedule() {
  table.close();
  schedule.cycles = schedule.interval = table.length();
  schedule.instructions.push_back(table.take());
  addInterfaces();
  std::set<uint32_t> placed;
  auto place = [&](uint32_t value) {
    if (placed.insert(value).second)
      addPlacements(value);
  };
  for (const Interface &input : schedule.inputs)
    place(input.value);
  for (const Interface &output : schedule.outputs)
    place(output.value);
  for (uint32_t value : schedule.constants)
    place(value);
  addConstants();
  schedule.machine = machine;
  schedule.files.emplace_back("chip-0.txt");
  return std::move(schedule);
}

} // namespace tilewright::spatial
