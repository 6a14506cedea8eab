// spatial-simulator-speed MACHINE.json [CYCLES]: how fast one core simulates
// schedules of about so many cycles: products on all planes of a chip, and ALUs
// that add what banks read, for banks to write.
#include "spatial/program/InstructionText.h"
#include "spatial/simulator/Simulator.h"
#include "support/Format.h"
#include "tilewright/runtime/HalfFloats.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>

using namespace tilewright;
using namespace tilewright::spatial;

namespace {

/// A schedule, and what is needed to write its lines.
class Workload {
public:
  explicit Workload(const Machine &machine) {
    schedule.machine = machine;
    schedule.chips = 1;
    schedule.instructions.resize(1);
    schedule.files.emplace_back("chip-0.txt");
    banks = machine.positionsOf(UnitKind::mem);
  }

  uint32_t value(const std::string &name, DType type, int64_t vectors);
  /// A constant whose plane j of vector v lies in the bank of stream
  /// (v % group) w + j, in row v / group. The first stream's is `firstBank`.
  void constant(const std::string &name, DType type, int64_t vectors,
                int64_t group, int64_t firstBank);
  void line(const std::string &text) { lines += text + "\n"; }

  /// The mem of a stream, "u7", and its distance to `position`.
  [[nodiscard]] int64_t bankPosition(int64_t bank) const {
    return banks[static_cast<size_t>(bank) % banks.size()];
  }
  /// When to read for a unit at `position` to see it in `cycle`.
  [[nodiscard]] int64_t readCycle(int64_t bank, int64_t position,
                                  int64_t cycle) const {
    return cycle - std::abs(bankPosition(bank) - position) -
           schedule.machine.mem.readDelay;
  }
  /// The stream with this number from the bank to `position`.
  [[nodiscard]] std::string stream(int64_t bank, int64_t position,
                                   int64_t number) const {
    return format("{}{}", {bankPosition(bank) < position ? "e" : "w", number});
  }

  /// Whether the machine has so many mems; a line says that it does not.
  [[nodiscard]] bool hasBanks(const char *name, int64_t count) const {
    if (count <= static_cast<int64_t>(banks.size()))
      return true;
    std::printf("%s: left out: needs %lld mems, the machine has %zu\n", name,
                static_cast<long long>(count), banks.size());
    return false;
  }
  /// Runs it and prints a line; false if it has findings.
  bool measure(const char *name);

