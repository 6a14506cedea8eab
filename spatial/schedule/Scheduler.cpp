//===- Scheduler.cpp - Times and places for a program on vectors ----------===//
#include "spatial/schedule/Scheduler.h"

#include "spatial/schedule/ScheduleVectors.h"

using namespace mlir;

namespace tilewright::spatial {

Scheduler::Scheduler(func::FuncOp function, Machine machineFile)
    : machine(std::move(machineFile)), program(function),
      chains(program, machine), table(machine) {
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

StatusOr<Schedule> Scheduler::run() {
  TILEWRIGHT_ASSIGN_OR_RETURN(const bool nearAll, checkRoom());
  TILEWRIGHT_RETURN_IF_ERROR(placeInputs());
  TILEWRIGHT_RETURN_IF_ERROR(placeConstants(nearAll));
  makeTasks();
  TILEWRIGHT_RETURN_IF_ERROR(placeTasks());
  schedule.cycles = schedule.interval = table.length();
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
  schedule.values = program.values;
  schedule.instructions.push_back(table.emitter.take());
  schedule.files.emplace_back("chip-0.txt");
  return std::move(schedule);
}

StatusOr<Schedule> scheduleVectors(func::FuncOp program,
                                   const Machine &machine) {
  return Scheduler(program, machine).run();
}

} // namespace tilewright::spatial
