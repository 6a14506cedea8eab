#include "verify/threads/ThreadsReference.h"

#include "mlir/IR/BuiltinOps.h"
#include "tileir/reference/ChosenPrograms.h"
#include "tileir/reference/ElementOps.h"
#include "tilewright/mlir/Tile.h"
#include "verify/threads/Collective.h"
#include "verify/threads/Globals.h"

#include <numeric>
#include <random>

using namespace mlir;

namespace tilewright::verify::threads {

/// Addresses of a thread's own memory.
static constexpr uint64_t kStackAddress = uint64_t(1) << 40,
                          kStackBytes = uint64_t(1) << 24;

//===--- A block ----------------------------------------------------------===//

namespace {
/// The threads of a block, run until all have ended.
class Block {
public:
  Block(Launch &launch, unsigned count);

  LogicalResult run(const std::shared_ptr<const Code> &code,
                    ArrayRef<Lane> arguments, std::array<int64_t, 3> index,
                    std::mt19937_64 *random);

private:
  enum class State : uint8_t { ready, waiting, ended };

  LogicalResult runReady();
  /// What waiting threads can do together.
  FailureOr<bool> completeWarps();
  FailureOr<bool> completeBlock();
  FailureOr<bool> completeGroup(unsigned first, unsigned thread);
  LogicalResult deadlock();
  const Collective *waitsAt(unsigned thread) const {
    return static_cast<const Collective *>(threads[thread].at().details.get());
  }
  void resume(ArrayRef<Thread *> all);

  Launch &launch;
  std::deque<Thread> threads;
  std::vector<State> states;
  std::vector<unsigned> order;
};
} // namespace

Block::Block(Launch &launch, unsigned count)
    : launch(launch), states(count), order(count) {
  for (unsigned n = 0; n < count; ++n) {
    threads.emplace_back(launch, n, kStackAddress + n * kStackBytes);
    threads.back().blockSize = count;
    for (unsigned dim = 0; dim < 3; ++dim)
      threads.back().grid[dim] = launch.options.grid[dim];
  }
  std::iota(order.begin(), order.end(), 0);
}

/// Written out: the standard library's shuffle differs between hosts.
template <typename T>
static void shuffle(std::vector<T> &order, std::mt19937_64 &random) {
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random() % i]);
}

LogicalResult Block::runReady() {
  for (unsigned n : order) {
    if (states[n] != State::ready)
      continue;
    const Outcome outcome = threads[n].run();
    if (outcome == Outcome::fault)
      return failure();
    states[n] = outcome == Outcome::end ? State::ended : State::waiting;
  }
  return success();
}

void Block::resume(ArrayRef<Thread *> all) {
  for (Thread *thread : all)
    if (thread) {
      ++thread->pc;
      states[thread->number] = State::ready;
    }
}

/// Of a warp from `first` on, those that wait with `thread`.
FailureOr<bool> Block::completeGroup(unsigned first, unsigned thread) {
  const Collective *collective = waitsAt(thread);
  const Instruction &at = threads[thread].at();
  uint64_t mask = 0xffffffff;
  if (collective->mask) {
    const Lane &lane = threads[thread].frame[*collective->mask];
    if (isOpen(lane))
      return poisonFault(at, threads[thread], lane, "its mask"), failure();
    mask = lane.bits;
    if (!(mask >> (thread - first) & 1))
      return fault(at, threads[thread], "is not in its mask"), failure();
  }
  std::array<Thread *, kWarp> all = {};
  for (unsigned lane = 0; lane < kWarp && first + lane < threads.size();
       ++lane) {
    if (!(mask >> lane & 1))
      continue;
    const unsigned other = first + lane;
    if (states[other] != State::waiting || waitsAt(other) != collective)
      return false;
    all[lane] = &threads[other];
  }
  if (collective->complete(at, all) != Outcome::next)
    return failure();
  resume(all);
  return true;
}

FailureOr<bool> Block::completeWarps() {
  bool any = false;
  for (unsigned first = 0; first < threads.size(); first += kWarp) {
    const auto end = unsigned(std::min<size_t>(threads.size(), first + kWarp));
    for (unsigned n = first; n < end; ++n) {
      if (states[n] != State::waiting || waitsAt(n)->isOfBlock)
        continue;
      FailureOr<bool> done = completeGroup(first, n);
      if (failed(done))
        return failure();
      any |= *done;
    }
  }
  return any;
}

