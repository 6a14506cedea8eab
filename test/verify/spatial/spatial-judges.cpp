// Asks simulator and verifier what they think of many schedules.
//
//   spatial-judges [--schedules N] [--mutants N] [--seed S] [--package X.tws]..
//                  [--keep FOLDER]
//
// --schedules: N schedules that no compiler wrote, of which most have one thing
// broken. Both must accept the same ones, those that are not broken, and mostly
// for the same reason. --mutants: N changes of where and when things happen in
// good schedules, random ones or the packages. Each must be a finding of both,
// or change neither outputs nor length. Exits with 1 if not so. --keep: where
// to write the first schedules of which the judges say different things.
#include "test/verify/spatial/Breaks.h"
#include "test/verify/spatial/Judges.h"
#include "test/verify/spatial/RandomSchedule.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string_view>

namespace tilewright::test {

using namespace spatial;

namespace {

struct Options {
  uint64_t schedules = 0, mutants = 0, seed = 1;
  std::vector<std::string> packages;
  std::string keep;
};

/// Prints schedules that are judged wrong, the first few of them.
class Failures {
public:
  explicit Failures(const Options &options) : folder(options.keep) {}
  void add(const std::string &what, const Schedule &schedule,
           const Verdicts &verdicts) {
    if (++count > 3)
      return;
    std::cout << what << "\n";
    if (schedule.instructions.front().size() < 200)
      std::cout << describe(verdicts, schedule) << "\n";
    if (folder.empty())
      return;
    auto package = std::filesystem::path(folder) /
                   ("failure-" + std::to_string(count) + ".tws");
    if (Status status = writeSchedule(schedule, package); !status.ok())
      std::cout << status.message() << "\n";
  }
  int count = 0;

private:
  std::string folder;
};

void print(std::string_view title, const std::map<std::string, int> &counts) {
  std::cout << title << "\n";
  for (const auto &[name, number] : counts)
    std::cout << "  " << name << ": " << number << "\n";
}

/// One random schedule, broken in nine of ten cases.
struct Case {
  Schedule schedule;
  std::vector<runtime::HostTensor> inputs;
  std::string broken = "nothing";
};

Case makeCase(uint64_t seed) {
  ScheduleBuilder builder = randomSchedule(seed);
  Case result{builder.schedule, builder.makeInputs(seed), "nothing"};
  Dice dice(seed + 77);
  if (dice.chance(10))
    return result;
  for (int tries = 0; tries < 50; ++tries) {
    Schedule changed = builder.schedule;
    const Break &chosen = allBreaks()[static_cast<size_t>(
        dice.number(0, static_cast<int64_t>(allBreaks().size()) - 1))];
    if (!chosen.apply(changed, dice))
      continue;
    if (auto read = readAgain(std::move(changed))) {
      result.schedule = std::move(*read);
      result.broken = chosen.name;
      return result;
    }
  }
  return result;
}

/// Removes lines as long as the judges differ, to show a small schedule.
Schedule reduced(const Case &failing, Agreement agreement) {
  Schedule best = failing.schedule;
  for (auto &chip : best.instructions)
    for (size_t i = chip.size(); i-- > 0;) {
      Instruction line = chip[i];
      chip.erase(chip.begin() + static_cast<ptrdiff_t>(i));
      if (compare(judge(best, failing.inputs), best) != agreement)
        chip.insert(chip.begin() + static_cast<ptrdiff_t>(i), line);
    }
  return best;
}

bool judgeSchedules(const Options &options) {
  std::map<std::string, int> classes, codes, unbroken;
  Failures failures(options);
  uint64_t counted = 0, same = 0;
  for (uint64_t i = 0; i < options.schedules; ++i) {
    uint64_t seed = options.seed * 1'000'000 + i;
    Case current = makeCase(seed);
    Verdicts verdicts = judge(current.schedule, current.inputs);
    Agreement agreement = compare(verdicts, current.schedule);
    ++classes[std::string(agreementNames[static_cast<size_t>(agreement)])];
    if (!verdicts.verifier.findings.empty()) {
      ++codes[std::string(
          findingName(verdicts.verifier.findings.front().code))];
      ++counted;
      same += agreement == Agreement::sameCode;
    }
    bool isGood = current.broken == "nothing";
    if (agreement == Agreement::disagree || agreement == Agreement::otherCode ||
        (isGood && agreement != Agreement::accepted)) {
      Schedule small = reduced(current, agreement);
      failures.add(
          "seed " + std::to_string(seed) + ", broken: " + current.broken +
              ", " +
              std::string(agreementNames[static_cast<size_t>(agreement)]),
          small, judge(small, current.inputs));
    }
  }
  print("verdicts", classes);
  print("first findings", codes);
  std::cout << same << " of " << counted
            << " schedules with findings have the same first code\n";
  // Each code that one chip can have occurs, 50 times in 5,000.
  bool enough = true;
  for (const char *code : {"missing-operand", "wrong-operand", "undefined-read",
                           "unit-busy", "bank-conflict", "stream-collision",
                           "lost-value", "capacity", "wrong-length"})
    if (static_cast<uint64_t>(codes[code]) * 100 < options.schedules) {
      std::cout << code << " occurs too rarely\n";
      enough = false;
    }
  return failures.count == 0 && same * 100 >= counted * 95 && enough;
}

/// A good schedule, and what it computes.
struct Base {
  Schedule schedule;
  std::vector<runtime::HostTensor> inputs;
  SimulationResult result;
};

bool judgeMutants(const Options &options, const std::vector<Base> &bases) {
  std::map<std::string, int> verdictsByBreak, classes;
  Failures failures(options);
  Dice dice(options.seed);
  for (uint64_t done = 0, tries = 0;
       done < options.mutants && tries < 100 * options.mutants; ++tries) {
    const Base &base = bases[tries % bases.size()];
    const Break &chosen = allBreaks()[static_cast<size_t>(
        dice.number(0, static_cast<int64_t>(allBreaks().size()) - 1))];
    if (!chosen.moves)
      continue;
    Schedule mutant = base.schedule;
    if (!chosen.apply(mutant, dice) || !readAgain(mutant, base.schedule))
      continue;
    ++done;
    Verdicts verdicts = judge(mutant, base.inputs, 1);
    Agreement agreement = compare(verdicts, mutant);
    std::string verdict = "found by both";
    if (agreement == Agreement::disagree || agreement == Agreement::index)
      verdict = "JUDGES DISAGREE";
    else if (agreement == Agreement::accepted)
      verdict =
          verdicts.simulator.cycles == base.result.cycles &&
                  sameOutputs(verdicts.simulator.outputs, base.result.outputs)
              ? "changes nothing"
              : "WRONG IN SILENCE";
    ++classes[verdict];
    ++verdictsByBreak[std::string(chosen.name) + ", " + verdict];
    if (verdict != "found by both" && verdict != "changes nothing")
      failures.add(verdict + ": " + std::string(chosen.name), mutant, verdicts);
  }
  print("mutants", classes);
  print("by what was changed", verdictsByBreak);
  return failures.count == 0;
}

/// Good schedules to mutate: the packages, or random ones.
std::vector<Base> makeBases(const Options &options) {
  std::vector<Base> bases;
  auto add = [&](Schedule schedule, std::vector<runtime::HostTensor> inputs) {
    Verdicts verdicts = judge(schedule, inputs);
    if (compare(verdicts, schedule) == Agreement::accepted)
      bases.push_back({std::move(schedule), std::move(inputs),
                       std::move(verdicts.simulator)});
  };
  for (const std::string &package : options.packages) {
    auto schedule = readSchedule(package);
    if (!schedule.ok()) {
      std::cout << schedule.status().message() << "\n";
      continue;
    }
    // Indices of tables are small in any model.
    std::map<uint32_t, int64_t> bounds;
    for (const Interface &input : schedule->inputs)
      bounds[input.value] = 2;
    auto inputs = randomInputs(*schedule, options.seed, bounds);
    add(std::move(*schedule), std::move(inputs));
  }
  for (uint64_t i = 0; options.packages.empty() && i < 200; ++i) {
    ScheduleBuilder builder = randomSchedule(options.seed * 1'000'000 + i);
    add(builder.schedule, builder.makeInputs(i));
  }
  return bases;
}

bool run(const Options &options) {
  bool good = !options.schedules || judgeSchedules(options);
  if (!options.mutants)
    return good;
  std::vector<Base> bases = makeBases(options);
  size_t expected = options.packages.empty() ? 150 : options.packages.size();
  if (bases.size() < expected) {
    std::cout << "only " << bases.size() << " schedules are good ones\n";
    return false;
  }
  return judgeMutants(options, bases) && good;
}

} // namespace

} // namespace tilewright::test

int main(int argc, char **argv) {
  tilewright::test::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view name = argv[i];
    if (name == "--package") {
      options.packages.emplace_back(argv[i + 1]);
      continue;
    }
    if (name == "--keep") {
      options.keep = argv[i + 1];
      continue;
    }
    uint64_t number = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--schedules")
      options.schedules = number;
    else if (name == "--mutants")
      options.mutants = number;
    else if (name == "--seed")
      options.seed = number;
  }
  return tilewright::test::run(options) ? 0 : 1;
}
