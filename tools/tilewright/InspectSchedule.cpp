//===- InspectSchedule.cpp - tilewright inspect X.tws ---------------------===//
#include "spatial/program/Idle.h"
#include "spatial/program/Use.h"
#include "support/Format.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/ScheduleFile.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace tilewright::tool {

using nlohmann::ordered_json;
using spatial::IdleReason;
using spatial::Machine;
using spatial::QueueIdle;
using spatial::QueueKind;
using spatial::QueueUse;
using spatial::Schedule;
using spatial::UnitKind;

//===--- Sizes ------------------------------------------------------------===//

/// Lines, and instructions, which count repetitions.
static std::pair<int64_t, int64_t> countLines(const Schedule &schedule) {
  int64_t lines = 0, instructions = 0;
  for (const auto &chip : schedule.instructions)
    for (const spatial::Instruction &instruction : chip) {
      ++lines;
      instructions += instruction.count;
    }
  return {lines, instructions};
}

static std::map<std::string, int64_t> countGrades(const Machine &machine) {
  std::map<std::string, int64_t> grades;
  for (const spatial::GradedNumber &number : machine.numbers)
    ++grades[std::string(spatial::gradeName(number.grade))];
  return grades;
}

static ordered_json
interfacesJson(const std::vector<spatial::Interface> &interfaces) {
  ordered_json list = ordered_json::array();
  for (const spatial::Interface &interface : interfaces)
    list.push_back({{"name", interface.name},
                    {"dtype", runtime::dtypeName(interface.dtype)},
                    {"shape", interface.shape}});
  return list;
}

static int64_t constantBytes(const Schedule &schedule) {
  int64_t bytes = 0;
  for (const spatial::ConstantBytes &constant : schedule.constantBytes)
    bytes += static_cast<int64_t>(constant.size());
  return bytes;
}

static ordered_json sizesJson(const Schedule &schedule) {
  auto [lines, instructions] = countLines(schedule);
  return {{"machine", schedule.machine.name},
          {"chips", schedule.chips},
          {"cycles", schedule.cycles},
          {"interval", schedule.interval},
          {"lines", lines},
          {"instructions", instructions},
          {"values", schedule.values.size()},
          {"maps", schedule.maps.size()},
          {"constant_bytes", constantBytes(schedule)},
          {"inputs", interfacesJson(schedule.inputs)},
          {"outputs", interfacesJson(schedule.outputs)},
          {"grades", countGrades(schedule.machine)}};
}

static void printInterfaces(const char *title,
                            const std::vector<spatial::Interface> &list) {
  for (const spatial::Interface &interface : list)
    std::printf(
        "  %s  %s\n", title,
        printable(format("{}: {} {}",
                         {interface.name, runtime::dtypeName(interface.dtype),
                          runtime::printShape(interface.shape)}))
            .c_str());
}

static void printSizes(const Schedule &schedule) {
  auto [lines, instructions] = countLines(schedule);
  const Machine &machine = schedule.machine;
  std::printf("%s of %s\n", counted(schedule.chips, "chip").c_str(),
              printable(machine.name).c_str());
  printInterfaces("input ", schedule.inputs);
  printInterfaces("output", schedule.outputs);
  std::printf("  %s, interval %s\n", counted(schedule.cycles, "cycle").c_str(),
              std::to_string(schedule.interval).c_str());
  std::printf("  %s, %s, %s, %s of constants\n", counted(lines, "line").c_str(),
              counted(instructions, "instruction").c_str(),
              counted(schedule.values.size(), "value").c_str(),
              counted(constantBytes(schedule), "byte").c_str());
  std::printf("  %lld of the machine's %s are assumed\n",
              static_cast<long long>(machine.assumedNumbers()),
              counted(machine.numbers.size(), "number").c_str());
}

//===--- Units ------------------------------------------------------------===//

namespace {
/// A unit that issues instructions.
struct UnitUse {
  int64_t position = 0;
  std::vector<QueueUse> queues;
  /// Of all its queues that say how busy it is: those of activations, not of
  /// weights.
  double share = 0;
};
} // namespace

static double share(int64_t busy, int64_t queues, int64_t cycles) {
  const double all = double(queues) * double(cycles);
  return all > 0 ? double(busy) / all : 0;
}