FailureOr<bool> Block::completeBlock() {
  const Collective *collective =
      states[0] == State::waiting ? waitsAt(0) : nullptr;
  if (!collective || !collective->isOfBlock)
    return false;
  SmallVector<Thread *> all;
  for (unsigned n = 0; n < threads.size(); ++n) {
    if (states[n] != State::waiting || waitsAt(n) != collective)
      return false;
    all.push_back(&threads[n]);
  }
  if (collective->complete(threads[0].at(), all) != Outcome::next)
    return failure();
  resume(all);
  return true;
}

LogicalResult Block::deadlock() {
  const unsigned first =
      unsigned(llvm::find(states, State::waiting) - states.begin());
  Operation *op = threads[first].at().op;
  InFlightDiagnostic error = reference::errorAt(op);
  const auto &block = threads[first].block;
  error << "thread " << first << " of block [" << block[0] << ", " << block[1]
        << ", " << block[2] << "] waits here for others, ";
  for (unsigned n = 0; n < threads.size(); ++n) {
    if (states[n] == State::ended)
      return error << "but thread " << n << " has ended";
    if (threads[n].at().op == op)
      continue;
    error << "but thread " << n << " waits at another op";
    error.attachNote(threads[n].at().op->getLoc())
        << "thread " << n << " waits at this " << threads[n].at().op->getName();
    return error;
  }
  return error << "and they do not come";
}

LogicalResult Block::run(const std::shared_ptr<const Code> &code,
                         ArrayRef<Lane> arguments, std::array<int64_t, 3> index,
                         std::mt19937_64 *random) {
  // What a block does comes after what others did; its memory is fresh.
  ++launch.memory.interval;
  if (Allocation *shared = launch.memory.containing(kSharedAddress))
    llvm::fill(shared->written, 0);
  if (random)
    shuffle(order, *random);
  for (auto [n, thread] : llvm::enumerate(threads)) {
    thread.block = index;
    thread.stack = kStackAddress + n * kStackBytes;
    thread.start(code, arguments);
    states[n] = State::ready;
  }
  for (;;) {
    if (failed(runReady()))
      return failure();
    FailureOr<bool> warps = completeWarps();
    if (failed(warps))
      return failure();
    FailureOr<bool> all = completeBlock();
    if (failed(all))
      return failure();
    if (*warps || *all)
      continue;
    if (llvm::is_contained(states, State::waiting))
      return deadlock();
    for (Thread &thread : threads)
      dropCopies(thread);
    return success();
  }
}

//===--- Programs ---------------------------------------------------------===//

namespace {
class ThreadsProgram : public Program {
public:
  LogicalResult compileAll(FunctionOpInterface function);
  FailureOr<int64_t> run(ArrayRef<uint64_t> words,
                         ArrayRef<reference::Memory::Mapping> memory,
                         const LaunchOptions &options) override;

private:
  LogicalResult runGpu(Launch &launch, ArrayRef<uint64_t> words);
  LogicalResult runCpu(Launch &launch, ArrayRef<uint64_t> words);

  FunctionOpInterface kernel;
  Operation *module = nullptr;
  /// 0: a CPU.
  unsigned architecture = 0;
  llvm::DenseMap<Operation *, std::shared_ptr<const Code>> functions;
};
} // namespace

/// 80 for "sm_80", 90 for "sm_90a".
static unsigned architectureOf(StringRef target) {
  unsigned number = 0;
  target.consume_front("sm_");
  (void)target.consumeInteger(10, number);
  return number;
}

LogicalResult ThreadsProgram::compileAll(FunctionOpInterface function) {
  kernel = function;
  module = function->getParentOfType<ModuleOp>();
  auto target =
      module->getAttrOfType<tile::TargetAttr>(tile::TileDialect::kTargetAttr);
  if (!target)
    return reference::errorAt(function)
           << "expected a module with a tile.target";
  if (target.getName() != "cpu") {
    architecture = architectureOf(target.getName());
    // A target of another name says what it is.
    if (DictionaryAttr facts = target.getFacts(); facts && !architecture)
      if (auto major = facts.getAs<IntegerAttr>("major"))
        architecture = unsigned(major.getInt()) * 10;
    architecture = std::max(architecture, 80U);
  }
  for (auto each : module->getRegion(0).getOps<FunctionOpInterface>()) {
    if (each.isExternal())
      continue;
    FailureOr<std::shared_ptr<const Code>> code = compileFunction(each);
    if (failed(code))
      return failure();
    functions[each] = *code;
  }
  return success();
}

static int64_t countPrograms(const LaunchOptions &options) {
  return options.grid[0] * options.grid[1] * options.grid[2];
}

/// The linear ids of those that run, in the order in which they do.
static std::vector<int64_t> programOrder(const LaunchOptions &options,
                                         std::mt19937_64 *random) {
  const auto chosen =
      reference::chosenPrograms(countPrograms(options), options.mostPrograms);
  std::vector<int64_t> programs(chosen.begin(), chosen.end());
  if (random)
    shuffle(programs, *random);
  return programs;
}

