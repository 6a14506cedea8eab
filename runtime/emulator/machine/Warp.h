// The state of a running kernel: warps, blocks, clusters.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_WARP_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_WARP_H

#include "runtime/emulator/machine/CopyGroups.h"
#include "runtime/emulator/machine/Fault.h"
#include "runtime/emulator/machine/GlobalMemory.h"
#include "runtime/emulator/machine/Interleaving.h"
#include "runtime/emulator/machine/LaunchMemory.h"
#include "runtime/emulator/machine/Looks.h"
#include "runtime/emulator/machine/PendingWords.h"
#include "runtime/emulator/program/Program.h"
#include "runtime/emulator/program/SpecialRegisters.h"
#include "tilewright/support/Export.h"
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tilewright::emulator {

// Everything here is plain data, read and written by the functions of execute/
// and by the Scheduler. One host thread runs a cluster.

/// A running function: the registers of the lanes that called it together.
struct Frame {
  const Function *function = nullptr;
  std::byte *registers = nullptr;
  Frame *caller = nullptr;
  /// The caller's next instruction, and its arguments; null for a kernel.
  uint32_t returnIndex = 0;
  const CallSite *site = nullptr;
  /// Where its local memory starts in each thread's.
  uint32_t localBase = 0;
  /// Bytes of alloca, behind the function's own.
  uint32_t stackBytes = 0;
  uint32_t depth = 0;
  /// Lanes that are in it or in its callees.
  uint32_t lanes = 0;
  LaunchMemory memory;
};

/// Lanes that are at the same index.
struct LaneGroup {
  Frame *frame = nullptr;
  uint32_t index = 0;
  uint32_t lanes = 0;
  /// It could not go on when it was last tried.
  bool waits = false;
  /// Of the instruction at `index`, if it was begun and waits: a barrier's
  /// phase, or how often it was tried. 0: it was not begun.
  uint64_t token = 0;
};

struct Block;
class Observer;

struct Warp {
  /// By Ref::Bank.
  std::byte *banks[3] = {};
  /// The active lanes of the instruction: those of the group whose guard is
  /// true.
  uint32_t active = 0;
  /// The lanes that run, and the others.
  LaneGroup group;
  std::vector<LaneGroup> others;
  /// Lanes that have not exited.
  uint32_t alive = 0;
  uint32_t index = 0;
  Block *block = nullptr;
  /// CC.CF: bit l is lane l's.
  uint32_t carry = 0;
  /// Of %clock and the like: it advances with each read.
  uint64_t clock = 0;
  /// Lanes that have arrived at each of the block's barriers, and at the
  /// cluster's, in the current phase.
  struct Arrivals {
    uint64_t phase = 0;
    uint32_t lanes = 0;
  } arrivals[17];
  /// Of cp.async, and of bulk copies that groups wait for.
  CopyGroups copies, bulkCopies;
  /// The allocation of the last access to global memory.
  Allocation *lastAllocation = nullptr;
  /// A request to the scheduler to run other warps.
  bool yields = false;
  /// Looks at memory that others write, since it last changed any.
  uint32_t polls = 0;
  /// It changed global memory in its current turn.
  bool changed = false;
  /// Its latest look at memory that others write: the instruction, or null, and
  /// the address of its first lane.
  const Instruction *look = nullptr;
  uint64_t lookedAt = 0;
  /// The index from which on another group may be met.
  uint32_t mergeIndex = ~uint32_t{0};
  /// Jumps back while other groups were stopped.
  uint32_t backJumps = 0;
  bool rotates = false;
  /// The running group only gave way to another warp, and goes on.
  bool resumes = false;
  /// The lanes' local memories, one after another.
  LaunchMemory local;
  uint32_t localStride = 0;
  std::vector<std::byte> specialRegisters;
  std::vector<std::unique_ptr<Frame>> frames;
  uint64_t executed = 0;
  /// Of the host thread that runs it; null where nobody watches.
  Observer *observer = nullptr;
};

/// One of a block's 16 barriers (PTX section 9.7.12.1), by threads.
struct BarrierState {
  uint32_t arrived = 0;
  /// 0: all threads of the block.
  uint32_t expected = 0;
  /// Counts completions, from 1.
  uint64_t phase = 1;
  /// Of bar.red: of the phase under way and of the one before.
  uint32_t count = 0, lastCount = 0;
  uint32_t threads = 0, lastThreads = 0;
};

struct Cluster;
struct Launch;

struct Block {
  Launch *launch = nullptr;
  Cluster *cluster = nullptr;
  WarpLocation location;
  /// 64-byte aligned.
  std::byte *shared = nullptr;
  uint32_t sharedBytes = 0;
  std::unique_ptr<std::byte[]> sharedMemory;
  /// A bit for each byte that was written; null if not needed.
  std::unique_ptr<uint8_t[]> sharedWritten;
  /// What cp.async is about to write there.
  PendingWords pendingWords;
  /// Accesses to `shared` are checked for more than its bounds: sharedWritten
  /// is there, or the block has run a cp.async.
  bool checksShared = false;
  std::vector<std::unique_ptr<Warp>> warps;
  BarrierState barriers[16];
  /// Warps that have not ended.
  uint32_t liveWarps = 0;
  /// Copies of those that have, by their index.
  std::vector<std::pair<uint32_t, CopyGroups>> endedCopies;
};

struct Cluster {
  /// Its linear index in the grid.
  uint64_t index = 0;
  std::vector<std::unique_ptr<Block>> blocks;
  /// Of barrier.cluster.
  BarrierState barrier;
  uint32_t liveBlocks = 0;
  /// Counts what warps may wait for: arrivals, exits, data that have come.
  uint64_t events = 0;
  /// What its warps saw, and the states that they were in.
  Looks looks;
  StateHistory states;
  /// It does nothing but wait, at this number of the launch's changes.
  std::optional<uint64_t> sleepsSince;
  /// With LaunchOptions::interleave.
  std::optional<Interleaving> interleaving;
};

/// What the caller of a launch may choose.
struct LaunchOptions {
  /// Reads of bytes that were never written are faults.
  bool checkInitialized = false;
  /// Copies in groups (cp.async, and bulk and tensor copies to global memory)
  /// land when they are waited for; else as they start.
  bool copiesLandLate = false;
  /// A seed: the warps of a block change after random numbers of instructions,
  /// and at accesses to memory that they share. None: each runs for long.
  std::optional<uint64_t> interleave = {};
  /// Instructions of warps; 0: no limit.
  uint64_t maxInstructions = 0;
  /// Those in which nothing may come of any: global memory stays as it is, and
  /// no warp ends. 0: no limit. Of blocks that do not communicate, those of
  /// one host thread.
  uint64_t maxIdleInstructions = uint64_t{4'000'000'000};
  /// Bytes of registers, local and shared memory of the blocks that run at a
  /// time.
  uint64_t maxMemory = uint64_t{4} << 30;
  /// Host threads; 0: all.
  unsigned threads = 0;
  /// Blocks to run, spread evenly over the grid, in whole clusters; 0: all. A
  /// kernel whose blocks wait for one another gets stuck.
  uint64_t blocks = 0;
  uint64_t seed = 0;
  /// Approximate functions return, depending on `seed`, another result within
  /// the manual's bound than the nearest.
  bool perturbs = false;
};

/// How far a launch is.
struct LaunchProgress {
  uint64_t blocks = 0, endedBlocks = 0;
  /// Of warps.
  uint64_t instructions = 0;
  /// Of these, the last in which nothing came of any, as in
  /// LaunchOptions::maxIdleInstructions.
  uint64_t idleInstructions = 0;
};

struct TILEWRIGHT_PRIVATE_API Launch {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const GlobalMemory::Snapshot> memory;
  Dim3 grid = {1, 1, 1}, block = {1, 1, 1}, cluster = {1, 1, 1};
  uint32_t dynamicShared = 0;
  std::vector<std::byte> parameters;
  LaunchOptions options;
  /// Returns the observer for one more host thread, before that starts. It
  /// outlives the launch. None: no observer.
  std::function<Observer *()> makeObserver;

  /// Gets the lines that kernels print, without their ends, from one thread at
  /// a time; none: they are dropped.
  std::function<void(std::string_view)> prints;
  /// Appends to the printed text. The sink gets lines as they end.
  void print(std::string_view text);
  /// The last line, if it has no end; after the launch.
  void endPrints();

  /// Called every few milliseconds, from one thread at a time; none: nobody
  /// wants to know.
  std::function<void(const LaunchProgress &)> progress;
  /// Ends the launch soon, with a fault of this message that says where it is.
  /// From any thread, once.
  void interrupt(std::string why);

  /// Set when the launch is to end.
  std::atomic<bool> stops = false;
  std::mutex faultMutex;
  std::unique_ptr<Fault> fault;
  std::atomic<uint64_t> executed = 0;
  std::atomic<uint64_t> endedBlocks = 0;
  /// Set by interrupt(), behind the reason.
  std::atomic<bool> interrupted = false;
  std::string interruptedBecause;
  std::mutex progressMutex;
  /// Bytes of frames and local memories at this time.
  std::atomic<uint64_t> memoryInUse = 0;

private:
  std::mutex printMutex;
  std::string printed;
};

/// Ends the launch with a fault of `warp` at `instruction`. Returns
/// Step::failed. Of several faults, that of the first block stays.
Step fail(Warp &warp, const Instruction &instruction, FaultCode code,
          std::string message, uint32_t lane = 0, uint64_t address = 0);

/// "line 12:3", where `instruction` is in the PTX text, and its source location
/// in `.loc`, if any.
std::string printLocation(const Launch &launch, const Instruction &instruction);

/// Ends the launch because its blocks cannot be made, or a function not be
/// entered.
void failForMemory(Launch &launch);
Step failForMemory(Warp &warp, const Instruction &instruction);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_WARP_H