  Schedule schedule;
  double multiplyAdds = 0;

private:
  std::vector<int64_t> banks;
  std::list<std::vector<std::byte>> bytes;
  std::string lines;
};

uint32_t Workload::value(const std::string &name, DType type, int64_t vectors) {
  schedule.values.push_back({name, type, vectors});
  return static_cast<uint32_t>(schedule.values.size() - 1);
}

void Workload::constant(const std::string &name, DType type, int64_t vectors,
                        int64_t group, int64_t firstBank) {
  const Machine &machine = schedule.machine;
  uint32_t index = value(name, type, vectors);
  int64_t planes = machine.planesOf(type);
  for (int64_t i = 0; i < group; ++i)
    for (int64_t plane = 0; plane < planes; ++plane)
      schedule.placements.push_back(
          {index, i, (vectors - i + group - 1) / group, group, plane, 0,
           Queue{bankPosition(firstBank + i * planes + plane), QueueKind::bank,
                 0},
           0, 1});
  // Of any type, numbers near 1 that are no denormals.
  auto &rows = bytes.emplace_back(
      static_cast<size_t>(vectors * planes * machine.rowBytes()));
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = std::byte(0x38 + i * 37 % 7);
  schedule.constants.push_back(index);
  schedule.constantBytes.push_back(rows);
}

bool Workload::measure(const char *name) {
  auto parsed = parseInstructions(schedule, lines, "chip-0.txt");
  if (!parsed) {
    std::printf("%s: %s\n", name, parsed.status().message().c_str());
    return false;
  }
  schedule.instructions[0] = *parsed;
  int64_t instructions = 0, last = 0;
  for (const Instruction &in : *parsed) {
    instructions += in.count;
    last = std::max(last, in.cycle + (in.count - 1) * in.step);
  }
  double least = 0;
  for (int run = 0; run < 3; ++run) {
    auto start = std::chrono::steady_clock::now();
    auto result = simulate(schedule, {}, {.mostFindings = 3});
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (!result) {
      std::printf("%s: %s\n", name, result.status().message().c_str());
      return false;
    }
    // The length is counted: the one finding is the manifest's.
    for (const Finding &finding : result->findings)
      if (finding.code != FindingCode::wrongLength) {
        std::printf("%s: %s\n", name, printFinding(finding).c_str());
        return false;
      }
    least = run == 0 ? seconds : std::min(least, seconds);
  }
  std::printf("%-10s %8lld cycles %9lld instructions %7.3f s: %7.0f cycles/ms, "
              "%5.2f M instructions/s, %5.2f G multiply-adds/s\n",
              name, static_cast<long long>(last),
              static_cast<long long>(instructions), least,
              static_cast<double>(last) / least / 1e3,
              static_cast<double>(instructions) / least / 1e6,
              multiplyAdds / least / 1e9);
  return true;
}

/// Each plane multiplies `steps` vectors by one buffer, into accumulators that
/// the next pass over them adds.
bool measureProducts(const Machine &machine, DType type, int64_t steps) {
  Workload work(machine);
  const auto &mxm = machine.mxm;
  int64_t w = machine.planesOf(type), group = mxm.loadStreams / w;
  int64_t loads = (mxm.rows + group - 1) / group, rows = loads * group;
  int64_t passes = mxm.passes.at(type);
  int64_t sums = std::min(mxm.accumulators, steps);
  DType sumType = type == DType::I8 ? DType::I32 : DType::F32;
  std::vector<int64_t> units = machine.positionsOf(UnitKind::mxm);
  int64_t planes = static_cast<int64_t>(units.size()) * mxm.planes;
  // Weights come over the first streams, x over those behind.
  int64_t xStream = group * w;
  if (!work.hasBanks("products", xStream + w))
    return true;
  work.constant("W", type, rows, group, 0);
  work.constant("x", type, sums, 1, xStream);
  work.value("p", sumType, planes * (steps + 1));
  int64_t begin = 1000;
  for (int64_t u = 0; u < static_cast<int64_t>(units.size()); ++u) {
    int64_t at = units[static_cast<size_t>(u)];
    std::string streams, xStreams;
    for (int64_t s = 0; s < xStream; ++s)
      streams += (s ? "," : "") + work.stream(s, at, s);
    for (int64_t j = 0; j < w; ++j)
      xStreams += (j ? "," : "") + work.stream(xStream + j, at, xStream + j);
    int64_t first = begin + u * 2000;
    for (int64_t s = 0; s < xStream; ++s)
      work.line(format("@{} u{}.b0 read r0+1:W[{}+{}].{} -> {} *{}/1",
                       {work.readCycle(s, at, first), work.bankPosition(s),
                        s / w, group, s % w, work.stream(s, at, s), loads}));
    for (int64_t plane = 0; plane < mxm.planes; ++plane)
      work.line(
          format("@{} u{}.p{}.w load {}:W[0+{}] -> buffer 0 row 0+{} *{}/1",
                 {first, at, plane, streams, group, group, loads}));
    int64_t muls = first + loads + 10;
    for (int64_t done = 0; done < steps; done += sums) {
      int64_t count = std::min(sums, steps - done);
      int64_t t = muls + done * passes;
      for (int64_t j = 0; j < w; ++j) {
        int64_t s = xStream + j;
        work.line(format("@{} u{}.b0 read r0+1:x[0+1].{} -> {} *{}/{}",
                         {work.readCycle(s, at, t), work.bankPosition(s), j,
                          work.stream(s, at, s), count, passes}));
      }
      for (int64_t plane = 0; plane < mxm.planes; ++plane) {
        int64_t name = (u * mxm.planes + plane) * (steps + 1) + done;
        work.line(format(
            "@{} u{}.p{}.a mul {} {}:x[0+1] buffer 0:W[0] rows {}{} -> acc "
            "0+1:p[{}+1] *{}/{}",
            {t, at, plane, std::string(valueTypeName(type)), xStreams, mxm.rows,
             done ? format(" + acc 0+1:p[{}+1]", {name - sums}) : std::string(),
             name, count, passes}));
      }
    }
    begin = muls - u * 2000 + steps * passes;
    work.multiplyAdds += static_cast<double>(mxm.planes * steps * mxm.rows) *
                         static_cast<double>(mxm.columns);
  }
  return work.measure("products");
}

/// Two banks read, an ALU adds, a third bank writes: as many of these chains as
/// streams and ALUs allow.
bool measureSums(const Machine &machine, int64_t steps) {
  Workload work(machine);
  std::vector<int64_t> units = machine.positionsOf(UnitKind::vxm);
  DType type = DType::F16;
  int64_t w = machine.planesOf(type), at = units[0];
  int64_t chains = std::min({machine.vxm.alus, machine.streams[0] / (2 * w),
                             machine.streams[1] / (2 * w)});
  steps = std::min(steps, machine.mem.rows);
  if (!work.hasBanks("sums", chains * 3 * w))
    return true;
  int64_t begin = 1000;
  for (int64_t chain = 0; chain < chains; ++chain) {
    int64_t first = chain * 3 * w;
    std::string name = format("x{}", {chain});
    work.constant(name, type, steps, 1, first);
    work.constant(name + "b", type, steps, 1, first + w);
    work.value(name + "y", type, steps);
    std::string operands[2], result;
    for (int64_t j = 0; j < 2 * w; ++j) {
      int64_t bank = first + j, number = chain * 2 * w + j;
      std::string stream = work.stream(bank, at, number);
      operands[j / w] += (j % w ? "," : "") + stream;
      work.line(
          format("@{} u{}.b0 read r0+1:{}[0+1].{} -> {} *{}/1",
                 {work.readCycle(bank, at, begin), work.bankPosition(bank),
                  name + (j < w ? "" : "b"), j % w, stream, steps}));
    }
    int64_t ready = begin + machine.delayOf(AluOp::add);
    // Results flow away from the ALUs, where no operand comes from.
    for (int64_t j = 0; j < w; ++j) {
      int64_t bank = first + 2 * w + j, number = chain * 2 * w + j;
      bool isEast = work.bankPosition(bank) > at;
      std::string stream = format("{}{}", {isEast ? "e" : "w", number});
      result += (j ? "," : "") + stream;
      work.line(format("@{} u{}.b1 write {}:{}y[0+1].{} -> r0+1 *{}/1",
                       {ready + std::abs(work.bankPosition(bank) - at),
                        work.bankPosition(bank), stream, name, j, steps}));
    }
    work.line(
        format("@{} u{}.a{} add f32 {}:{}[0+1] {}:{}b[0+1] -> {}:{}y[0+1] "
               "*{}/1",
               {begin, at, chain, operands[0], name, operands[1], name, result,
                name, steps}));
  }
  return work.measure("sums");
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::printf("usage: spatial-simulator-speed MACHINE.json [CYCLES]\n");
    return 2;
  }
  auto machine = readMachine(argv[1]);
  if (!machine) {
    std::printf("%s\n", machine.status().message().c_str());
    return 1;
  }
  int64_t cycles = argc > 2 ? std::atoll(argv[2]) : 20000;
  bool isGood = true;
  if (argc > 3)
    return measureSums(*machine, cycles) ? 0 : 1;
  for (const auto &[type, passes] : machine->mxm.passes) {
    std::printf("%s ", std::string(valueTypeName(type)).c_str());
    isGood &=
        measureProducts(*machine, type, std::max<int64_t>(1, cycles / passes));
  }
  isGood &= measureSums(*machine, cycles);
  return isGood ? 0 : 1;
}