static std::vector<UnitUse> unitUse(const Schedule &schedule, size_t chip) {
  std::vector<UnitUse> units;
  for (const QueueUse &queue : spatial::queueUse(schedule, chip)) {
    const int64_t position = queue.queue.position;
    if (units.empty() || units.back().position != position)
      units.push_back({position, {}, 0});
    units.back().queues.push_back(queue);
  }
  for (UnitUse &unit : units) {
    std::map<QueueKind, int64_t> busy;
    for (const QueueUse &queue : unit.queues)
      busy[queue.queue.kind] += queue.busy;
    busy.erase(QueueKind::weights);
    for (auto [kind, cycles] : busy)
      unit.share = std::max(
          unit.share,
          share(cycles,
                spatial::queuesOf(schedule.machine, unit.position, kind),
                schedule.cycles));
  }
  return units;
}

static std::string kindOf(const Machine &machine, int64_t position) {
  return position < static_cast<int64_t>(machine.units.size())
             ? std::string(spatial::unitName(
                   machine.units[static_cast<size_t>(position)].kind))
             : "none";
}

using IdleCycles = std::map<spatial::Queue, QueueIdle>;

/// An error says that the schedule is too large for this.
static StatusOr<IdleCycles> idleCycles(const Schedule &schedule, size_t chip) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<QueueIdle> queues,
                              spatial::idleUse(schedule, chip));
  IdleCycles idle;
  for (const QueueIdle &queue : queues)
    idle[queue.queue] = queue;
  return idle;
}

static ordered_json idleJson(const QueueIdle &idle) {
  ordered_json object;
  for (size_t i = 0; i < spatial::idleReasons; ++i)
    object[std::string(spatial::idleReasonName(IdleReason(i)))] =
        idle.cycles[i];
  return object;
}

static ordered_json unitsJson(const Schedule &schedule) {
  ordered_json list = ordered_json::array();
  for (size_t chip = 0; chip < schedule.instructions.size(); ++chip) {
    const StatusOr<IdleCycles> idle = idleCycles(schedule, chip);
    for (const UnitUse &unit : unitUse(schedule, chip)) {
      ordered_json queues = ordered_json::array();
      for (const QueueUse &queue : unit.queues) {
        queues.push_back({{"queue", spatial::printQueue(queue.queue)},
                          {"instructions", queue.instructions},
                          {"busy_cycles", queue.busy},
                          {"busy", share(queue.busy, 1, schedule.cycles)}});
        if (idle.ok())
          queues.back()["idle_cycles"] = idleJson(idle->at(queue.queue));
      }
      list.push_back({{"chip", chip},
                      {"unit", "u" + std::to_string(unit.position)},
                      {"kind", kindOf(schedule.machine, unit.position)},
                      {"busy", unit.share},
                      {"queues", std::move(queues)}});
    }
  }
  return list;
}

static std::string percentOf(double share) {
  return formatFixed(100 * share, 1) + " %";
}

static const char *queueKindName(QueueKind kind) {
  switch (kind) {
  case QueueKind::bank:
    return "banks";
  case QueueKind::weights:
    return "weights";
  case QueueKind::activations:
    return "activations";
  case QueueKind::alu:
    return "ALUs";
  case QueueKind::port:
    return "ports";
  case QueueKind::send:
    return "sending";
  case QueueKind::receive:
    return "receiving";
  }
  return "";
}

/// Why the queues of each unit idle; those that issue nothing are left out.
static void printIdle(const Schedule &schedule, size_t chip) {
  std::map<std::pair<int64_t, QueueKind>, std::vector<const QueueIdle *>> units;
  const StatusOr<IdleCycles> idle = idleCycles(schedule, chip);
  if (!idle.ok()) {
    std::printf("why their queues idle is not known: %s\n",
                idle.status().message().c_str());
    return;
  }
  for (const auto &[queue, of] : *idle)
    units[{queue.position, queue.kind}].push_back(&of);
  if (units.empty())
    return;
  std::printf("\nwhy their queues idle, in shares of their cycles, chip %zu\n",
              chip);
  std::string title = alignedLeft("", 19);
  for (size_t i = 0; i < spatial::idleReasons; ++i)
    title +=
        alignedRight(std::string(spatial::idleReasonName(IdleReason(i))), 12);
  std::printf("%s\n", title.c_str());
  for (const auto &[unit, queues] : units) {
    std::string line =
        format("  {} {}", {alignedLeft("u" + std::to_string(unit.first), 5),
                           alignedLeft(queueKindName(unit.second), 11)});
    for (size_t i = 0; i < spatial::idleReasons; ++i) {
      int64_t cycles = 0;
      for (const QueueIdle *queue : queues)
        cycles += queue->cycles[i];
      line += alignedRight(
          percentOf(share(cycles, static_cast<int64_t>(queues.size()),
                          schedule.cycles)),
          12);
    }
    std::printf("%s\n", line.c_str());
  }
}

