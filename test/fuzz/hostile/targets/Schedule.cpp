// Machine files and lines of schedules: lines are printed and read again, then
// judged and run on a small machine.
#include "spatial/program/InstructionText.h"
#include "spatial/simulator/Simulator.h"
#include "targets/Target.h"
#include "verify/spatial/VerifySchedule.h"

using namespace tilewright;
using namespace tilewright::spatial;

static constexpr std::string_view machineText = R"json(
{"format": "tilewright-machine", "version": 1, "name": "m", "class": "static",
 "clock_hz": 1e9, "lanes": 4, "stream_bytes": 2,
 "streams": {"east": 4, "west": 4},
 "units": [{"kind": "mxm"}, {"kind": "sxm"}, {"kind": "mem", "count": 2},
           {"kind": "vxm"}, {"kind": "c2c", "links": 2}],
 "mem": {"banks": 2, "rows": 16, "read_delay": 2, "write_delay": 1,
         "indexed_delay": 3},
 "mxm": {"planes": 1, "rows": 4, "columns": 4, "buffers": 2, "load_streams": 4,
         "delay": 3, "accumulators": 4, "types": {"f32": 2, "f16": 1, "i8": 1}},
 "vxm": {"alus": 4, "default_delay": 1, "delays": {"exp": 2}},
 "sxm": {"ports": 1, "delay": 1, "transpose": 2},
 "link": {"vector_cycles": 2, "latency": 1, "guard": 0},
 "chips": 1}
)json";

/// A schedule of constants alone, without lines.
static Schedule emptySchedule() {
  Schedule schedule;
  StatusOr<Machine> machine = parseMachine(machineText, "machine");
  fuzz::require(machine.ok(), "the machine is read",
                machine.status().message());
  schedule.machine = *machine;
  schedule.values = {{"x", DType::F32, 4},  {"h", DType::F16, 4},
                     {"i", DType::I32, 4},  {"q", DType::I8, 4},
                     {"c", DType::Bool, 4}, {"y", DType::F32, 4}};
  schedule.maps = {{"turn", {1, 2, 3, 0}}, {"both", {0, 5, -1, 7}}};
  schedule.files = {"chip-0.txt"};
  auto rows = std::make_shared<std::vector<std::byte>>(4 * 2 * 4 * 2);
  for (uint32_t value = 0; value < 4; ++value) {
    const int64_t planes =
        schedule.machine.planesOf(schedule.values[value].dtype);
    schedule.constants.push_back(value);
    schedule.constantBytes.emplace_back(rows->data(),
                                        static_cast<size_t>(4 * planes * 8));
    for (int64_t plane = 0; plane < planes; ++plane)
      schedule.placements.push_back(
          {value, 0, 4, 1, plane, 0,
           Queue{2 + plane, QueueKind::bank, value % 2},
           4 * static_cast<int64_t>(value / 2), 1});
  }
  schedule.storage = rows;
  return schedule;
}

/// Whether the judges end soon.
static bool isSmall(const std::vector<Instruction> &lines) {
  int64_t work = 0;
  for (const Instruction &line : lines)
    work += line.cycle + line.count * line.step;
  return work <= 2000;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = fuzz::textOf(data, size);
  if (StatusOr<Machine> machine = parseMachine(text, "m.json"); machine.ok())
    fuzz::require(machine->assumedNumbers() <=
                      static_cast<int64_t>(machine->numbers.size()),
                  "grades are of numbers");
  static const Schedule empty = emptySchedule();
  StatusOr<std::vector<Instruction>> lines =
      parseInstructions(empty, text, "chip-0.txt");
  if (!lines.ok())
    return 0;
  Schedule schedule = empty;
  schedule.instructions = {*lines};
  for (const Instruction &line : *lines) {
    const std::string printed = printInstruction(schedule, line);
    StatusOr<std::vector<Instruction>> again =
        parseInstructions(schedule, printed, "printed");
    fuzz::require(again.ok() && again->size() == 1, "a printed line is read",
                  printed);
    fuzz::require(printInstruction(schedule, (*again)[0]) == printed,
                  "a line is read as it was printed", printed);
  }
  if (!isSmall(*lines))
    return 0;
  schedule.cycles = verify::verifySchedule(schedule).cycles;
  schedule.interval = schedule.cycles;
  const bool isAccepted = verify::verifySchedule(schedule).findings.empty();
  StatusOr<SimulationResult> result = simulate(schedule, {});
  fuzz::require(result.ok(), "a schedule without inputs is run");
  fuzz::require(isAccepted || !result->findings.empty(),
                "the simulator accepts only what the verifier accepts", text);
  return 0;
}
