#include "spatial/simulator/Simulator.h"

#include "spatial/simulator/Elements.h"
#include "spatial/simulator/Simulation.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::spatial {

/// A schedule that needs more has findings in these, or cannot be judged.
constexpr int64_t mostRepetitions = 65536;

/// How often all lines run: enough repetitions to meet all others that are in
/// flight with one. Both the length that the lines have and the one that the
/// manifest states must be above the interval: a wrong length alone is no
/// reason to repeat lines.
static int64_t repetitionsOf(const Schedule &schedule, int64_t length) {
  if (schedule.interval < 1 ||
      schedule.interval >= std::min(length, schedule.cycles))
    return 1;
  return (length + schedule.interval - 1) / schedule.interval + 1;
}

StatusOr<SimulationResult> simulate(const Schedule &schedule,
                                    std::span<const runtime::TensorView> inputs,
                                    const SimulationOptions &options) {
  if (inputs.size() != schedule.inputs.size())
    return Status::invalidInput(
        format("expected {}, found {}",
               {counted(schedule.inputs.size(), "input"), inputs.size()}));
  std::vector<std::vector<Lane>> lanes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Interface &input = schedule.inputs[i];
    TILEWRIGHT_ASSIGN_OR_RETURN(
        auto elements,
        lanesOfInput(input, schedule.values[input.value].dtype, inputs[i]));
    lanes.push_back(std::move(elements));
  }
  int64_t length = lengthOf(schedule);
  int64_t needed = repetitionsOf(schedule, length);
  int64_t repetitions = std::min(needed, mostRepetitions);
  TILEWRIGHT_ASSIGN_OR_RETURN(auto names, Names::create(schedule, repetitions));
  Simulation simulation(schedule, std::move(names), length, repetitions,
                        std::move(lanes));
  const size_t most = std::max<size_t>(1, options.mostFindings);
  simulation.run(most);

  SimulationResult result;
  result.cycles = simulation.length();
  simulation.checkLength();
  result.findings = std::move(simulation).findings(most);
  if (!result.findings.empty())
    return result;
  if (repetitions < needed)
    return Status::unsupported(
        format("an interval of {} and a length of {} make {} repetitions, the "
               "simulator runs at most {}",
               {schedule.interval, length, needed, repetitions}));
  for (size_t i = 0; i < schedule.outputs.size(); ++i) {
    const Interface &output = schedule.outputs[i];
    TILEWRIGHT_ASSIGN_OR_RETURN(
        auto tensor, tensorOfOutput(output, schedule.values[output.value].dtype,
                                    simulation.outputLanes(i)));
    result.outputs.push_back(std::move(tensor));
  }
  return result;
}

} // namespace tilewright::spatial
