#include "test/verify/spatial/Judges.h"

#include "spatial/program/InstructionText.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <tuple>

namespace tilewright::test {

using namespace spatial;

namespace {

/// Whether no row is given twice.
bool placementsFit(const Schedule &schedule) {
  std::set<uint32_t> given(schedule.constants.begin(),
                           schedule.constants.end());
  for (const Interface &input : schedule.inputs)
    given.insert(input.value);
  std::set<std::tuple<int64_t, Queue, int64_t>> rows;
  for (const Placement &placement : schedule.placements)
    for (int64_t i = 0; i < placement.count; ++i)
      if (given.contains(placement.value) &&
          !rows.insert({placement.chip, placement.bank,
                        placement.row + i * placement.stride})
               .second)
        return false;
  return true;
}

} // namespace

std::optional<Schedule> readAgain(Schedule schedule) {
  if (!placementsFit(schedule))
    return std::nullopt;
  for (size_t chip = 0; chip < schedule.instructions.size(); ++chip) {
    std::string text;
    for (const Instruction &line : schedule.instructions[chip])
      text += printInstruction(schedule, line) + "\n";
    auto lines = parseInstructions(schedule, text, schedule.files[chip]);
    if (!lines.ok())
      return std::nullopt;
    schedule.instructions[chip] = std::move(*lines);
  }
  return schedule;
}

/// Whether two lines say the same, wherever they stand.
static bool isSame(const Instruction &a, const Instruction &b) {
  auto fields = [](const Instruction &line) {
    return std::tie(line.cycle, line.queue, line.opcode, line.alu, line.type,
                    line.rows, line.map, line.operands, line.results,
                    line.count, line.step);
  };
  return fields(a) == fields(b);
}

bool readAgain(Schedule &changed, const Schedule &original) {
  for (size_t chip = 0; chip < changed.instructions.size(); ++chip) {
    auto &lines = changed.instructions[chip];
    const auto &before = original.instructions[chip];
    // Of a deleted line, those that follow have moved up.
    if (lines.size() < before.size())
      continue;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i < before.size() && isSame(lines[i], before[i]))
        continue;
      auto read =
          parseInstructions(changed, printInstruction(changed, lines[i]) + "\n",
                            changed.files[chip]);
      if (!read.ok())
        return false;
      const auto number = i < before.size() ? before[i].line : lines.size();
      lines[i] = std::move(read->front());
      lines[i].line = static_cast<decltype(lines[i].line)>(number);
    }
  }
  return true;
}

Verdicts judge(const Schedule &schedule,
               std::span<const runtime::HostTensor> inputs,
               size_t mostFindings) {
  Verdicts verdicts;
  verdicts.verifier = verify::verifySchedule(schedule, mostFindings);
  std::vector<runtime::TensorView> views(inputs.begin(), inputs.end());
  SimulationOptions options;
  options.mostFindings = mostFindings;
  auto result = simulate(schedule, views, options);
  if (result.ok())
    verdicts.simulator = std::move(*result);
  else
    verdicts.error = result.status();
  return verdicts;
}

/// Whether the finding is of a gather, of which the verifier knows no index.
static bool isIndex(const Finding &finding, const Schedule &schedule) {
  if (finding.code != FindingCode::capacity || finding.cycle < 0)
    return false;
  const auto &lines = schedule.instructions[static_cast<size_t>(finding.chip)];
  return std::ranges::any_of(lines, [&](const Instruction &line) {
    return line.line == finding.line && line.opcode == Opcode::gather;
  });
}

static bool has(const std::vector<Finding> &findings, const Finding &other) {
  return std::ranges::any_of(findings, [&](const Finding &finding) {
    return finding.code == other.code && finding.cycle == other.cycle;
  });
}

Agreement compare(const Verdicts &verdicts, const Schedule &schedule) {
  const std::vector<Finding> &a = verdicts.verifier.findings;
  const std::vector<Finding> &b = verdicts.simulator.findings;
  if (!verdicts.error.ok())
    return verdicts.error.code() == StatusCode::unsupported
               ? Agreement::notSupported
               : Agreement::disagree;
  if (a.empty() && b.empty())
    return verdicts.verifier.cycles == verdicts.simulator.cycles
               ? Agreement::accepted
               : Agreement::disagree;
  if (!b.empty() && isIndex(b.front(), schedule) &&
      (a.empty() || a.front().code != b.front().code))
    return Agreement::index;
  if (a.empty() || b.empty())
    return Agreement::disagree;
  if (a.front().code == b.front().code && a.front().cycle == b.front().cycle)
    return Agreement::sameCode;
  if (a.front().cycle == -1 && b.front().cycle == -1)
    return Agreement::atTheEnd;
  if (a.front().cycle == b.front().cycle && has(a, b.front()) &&
      has(b, a.front()))
    return Agreement::sameCycle;
  return Agreement::otherCode;
}

std::string describe(const Verdicts &verdicts, const Schedule &schedule) {
  std::string text = schedule.machine.text + "\n";
  for (const Placement &placement : schedule.placements)
    text += "place " + schedule.values[placement.value].name + "[" +
            std::to_string(placement.vector) + " +" +
            std::to_string(placement.step) + " x" +
            std::to_string(placement.count) + "]." +
            std::to_string(placement.plane) + " chip " +
            std::to_string(placement.chip) + " " + printQueue(placement.bank) +
            " r" + std::to_string(placement.row) + "\n";
  for (size_t chip = 0; chip < schedule.instructions.size(); ++chip) {
    text += "chip " + std::to_string(chip) + "\n";
    for (const Instruction &line : schedule.instructions[chip])
      text += std::to_string(line.line) + ": " +
              printInstruction(schedule, line) + "\n";
  }
  text += "verifier: " + std::to_string(verdicts.verifier.cycles) + " cycles\n";
  for (const Finding &finding : verdicts.verifier.findings)
    text += "  " + printFinding(finding) + "\n";
  text += "simulator: " + std::to_string(verdicts.simulator.cycles) +
          " cycles " + verdicts.error.message() + "\n";
  for (const Finding &finding : verdicts.simulator.findings)
    text += "  " + printFinding(finding) + "\n";
  return text;
}

/// The bits of an element, with one NaN for all.
static uint64_t elementBits(const runtime::HostTensor &tensor, size_t i) {
  uint64_t bits = 0;
  size_t size = runtime::dtypeBytes(tensor.dtype());
  std::memcpy(&bits, tensor.data() + i * size, size);
  uint64_t exponent = 0;
  if (tensor.dtype() == runtime::DType::F32)
    exponent = 0x7f800000;
  else if (tensor.dtype() == runtime::DType::F16)
    exponent = 0x7c00;
  else if (tensor.dtype() == runtime::DType::BF16)
    exponent = 0x7f80;
  uint64_t sign = std::bit_ceil(exponent);
  return exponent && (bits & (sign - 1)) > exponent ? exponent | 1 : bits;
}

bool sameOutputs(std::span<const runtime::HostTensor> a,
                 std::span<const runtime::HostTensor> b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].dtype() != b[i].dtype() || a[i].shape() != b[i].shape())
      return false;
    for (size_t k = 0; k < a[i].size(); ++k)
      if (elementBits(a[i], k) != elementBits(b[i], k))
        return false;
  }
  return true;
}

} // namespace tilewright::test
