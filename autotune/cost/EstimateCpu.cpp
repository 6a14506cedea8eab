//===- EstimateCpu.cpp - What a schedule costs on a CPU -------------------===//
#include "autotune/cost/EstimateCpu.h"

#include "autotune/cost/CpuElements.h"
#include "autotune/cost/Metrics.h"
#include "autotune/cost/Traffic.h"
#include "runtime/abi/Chunks.h"
#include "support/Format.h"

namespace tilewright::autotune {

namespace {
/// Sums over a launch, in cycles of one core unless stated otherwise.
class CpuEstimate {
public:
  CpuEstimate(const Work &work, const schedule::CpuSchedule &schedule,
              const cpu::CpuTarget &target, const CpuMachine &machine,
              std::string_view without)
      : work(work), schedule(schedule), target(target), machine(machine),
        without(without) {}

  Estimate run();

private:
  std::optional<Rejection> addDots();
  void addElements();
  void addOverhead();
  void chooseThreads();
  [[nodiscard]] double nanoseconds(double cycles) const {
    return cycles / machine.clock() / threads;
  }
  [[nodiscard]] double counted(std::string_view name, double value) const {
    return name == without ? 0 : value;
  }
  [[nodiscard]] CoreCycles counted(const CoreCycles &cycles) const {
    return {counted("compute", cycles.compute), counted("issue", cycles.issue),
            counted("latency", cycles.latency), counted("l1", cycles.l1)};
  }
  /// Adds a term and returns the part that counts.
  double term(std::string_view name, double time, std::string reason) {
    estimate.terms.push_back({std::string(name), time, std::move(reason)});
    return counted(name, time);
  }
  void combine();
  Roofline roofline() const;
  [[nodiscard]] double cacheTime(std::string_view name, double bytes,
                                 double bytesPerCycle);
  [[nodiscard]] double memoryTime();
  [[nodiscard]] double imbalanceOf(double time);

