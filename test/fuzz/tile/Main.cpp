// tilewright-fuzz-tile: random tile kernels with random schedules, by the cpu
// device, the interpreter at the scheduled level and PTX on the emulator,
// against the interpreter at the tile level.
//
//   tilewright-fuzz-tile --count 300 --seed 1      seeds 1 to 300
//   tilewright-fuzz-tile --replay 17               one seed, and its reduction
//   tilewright-fuzz-tile --file case.mlir          a case that was printed
#include "Reduce.h"
#include "Summary.h"

#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

using namespace tilewright;
using namespace tilewright::fuzz;

namespace {
struct Arguments {
  uint64_t seed = 1, count = 100;
  std::optional<uint64_t> replay;
  std::string file;
  bool reduces = true, prints = false, isFirst = false;
  bool ofProducts = false;

  Case makeCase(uint64_t seed) const {
    return fuzz::makeCase(seed,
                          ofProducts ? Contents::products : Contents::anyOps);
  }
  CheckOptions check;
};
} // namespace

static const char *const kUsage =
    "tilewright-fuzz-tile [--seed N] [--count N] [--replay SEED] [--file "
    "CASE]\n"
    "  [--products] [--print] [--no-reduce] [--first] [--ptxas] [--jobs N]\n"
    "  [--seconds N] [--plant OP]\n"
    "  --seed, --count  kernels of these seeds (1, 100)\n"
    "  --replay, --file one kernel; a fault is reduced\n"
    "  --products       kernels of products that grow along loops\n"
    "  --print          print the kernel with its schedules, and run nothing\n"
    "  --no-reduce      print a faulty kernel as it is\n"
    "  --first          stop at the first fault\n"
    "  --ptxas          ptxas checks the PTX, too\n"
    "  --jobs           processes at a time (2)\n"
    "  --seconds        of CPU that a kernel may take (60)\n"
    "  --plant          take kernels with this op for faulty: tests the "
    "reduction\n";

/// False if they are wrong.
static bool readArguments(int count, char **texts, Arguments &arguments) {
  for (int i = 1; i < count; ++i) {
    std::string name = texts[i];
    bool *flag = name == "--print"       ? &arguments.prints
                 : name == "--no-reduce" ? &arguments.reduces
                 : name == "--first"     ? &arguments.isFirst
                 : name == "--products"  ? &arguments.ofProducts
                 : name == "--ptxas"     ? &arguments.check.usePtxas
                                         : nullptr;
    if (flag) {
      *flag = name != "--no-reduce";
      continue;
    }
    if (++i == count)
      return false;
    std::string value = texts[i];
    if (name == "--file" || name == "--plant") {
      (name == "--file" ? arguments.file : arguments.check.plantedOp) = value;
      continue;
    }
    uint64_t number = 0;
    auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
      return false;
    if (name == "--seed")
      arguments.seed = number;
    else if (name == "--count")
      arguments.count = number;
    else if (name == "--replay")
      arguments.replay = number;
    else if (name == "--jobs" && number)
      arguments.check.jobs = unsigned(number);
    else if (name == "--seconds" && number)
      arguments.check.seconds = unsigned(number);
    else
      return false;
  }
  return true;
}

/// The one case that the arguments name.
static StatusOr<Case> oneCase(const Arguments &arguments) {
  if (arguments.replay)
    return arguments.makeCase(*arguments.replay);
  std::ifstream file(arguments.file);
  if (!file)
    return Status::notFound("cannot read '" + arguments.file + "'");
  std::ostringstream text;
  text << file.rdbuf();
  StatusOr<Case> read = parseCase(text.str());
  if (!read.ok())
    return read.status().prefixed(arguments.file);
  return read;
}

static void printFault(const CaseResult &caseResult,
                       const Arguments &arguments) {
  for (const Verdict &verdict : caseResult.verdicts)
    if (verdict.result != Result::agreed && verdict.result != Result::rejected)
      std::printf("seed %llu: %s (%s) %s: %s\n",
                  static_cast<unsigned long long>(caseResult.checked.seed),
                  verdict.run.target.c_str(), verdict.run.schedule.c_str(),
                  std::string(nameOf(verdict.result)).c_str(),
                  verdict.message.c_str());
  const Verdict &fault = *caseResult.fault();
  Case shown = caseResult.checked;
  if (fault.result != Result::invalid)
    shown.runs = {fault.run};
  if (arguments.reduces && fault.result != Result::invalid) {
    CaseResult reduced = reduce(caseResult, arguments.check);
    shown = reduced.checked;
    std::printf("reduced to %zu lines: %s\n",
                size_t(std::ranges::count(shown.text, '\n')),
                reduced.fault()->message.c_str());
  }
  std::printf("%s\n", print(shown).c_str());
  std::fflush(stdout);
}

int main(int count, char **texts) {
  Arguments arguments;
  if (!readArguments(count, texts, arguments)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::vector<Case> cases;
  if (arguments.replay || !arguments.file.empty()) {
    StatusOr<Case> one = oneCase(arguments);
    if (!one.ok()) {
      std::fprintf(stderr, "error: %s\n", one.status().message().c_str());
      return 1;
    }
    cases.push_back(*one);
    if (arguments.prints) {
      std::printf("%s", print(*one).c_str());
      return 0;
    }
  }
  uint64_t seed = arguments.seed, end = seed + arguments.count;
  bool isOne = !cases.empty();
  // Children begin with all dialects loaded.
  (void)kerneltest::kernelContext();
  Summary summary;
  checkAll(
      [&](Case &next) {
        if (arguments.isFirst && summary.faults())
          return false;
        if (isOne ? cases.empty() : seed == end)
          return false;
        next = isOne ? cases[0] : arguments.makeCase(seed++);
        cases.clear();
        return true;
      },
      [&](const CaseResult &caseResult) {
        summary.add(caseResult);
        if (caseResult.fault())
          printFault(caseResult, arguments);
        else if (isOne)
          for (const Verdict &verdict : caseResult.verdicts)
            std::printf("%s: %s %s\n", verdict.run.target.c_str(),
                        std::string(nameOf(verdict.result)).c_str(),
                        verdict.message.c_str());
      },
      arguments.check);
  if (!isOne)
    std::printf("seeds %llu to %llu: %s",
                static_cast<unsigned long long>(arguments.seed),
                static_cast<unsigned long long>(end - 1),
                summary.text().c_str());
  return summary.faults() ? 1 : 0;
}