static void printUnits(const Schedule &schedule) {
  for (size_t chip = 0; chip < schedule.instructions.size(); ++chip) {
    std::printf("\nbusy share of the %s, chip %zu\n",
                counted(schedule.cycles, "cycle").c_str(), chip);
    for (const UnitUse &unit : unitUse(schedule, chip)) {
      std::string line =
          format("  {} {} {}",
                 {alignedLeft("u" + std::to_string(unit.position), 5),
                  alignedLeft(kindOf(schedule.machine, unit.position), 4),
                  alignedRight(percentOf(unit.share), 8)});
      for (const QueueUse &queue : unit.queues) {
        const std::string name = spatial::printQueue(queue.queue);
        line += format("   {} {}",
                       {name.substr(name.find('.') + 1),
                        percentOf(share(queue.busy, 1, schedule.cycles))});
      }
      std::printf("%s\n", line.c_str());
    }
    printIdle(schedule, chip);
  }
}

//===--- Memory -----------------------------------------------------------===//

static int64_t rowsOfSlice(const Machine &machine) {
  return machine.mem.banks * machine.mem.rows;
}

static Status addMemory(const Schedule &schedule, ordered_json &object) {
  constexpr int64_t samples = 64;
  object["memory"] = {{"rows_of_slice", rowsOfSlice(schedule.machine)},
                      {"row_bytes", schedule.machine.rowBytes()},
                      {"slices", ordered_json::array()}};
  for (size_t chip = 0; chip < schedule.instructions.size(); ++chip) {
    TILEWRIGHT_ASSIGN_OR_RETURN(spatial::MemoryUse use,
                                spatial::memoryUse(schedule, chip, samples));
    object["memory"]["cycles_per_sample"] = use.cyclesPerSample;
    for (const spatial::SliceUse &slice : use.slices)
      object["memory"]["slices"].push_back(
          {{"chip", chip},
           {"unit", "u" + std::to_string(slice.position)},
           {"constants", slice.constants},
           {"peak", slice.peak},
           {"rows", slice.samples}});
  }
  return {};
}

static Status printMemory(const Schedule &schedule) {
  constexpr int64_t samples = 12;
  for (size_t chip = 0; chip < schedule.instructions.size(); ++chip) {
    TILEWRIGHT_ASSIGN_OR_RETURN(spatial::MemoryUse use,
                                spatial::memoryUse(schedule, chip, samples));
    std::printf("\nrows in use, of %lld of each unit, chip %zu: constants, "
                "peak, and the most in each %s\n",
                static_cast<long long>(rowsOfSlice(schedule.machine)), chip,
                counted(use.cyclesPerSample, "cycle").c_str());
    for (const spatial::SliceUse &slice : use.slices) {
      std::string line = format(
          "  {} {} {}  ", {alignedLeft("u" + std::to_string(slice.position), 5),
                           alignedRight(std::to_string(slice.constants), 7),
                           alignedRight(std::to_string(slice.peak), 7)});
      for (int64_t rows : slice.samples)
        line += alignedRight(std::to_string(rows), 7);
      std::printf("%s\n", line.c_str());
    }
  }
  return {};
}

//===--- The command ------------------------------------------------------===//

static Status show(const ScheduleInspection &inspection) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Schedule schedule,
                              spatial::readSchedule(inspection.path));
  if (inspection.json) {
    ordered_json object = sizesJson(schedule);
    if (inspection.units)
      object["units"] = unitsJson(schedule);
    if (inspection.memory)
      TILEWRIGHT_RETURN_IF_ERROR(addMemory(schedule, object));
    printObject(object);
    return {};
  }
  printSizes(schedule);
  if (inspection.units)
    printUnits(schedule);
  return inspection.memory ? printMemory(schedule) : Status();
}

int inspectSchedule(const ScheduleInspection &inspection) {
  Status status = show(inspection);
  return status.ok() ? exitGood : fail(status);
}

} // namespace tilewright::tool
