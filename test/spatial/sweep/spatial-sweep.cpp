// Maps random graphs on random machines, and asks all oracles.
//
//   spatial-sweep [--cases N] [--seed S] [--case K] [--keep FOLDER]
//   spatial-sweep --write-machine FILE [--seed S] [--rows N]
//
// --case: only that one of the seed. --keep: where to write what is wrong: the
// graph, the machine, the inputs, and the schedule as a package. Exits with 1
// if a case is wrong, or if one of ten or more of at least 500 is rejected: of
// few cases that share says nothing. --write-machine writes a machine for other
// tests.
#include "graph/ir/Graph.h"
#include "graph/pipeline/Pipelines.h"
#include "spatial/ir/Spatial.h"
#include "test/spatial/sweep/SweepCase.h"
#include "test/spatial/sweep/SweepMachine.h"
#include "tileir/ir/Register.h"
#include "tilewright/runtime/Npy.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

namespace tilewright::test {

namespace {

struct Options {
  uint64_t cases = 0, seed = 1;
  int64_t only = -1, rows = 65536;
  std::string keep, machine;
};

void writeText(const std::filesystem::path &path, std::string_view text) {
  std::ofstream(path) << text;
}

/// Writes what is needed to look at a case.
void keep(const std::filesystem::path &folder, const SweepCase &sweep,
          const SweepResult &result) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  writeText(folder / "machine.json", sweep.machine.text);
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::ModuleOp(*sweep.graph.module).print(stream);
  writeText(folder / "graph.mlir", text);
  for (size_t i = 0; i < sweep.graph.inputs.size(); ++i)
    (void)runtime::writeNpy(folder / ("x" + std::to_string(i) + ".npy"),
                            sweep.graph.inputs[i]);
  if (result.schedule)
    (void)spatial::writeSchedule(*result.schedule, folder / "case.tws");
}

/// A message without its numbers: what kind of limit it is.
std::string kindOf(std::string_view message) {
  std::string kind;
  for (char c : message.substr(0, 160)) {
    const bool isDigit = c >= '0' && c <= '9';
    if (!isDigit)
      kind += c;
    else if (kind.empty() || kind.back() != '#')
      kind += '#';
  }
  return kind;
}

void printCounts(std::string_view title,
                 const std::map<std::string, int> &counts) {
  std::cout << title << "\n";
  for (const auto &[name, count] : counts)
    std::cout << "  " << count << "  " << name << "\n";
}

bool sweepAll(const Options &options, mlir::MLIRContext &context) {
  std::map<std::string, int> rejections;
  uint64_t wrong = 0, rejected = 0, cases = 0;
  int64_t cycles = 0;
  const bool isOne = options.only >= 0;
  const uint64_t first = isOne ? static_cast<uint64_t>(options.only) : 0;
  const uint64_t end = isOne ? first + 1 : options.cases;
  for (uint64_t i = first; i < end; ++i) {
    ++cases;
    const SweepCase sweep =
        makeSweepCase(context, options.seed * 1'000'000 + i);
    // Before it is mapped: what makes the compiler crash is there to look at.
    if (!options.keep.empty() && isOne)
      keep(std::filesystem::path(options.keep) / std::to_string(i), sweep, {});
    const SweepResult result = check(sweep);
    cycles += result.cycles;
    if (result.verdict == SweepVerdict::rejected) {
      ++rejected;
      ++rejections[kindOf(result.message)];
    }
    if (isOne)
      std::cout << result.message << "\n";
    const bool isWrong = result.verdict == SweepVerdict::wrong;
    wrong += isWrong;
    if (isWrong)
      std::cout << "seed " << options.seed << " case " << i << " ("
                << sweep.graph.operators << "): " << result.message
                << std::endl;
    if (!options.keep.empty() && (isWrong || isOne))
      keep(std::filesystem::path(options.keep) / std::to_string(i), sweep,
           result);
  }
  printCounts("rejected", rejections);
  std::cout << cases << " cases: " << cases - wrong - rejected << " right, "
            << rejected << " rejected, " << wrong << " wrong; " << cycles
            << " cycles\n";
  return wrong == 0 && (cases < 500 || rejected * 10 < cases);
}

} // namespace

} // namespace tilewright::test

int main(int argc, char **argv) {
  using namespace tilewright;
  test::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const char *value = argv[i + 1];
    if (name == "--keep")
      options.keep = value;
    else if (name == "--write-machine")
      options.machine = value;
    else if (name == "--cases")
      options.cases = std::strtoull(value, nullptr, 10);
    else if (name == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else if (name == "--rows")
      options.rows = std::strtoll(value, nullptr, 10);
    else if (name == "--case")
      options.only = std::strtoll(value, nullptr, 10);
  }
  if (!options.machine.empty()) {
    test::Dice dice(options.seed);
    test::writeText(options.machine, test::sweepMachine(dice, options.rows));
    return 0;
  }
  mlir::DialectRegistry registry;
  graph::registerModuleDialects(registry);
  registerAllDialects(registry);
  registry.insert<graph::GraphDialect, spatial::SpatialDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  return test::sweepAll(options, context) ? 0 : 1;
}