LogicalResult ThreadsProgram::runGpu(Launch &launch, ArrayRef<uint64_t> words) {
  const LaunchOptions &options = launch.options;
  SmallVector<Lane> arguments;
  for (uint64_t word : words)
    arguments.push_back({word, nullptr});
  launch.memory.hasThreads = true;
  Block block(launch, unsigned(options.threads));
  std::mt19937_64 random(options.orderSeed);
  std::mt19937_64 *shuffled = options.orderSeed ? &random : nullptr;
  for (int64_t id : programOrder(options, shuffled))
    if (failed(block.run(functions.at(kernel), arguments,
                         {id % options.grid[0],
                          id / options.grid[0] % options.grid[1],
                          id / options.grid[0] / options.grid[1]},
                         shuffled)))
      return failure();
  return success();
}

/// The memory that a call passes besides its arguments' own.
static uint64_t allocateWords(Launch &launch, StringRef name,
                              ArrayRef<uint64_t> words) {
  const uint64_t bytes = words.size() * sizeof(uint64_t);
  const uint64_t address = launch.memory.freeAddress(bytes);
  Allocation &memory = launch.memory.allocate(name.str(), address, bytes,
                                              Allocation::Kind::local);
  if (bytes)
    std::memcpy(memory.bytes.data(), words.data(), bytes);
  llvm::fill(memory.written, 1);
  memory.isReadOnly = true;
  return address;
}

/// As CpuKernelEntry: all programs in one call, or one after the other.
LogicalResult ThreadsProgram::runCpu(Launch &launch, ArrayRef<uint64_t> words) {
  const LaunchOptions &options = launch.options;
  const uint64_t args = allocateWords(launch, "the arguments' words", words);
  const std::array<uint64_t, 3> sizes = {uint64_t(options.grid[0]),
                                         uint64_t(options.grid[1]),
                                         uint64_t(options.grid[2])};
  const uint64_t grid = allocateWords(launch, "the grid", sizes);
  const uint64_t scratch = launch.memory.freeAddress(uint64_t(options.scratch));
  Allocation &own = launch.memory.allocate("scratch memory", scratch,
                                           uint64_t(options.scratch),
                                           Allocation::Kind::local);
  Thread thread(launch, 0, kStackAddress);
  auto call = [&](int64_t first, int64_t last) -> LogicalResult {
    llvm::fill(own.written, 0);
    thread.stack = kStackAddress;
    thread.start(functions.at(kernel), {{args, nullptr},
                                        {grid, nullptr},
                                        {uint64_t(first), nullptr},
                                        {uint64_t(last), nullptr},
                                        {scratch, nullptr}});
    const Outcome outcome = thread.run();
    if (outcome == Outcome::wait)
      return reference::errorAt(thread.at().op)
             << "the one thread of a CPU waits for others here";
    return success(outcome == Outcome::end);
  };
  const int64_t count = countPrograms(options);
  const bool isPart = options.mostPrograms > 0 && options.mostPrograms < count;
  if (!options.orderSeed && !isPart)
    return call(0, count);
  std::mt19937_64 random(options.orderSeed);
  for (int64_t id :
       programOrder(options, options.orderSeed ? &random : nullptr))
    if (failed(call(id, id + 1)))
      return failure();
  return success();
}

FailureOr<int64_t>
ThreadsProgram::run(ArrayRef<uint64_t> words,
                    ArrayRef<reference::Memory::Mapping> memory,
                    const LaunchOptions &options) {
  AddressSpace space;
  for (const reference::Memory::Mapping &mapping : memory)
    space.map(mapping);
  Launch launch(space, options);
  launch.architecture = architecture;
  launch.functions = functions;
  if (failed(placeGlobals(module, launch, options.shared)))
    return failure();
  const unsigned expected = architecture ? unsigned(words.size()) : 5;
  if (kernel.getNumArguments() != expected)
    return reference::errorAt(kernel) << "takes " << kernel.getNumArguments()
                                      << " words, found " << expected;
  if (failed(architecture ? runGpu(launch, words) : runCpu(launch, words)))
    return failure();
  return options.stepLimit - launch.stepsLeft;
}

FailureOr<std::shared_ptr<Program>>
Program::compile(FunctionOpInterface kernel) {
  auto program = std::make_shared<ThreadsProgram>();
  if (failed(program->compileAll(kernel)))
    return failure();
  return std::shared_ptr<Program>(std::move(program));
}

} // namespace tilewright::verify::threads