  const Work &work;
  const schedule::CpuSchedule &schedule;
  const cpu::CpuTarget &target;
  const CpuMachine &machine;
  std::string_view without;
  Estimate estimate;
  CoreCycles total;
  /// The sum over ops of each one's largest.
  double bound = 0;
  double pack = 0, overhead = 0, rereads = 0, scratch = 0, code = 0;
  double threads = 1, chunk = 1;
  std::string blocks;
};
} // namespace

/// What is done at the same time takes as long as the longest, and a part of
/// the rest.
static double exposedSum(std::initializer_list<double> times) {
  constexpr double exposed = 0.25;
  double sum = 0;
  for (double time : times)
    sum += time;
  double largest = std::max(times);
  return largest + exposed * (sum - largest);
}

std::optional<Rejection> CpuEstimate::addDots() {
  for (const DotWork &dot : work.dots) {
    DotPlan plan = planDot(work, dot, schedule, target);
    if (std::optional<Rejection> rejection = rejectBlock(plan, target))
      return rejection;
    DotCost cost = dotCost(work, dot, plan, target, machine);
    total += cost.cycles * dot.executions;
    bound += counted(cost.cycles).bound() * dot.executions;
    pack += cost.pack * dot.executions;
    rereads += cost.l2Bytes * dot.executions;
    scratch += cost.scratch;
    code += cost.code;
    blocks = format("block of {} x {} vectors", {plan.rows, plan.vectors});
  }
  scratch += double(work.carriedBytes);
  if (scratch > scratchLimit)
    return Rejection{"scratch memory",
                     format("needs {} of a thread, the limit is {}",
                            {inBytes(scratch), inBytes(scratchLimit)})};
  if (code > codeLimit)
    return Rejection{"code",
                     format("blocks unrolled to {} of code, the limit is {}",
                            {inBytes(code), inBytes(codeLimit)})};
  return std::nullopt;
}

void CpuEstimate::addElements() {
  // Loads, stores and what is computed between them go through one loop, and
  // other loops overlap less.
  CoreCycles together;
  auto add = [&](const CoreCycles &cycles, double executions) {
    total += cycles * executions;
    together += cycles * executions;
  };
  for (const ElementWork &element : work.elements) {
    CoreCycles cycles = elementCycles(element, target, machine.core);
    if (element.role == ElementWork::Role::elementwise) {
      add(cycles, element.executions);
    } else {
      total += cycles * element.executions;
      bound += counted(cycles).bound() * element.executions;
      overhead += loopIterations(element.shape, element.bits, target) *
                  element.executions;
    }
  }
  for (const Access &access : work.accesses) {
    // Contractions read their operands themselves.
    if (access.isOperand)
      continue;
    add(accessCycles(access, target, machine.core, machine.line),
        access.executions);
    if (access.isStore)
      overhead += loopIterations(access.tile, unsigned(access.elementBytes * 8),
                                 target) *
                  access.executions;
  }
  for (const PointerAccess &access : work.pointers)
    add(pointerCycles(access, machine.core), access.executions);
  together = counted(together);
  bound += exposedSum({together.compute, together.issue, together.l1});
}

/// Iterations of loops over elements are in `overhead` already: half a cycle
/// each, as they overlap with the work.
void CpuEstimate::addOverhead() {
  constexpr double ofProgram = 60, ofLoop = 12, instructionCache = 32 << 10;
  overhead = overhead / 2 + ofProgram * double(work.programs);
  for (size_t v = 0; v < work.variables.size(); ++v) {
    double iterations = 1;
    for (int at = int(v); at >= 0; at = work.variables[size_t(at)].parent)
      iterations *= work.variables[size_t(at)].trips;
    if (!work.variables[v].isGrid)
      overhead += ofLoop * iterations;
  }
  // Code that does not stay in its cache is fetched again for each tile.
  double dots = 0;
  for (const DotWork &dot : work.dots)
    dots += dot.executions;
  if (code > instructionCache)
    overhead += dots * (code - instructionCache) / 16;
}

void CpuEstimate::chooseThreads() {
  double programs = double(work.programs);
  threads = schedule.threads ? std::min(schedule.threads, machine.cores)
                             : machine.cores;
  threads = std::max(1.0, std::min(threads, programs));
  chunk = schedule.chunk
              ? double(schedule.chunk)
              : double(runtime::defaultChunk(work.programs, int64_t(threads)));
}

double CpuEstimate::cacheTime(std::string_view name, double bytes,
                              double bytesPerCycle) {
  return term(name, nanoseconds(bytes / bytesPerCycle),
              format("{} at {} bytes a cycle and core",
                     {inBytes(bytes), threeDigits(bytesPerCycle)}));
}

/// Data that does not fit the last cache is loaded from memory at each launch.
double CpuEstimate::memoryTime() {
  double groups = std::ceil(threads / machine.l3Cores);
  double all = double(machine.l3) * groups * 0.8;
  double own = double(machine.l3) / std::min(threads, double(machine.l3Cores));
  double distinct = work.distinctBytes(machine.line);
  double bytes =
      distinct <= all ? 0 : fetchedBytes(work, own * 0.8, machine.line);
  double bandwidth = machine.memoryOf(unsigned(threads));
  return term("dram", bytes / bandwidth,
              bytes == 0 ? inBytes(distinct) + " stay in L3"
                         : format("{} at {} GB/s",
                                  {inBytes(bytes), threeDigits(bandwidth)}));
}

/// What threads wait for the last one.
double CpuEstimate::imbalanceOf(double time) {
  int64_t programs = std::max<int64_t>(1, work.programs);
  double longest = double(runtime::longestShare(programs, int64_t(chunk),
                                                int64_t(threads))) /
                   double(programs);
  return time * std::max(0.0, longest * threads - 1);
}

void CpuEstimate::combine() {
  double own = 0.8 * double(machine.l2);
  auto fetched = [&](double cacheBytes) {
    return fetchedBytes(work, cacheBytes, machine.line);
  };
  double l2Bytes = fetched(0.8 * double(machine.l1)) + rereads;
  double reads = scratch > own ? rereads : 0;
  double l3Bytes = fetched(std::max(own / 4, own - scratch)) + reads;
  term("compute", nanoseconds(total.compute),
       format("{} G operations, {} bits of vectors",
              {threeDigits(work.operationCount() * 1e-9),
               threeDigits(double(target.vectorBits) * threads)}));
  term("issue", nanoseconds(total.issue),
       format("{} instructions and {} loads a cycle{}",
              {threeDigits(machine.core.instructions),
               threeDigits(machine.core.loads),
               blocks.empty() ? "" : ", " + blocks}));
  term("latency", nanoseconds(total.latency),
       format("chains of {} cycles a step{}",
              {threeDigits(machine.core.fmaLatency),
               blocks.empty() ? "" : ", " + blocks}));
  term("l1", nanoseconds(total.l1),
       format("{} bytes loaded and {} stored a cycle",
              {threeDigits(machine.core.loadBits / 8),
               threeDigits(machine.core.storeBits / 8)}));
  double core = nanoseconds(bound + counted("pack", pack));
  double l2 = cacheTime("l2", l2Bytes, machine.l2BytesPerCycle());
  double l3 = cacheTime("l3", l3Bytes, machine.l3BytesPerCycle());
  double dram = memoryTime();
  double body = exposedSum({core, l2, l3, dram});
  term("pack", nanoseconds(pack), "copies of operands and sums");
  double chunks = std::ceil(double(work.programs) / chunk);
  double around = machine.launch + (threads > 1 ? machine.wake : 0) +
                  chunks * machine.chunk / threads;
  double loops = nanoseconds(overhead);
  double outside =
      term("overhead", around + loops,
           format("{} programs in {} chunks, loops {}",
                  {work.programs, threeDigits(chunks), inTime(loops)}));
  double imbalance =
      term("imbalance", imbalanceOf(body + counted("overhead", loops)),
           format("{} chunks on {} threads",
                  {threeDigits(chunks), threeDigits(threads)}));
  estimate.nanoseconds = body + outside + imbalance;
  estimate.roofline = roofline();
}

/// Of f32, and of the memory that the launch's data stays in.
Roofline CpuEstimate::roofline() const {
  constexpr double elementBits = 32;
  double cycles = machine.clock() * 1e9 * threads;
  double bytes = work.distinctBytes();
  bool staysInCache = bytes <= 0.8 * double(machine.l3);
  return {work.operationCount(), bytes,
          2 * machine.core.fmaBits / elementBits * cycles,
          staysInCache ? machine.l3BytesPerCycle() * cycles
                       : machine.memoryOf(unsigned(threads)) * 1e9};
}

Estimate CpuEstimate::run() {
  if (std::optional<Rejection> rejection = addDots()) {
    estimate.rejection = std::move(rejection);
    return std::move(estimate);
  }
  addElements();
  addOverhead();
  chooseThreads();
  combine();
  if (work.isGuess())
    estimate.terms.front().reason +=
        "; loops whose trips are not known are taken to make " +
        threeDigits(LoopNest::guessedTrips);
  return std::move(estimate);
}

StatusOr<Estimate> estimateCpu(tile::KernelOp kernel,
                               std::span<const ArgumentShape> arguments,
                               const schedule::CpuSchedule &schedule,
                               const cpu::CpuTarget &target,
                               const CpuMachine &machine) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Work work, analyzeWork(kernel, arguments));
  return estimateCpu(work, schedule, target, machine);
}

Estimate estimateCpu(const Work &work, const schedule::CpuSchedule &schedule,
                     const cpu::CpuTarget &target, const CpuMachine &machine,
                     std::string_view without) {
  return CpuEstimate(work, schedule, target, machine, without).run();
}

} // namespace tilewright::autotune
