// A schedule that is accepted computes what its names say (M12): a change of
// when and where a line works, or of a name in it, is found, or changes neither
// outputs nor cycles. (Another operation or number is another program.)
#include "Samples.h"

#include "spatial/program/InstructionText.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::spatial;
using namespace tilewright::test;

namespace {

struct Counts {
  size_t found = 0, same = 0, refused = 0, wrong = 0;
};

class Mutator {
public:
  explicit Mutator(Sample sample)
      : sample(std::move(sample)), original(this->sample.builder.schedule) {
    for (size_t chip = 0; chip < original.instructions.size(); ++chip)
      for (size_t line = 0; line < original.instructions[chip].size(); ++line)
        mutateLine(chip, line);
  }

  Counts counts;
  /// The lines of those that are wrong.
  std::string wrong;

private:
  template <typename Edit> void change(size_t chip, size_t line, Edit edit) {
    Schedule &schedule = sample.builder.schedule;
    schedule = original;
    edit(schedule.instructions[chip][line]);
    judge(schedule.instructions[chip][line]);
  }

  void judge(const Instruction &in) {
    if (!checkInstruction(sample.builder.schedule, in).ok()) {
      ++counts.refused;
      return;
    }
    auto run = sample.builder.run(sample.inputs);
    if (!run.findings.empty()) {
      ++counts.found;
    } else if (run.outputs == sample.outputs && run.cycles == original.cycles) {
      ++counts.same;
    } else {
      ++counts.wrong;
      wrong += printInstruction(original, in) + "\n";
    }
  }

  void mutateLine(size_t chip, size_t line) {
    for (int64_t shift : {-3, -2, -1, 1, 2, 3}) {
      change(chip, line, [&](Instruction &in) { in.cycle += shift; });
      change(chip, line, [&](Instruction &in) { in.queue.position += shift; });
      change(chip, line, [&](Instruction &in) { in.queue.index += shift; });
      change(chip, line, [&](Instruction &in) { in.count += shift; });
      change(chip, line, [&](Instruction &in) { in.step += shift; });
    }
    const Instruction &in = original.instructions[chip][line];
    for (size_t i = 0; i < in.operands.size(); ++i)
      mutatePort(chip, line,
                 [=](Instruction &all) -> Port & { return all.operands[i]; });
    for (size_t i = 0; i < in.results.size(); ++i)
      mutatePort(chip, line,
                 [=](Instruction &all) -> Port & { return all.results[i]; });
    deleteAndDouble(chip, line);
  }

  template <typename PortOf>
  void mutatePort(size_t chip, size_t line, PortOf portOf) {
    auto changePort = [&](auto edit) {
      change(chip, line, [&](Instruction &in) { edit(portOf(in)); });
    };
    for (int64_t shift : {-1, 1, 2, 5}) {
      changePort([&](Port &port) { port.index.start += shift; });
      changePort([&](Port &port) { port.index.step += shift; });
      changePort([&](Port &port) { port.bufferRow.start += shift; });
      changePort([&](Port &port) { port.name.index.start += shift; });
      changePort([&](Port &port) { port.plane += shift; });
      changePort([&](Port &port) {
        for (Stream &stream : port.streams)
          stream.number = static_cast<uint16_t>(stream.number + shift);
      });
    }
    changePort([&](Port &port) {
      for (Stream &stream : port.streams)
        stream.direction = stream.direction == Direction::east
                               ? Direction::west
                               : Direction::east;
    });
    for (uint32_t value = 0; value < original.values.size(); ++value)
      changePort([&](Port &port) { port.name.value = value; });
  }

  void deleteAndDouble(size_t chip, size_t line) {
    Schedule &schedule = sample.builder.schedule;
    Instruction in = original.instructions[chip][line];
    schedule = original;
    auto &lines = schedule.instructions[chip];
    lines.erase(lines.begin() + static_cast<ptrdiff_t>(line));
    judge(in);
    for (int64_t later : {0, 1, 4}) {
      schedule = original;
      in.cycle += later;
      lines.push_back(in);
      judge(in);
    }
  }

  Sample sample;
  Schedule original;
};

} // namespace

TEST_CASE("a change of a schedule is found, or changes nothing") {
  for (Sample &sample : samples()) {
    Mutator mutator(sample);
    const Counts &counts = mutator.counts;
    INFO(mutator.wrong << sample.name << ": " << counts.found << " found, "
                       << counts.same << " the same, " << counts.refused
                       << " refused");
    CHECK(counts.wrong == 0);
    CHECK(counts.found > 100);
  }
}
