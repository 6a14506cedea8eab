// emulator-fuzz COUNT SEED FILE...: changes files of PTX at random, loads them
// and runs each kernel for a while. Whatever comes is right, as long as it is
// an error of one line, a fault or an end.
#include "runtime/emulator/device/Limits.h"
#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Scheduler.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

using namespace tilewright;
using namespace tilewright::emulator;

namespace {

class Fuzzer {
public:
  Fuzzer(std::vector<std::string> texts, uint64_t seed)
      : texts(std::move(texts)), random(seed) {}
  void step();
  unsigned rejected = 0, faulted = 0, ended = 0;
  double slowest = 0;

private:
  size_t below(size_t n) { return n ? random() % n : 0; }
  std::string mutant();
  void change(std::string &text, const std::string &other);
  void launch(LoadedModule &module, GlobalMemory &memory);

  std::vector<std::string> texts;
  std::mt19937_64 random;
};

/// Sizes and alignments that overflow.
constexpr const char *extremes[] = {
    "0",          "16777216",   "2147483648",           "4294967296",
    "8589934592", "4294967168", "18446744073709551600", "9223372036854775808"};

/// Swaps whole words and lines more often than bytes: then more texts get past
/// the parser.
void Fuzzer::change(std::string &text, const std::string &other) {
  auto lineAt = [&](const std::string &from) {
    size_t start = from.rfind('\n', below(from.size()));
    start = start == std::string::npos ? 0 : start;
    size_t end = std::min(from.find('\n', start + 1), from.size());
    return std::pair(start, end - start);
  };
  auto wordAt = [&](const std::string &from) {
    size_t at = from.find_first_of(" .,[", below(from.size()));
    at = at == std::string::npos ? 0 : at;
    size_t end = std::min(from.find_first_of(" .,;]\n", at + 1), from.size());
    return std::pair(at, end - at);
  };
  size_t at = below(text.size());
  switch (below(8)) {
  case 0:
    text.erase(at, 1 + below(8));
    return;
  case 1:
    text[at] = char(below(256));
    return;
  case 2:
    text.resize(at);
    return;
  case 3: {
    auto [start, length] = lineAt(text);
    text.erase(start, length);
    return;
  }
  case 7: {
    const size_t start = text.find_first_of("0123456789", at);
    const size_t end = text.find_first_not_of("0123456789", start);
    if (end != std::string::npos)
      text.replace(start, end - start, extremes[below(std::size(extremes))]);
    return;
  }
  case 4: {
    auto [start, length] = lineAt(text);
    auto [from, count] = lineAt(other);
    text.replace(start, length, other.substr(from, count));
    return;
  }
  default: {
    auto [start, length] = wordAt(text);
    auto [from, count] = wordAt(other);
    text.replace(start, length, other.substr(from, count));
    return;
  }
  }
}

std::string Fuzzer::mutant() {
  std::string text = texts[below(texts.size())];
  for (size_t n = 1 + below(3); n && !text.empty(); --n)
    change(text, texts[below(texts.size())]);
  return text;
}

void Fuzzer::launch(LoadedModule &module, GlobalMemory &memory) {
  std::vector<std::shared_ptr<Allocation>> buffers;
  for (const ptx::Function &function : module.source().functions) {
    if (!function.isEntry || !function.body)
      continue;
    auto program = module.program(function.name.text);
    if (!program) {
      ++rejected;
      continue;
    }
    Launch launch;
    launch.program = *program;
    launch.grid = {2, 1, 1};
    launch.block = {64, 1, 1};
    launch.cluster = prescribedCluster(**program);
    launch.grid[0] *= launch.cluster[0];
    launch.grid[1] *= launch.cluster[1];
    launch.grid[2] *= launch.cluster[2];
    launch.dynamicShared = 4096;
    LaunchShape shape = {launch.grid, launch.block, launch.cluster, 4096};
    if (!checkBlock(**program, shape).ok() || !checkGrid(shape).ok()) {
      ++rejected;
      continue;
    }
    const Function &kernel = (*program)->kernel();
    launch.parameters.resize(kernel.parameterBytes);
    for (const Parameter &parameter : kernel.parameters) {
      uint64_t word = 7;
      if (parameter.bytes == 8) {
        if (auto buffer = memory.allocate(65536, false)) {
          buffers.push_back(*buffer);
          word = (*buffer)->address;
        }
      }
      std::memcpy(launch.parameters.data() + parameter.offset, &word,
                  std::min<uint32_t>(parameter.bytes, 8));
    }
    launch.memory = memory.snapshot();
    launch.options.maxInstructions = 3000;
    launch.options.threads = 1;
    launch.options.copiesLandLate = below(2);
    if (below(2))
      launch.options.interleave = below(1000);
    run(launch);
    ++(launch.fault ? faulted : ended);
  }
}

void Fuzzer::step() {
  auto start = std::chrono::steady_clock::now();
  std::string text = mutant();
  GlobalMemory memory;
  auto module = LoadedModule::load(memory, text);
  if (module)
    launch(**module, memory);
  else
    ++rejected;
  slowest = std::max(slowest, std::chrono::duration<double>(
                                  std::chrono::steady_clock::now() - start)
                                  .count());
}
} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> texts;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file),
                       std::istreambuf_iterator<char>());
  }
  if (texts.empty()) {
    std::fprintf(stderr, "usage: emulator-fuzz COUNT SEED FILE...\n");
    return 2;
  }
  Fuzzer fuzzer(texts, std::strtoull(argv[2], nullptr, 10));
  for (int n = std::atoi(argv[1]); n > 0; --n)
    fuzzer.step();
  std::printf("%u rejected, %u faults, %u ended; the slowest took %.2f s\n",
              fuzzer.rejected, fuzzer.faulted, fuzzer.ended, fuzzer.slowest);
  return fuzzer.rejected && fuzzer.faulted && fuzzer.ended ? 0 : 1;
}
