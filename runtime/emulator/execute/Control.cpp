// Branches, calls, ends: PTX sections 9.7.12 and 9.7.19.
#include "runtime/emulator/execute/DriverCalls.h"
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "runtime/emulator/program/AddressMap.h"
#include "support/Format.h"
#include <algorithm>
#include <cstring>

namespace tilewright::emulator {

/// CUDA's limit of a thread's local memory.
constexpr uint64_t maxStackBytes = 512 << 10;

static unsigned firstLane(uint32_t lanes) {
  return unsigned(__builtin_ctz(lanes));
}

//===--- Branches ---------------------------------------------------------===//

static Step runBranch(Warp &warp, const Instruction &in) {
  splitGroup(warp, warp.active, warp.group.index + 1);
  return jump(warp, in.target);
}
static Execute buildBranch(const Match &, Instruction &) { return runBranch; }

/// Lanes with the index of the first go; the others come again.
static Step runIndexedBranch(Warp &warp, const Instruction &in) {
  const uint32_t *index = operand<uint32_t>(warp, in, 0);
  const std::vector<uint32_t> &targets =
      warp.block->launch->program->branchTargets[in.target];
  uint32_t active = warp.active;
  unsigned first = firstLane(active);
  uint32_t chosen = index[first];
  if (chosen >= targets.size())
    return fail(warp, in, FaultCode::undefinedBehavior,
                format("expected an index below {}, found {}",
                       {targets.size(), chosen}),
                first);
  uint32_t together =
      active & maskOf([&](unsigned lane) { return index[lane] == chosen; });
  // Lanes whose guard is false continue after it.
  splitGroup(warp, active, warp.group.index + 1);
  splitGroup(warp, together, warp.group.index);
  return jump(warp, targets[chosen]);
}
static Execute buildIndexedBranch(const Match &, Instruction &) {
  return runIndexedBranch;
}

//===--- Calls ------------------------------------------------------------===//

static std::byte *localMemory(Warp &warp, unsigned lane, const Frame &frame) {
  return warp.local.get() + size_t{lane} * warp.localStride + frame.localBase;
}

/// Copies parameters between the local memories of two frames.
static void copyArguments(Warp &warp, const Frame &from, const Frame &to,
                          const std::vector<ArgumentCopy> &copies,
                          uint32_t active) {
  for (const ArgumentCopy &copy : copies)
    for (uint32_t rest = active; rest; rest &= rest - 1) {
      unsigned lane = firstLane(rest);
      std::memcpy(localMemory(warp, lane, to) + copy.to,
                  localMemory(warp, lane, from) + copy.from, copy.bytes);
    }
}

/// Copies the active lanes of a register of `bytes` in all.
static void copyRegister(const std::byte *from, std::byte *to, uint32_t bytes,
                         uint32_t active) {
  if (bytes == 4) { // a predicate
    uint32_t old, value;
    std::memcpy(&old, to, 4);
    std::memcpy(&value, from, 4);
    value = (old & ~active) | (value & active);
    std::memcpy(to, &value, 4);
    return;
  }
  uint32_t each = bytes / 32;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    size_t offset = size_t{firstLane(rest)} * each;
    std::memcpy(to + offset, from + offset, each);
  }
}

static Step enter(Warp &warp, const Instruction &in, uint32_t callee) {
  const Program &program = *warp.block->launch->program;
  const CallSite &site = program.calls[in.target];
  uint32_t active = warp.active;
  splitGroup(warp, active, warp.group.index + 1);
  if (warp.group.frame->depth >= maxCallDepth)
    return fail(warp, in, FaultCode::resources,
                format("expected calls at most {} deep", {maxCallDepth}));
  Frame *caller = warp.group.frame;
  Frame *frame = enterFunction(warp, *program.functions[callee], active);
  if (!frame)
    return failForMemory(warp, in);
  frame->returnIndex = warp.group.index + 1;
  frame->site = &site;
  copyArguments(warp, *caller, *frame, site.arguments, active);
  for (const RegisterCopy &copy : site.registerArguments)
    copyRegister(warp.banks[copy.callers.bank()] + copy.callers.offset(),
                 frame->registers + copy.callees.offset(), copy.bytes, active);
  warp.group.frame = frame;
  warp.group.index = 0;
  return Step::jumped;
}

static Step runCall(Warp &warp, const Instruction &in) {
  return enter(warp, in, uint32_t(in.immediate));
}

/// Whether a call that expects `site`'s parameters may reach `callee`.
static bool agrees(const CallSite &site, const Function &callee) {
  auto same = [](const Parameter &a, const Parameter &b) {
    return a.isLaidOutAs(b);
  };
  return std::ranges::equal(site.parameters, callee.parameters, same) &&
         std::ranges::equal(site.resultParameters, callee.results, same);
}

/// Lanes that call the same function go together.
static Step runIndirectCall(Warp &warp, const Instruction &in) {
  const uint64_t *address = operand<uint64_t>(warp, in, 0);
  uint32_t active = warp.active;
  unsigned first = firstLane(active);
  uint64_t chosen = address[first];
  const Program &program = *warp.block->launch->program;
  uint64_t index = (chosen - functionWindow) / functionStride;
  uint32_t callee =
      chosen >= functionWindow && index < program.functionOf.size()
          ? program.functionOf[index]
          : Program::absent;
  if (callee == Program::absent)
    return fail(warp, in, FaultCode::undefinedBehavior,
                "expected the address of a function", first, chosen);
  const Function &function = *program.functions[callee];
  if (!agrees(program.calls[in.target], function))
    return fail(warp, in, FaultCode::undefinedBehavior,
                format("expected a function with the parameters of this call's "
                       "prototype, found '{}'",
                       {function.name}),
                first, chosen);
  uint32_t together =
      active & maskOf([&](unsigned lane) { return address[lane] == chosen; });
  splitGroup(warp, active, warp.group.index + 1);
  splitGroup(warp, together, warp.group.index);
  warp.active = together;
  return enter(warp, in, callee);
}
static Execute buildCall(const Match &, Instruction &in) {
  if (in.immediate == Program::assertFail)
    return runAssertFail;
  if (in.immediate == Program::print)
    return runPrint;
  return in.operandCount ? runIndirectCall : runCall;
}

/// Memory of the stack frame, of the largest size that a lane requests.
template <class T> static Step runAlloca(Warp &warp, const Instruction &in) {
  const T *sizes = operand<T>(warp, in, 1);
  unsigned lane = firstLane(warp.active);
  uint64_t alignment =
      in.operands[2].present() ? operand<uint32_t>(warp, in, 2)[lane] : 8;
  uint64_t most = 0;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1)
    most = std::max<uint64_t>(most, sizes[firstLane(rest)]);
  Frame &frame = *warp.group.frame;
  uint64_t base = frame.localBase + frame.function->localBytes;
  uint64_t address = base + frame.stackBytes;
  address = (address + alignment - 1) / std::max<uint64_t>(alignment, 1) *
            std::max<uint64_t>(alignment, 1);
  if (address > maxStackBytes || most > maxStackBytes - address)
    return fail(warp, in, FaultCode::resources,
                format("expected at most {} bytes of local memory a thread",
                       {maxStackBytes}),
                lane);
  frame.stackBytes = uint32_t(address + most - base);
  if (!growLocal(warp, address + most))
    return failForMemory(warp, in);
  forActive(warp, operand<T>(warp, in, 0),
            [&](unsigned) { return T(address); });
  return Step::next;
}
static Execute buildAlloca(const Match &match, Instruction &) {
  return match.type() == Type::u64 ? runAlloca<uint64_t> : runAlloca<uint32_t>;
}
template <class T> static Step runStacksave(Warp &warp, const Instruction &in) {
  uint32_t bytes = warp.group.frame->stackBytes;
  forActive(warp, operand<T>(warp, in, 0), [&](unsigned) { return T(bytes); });
  return Step::next;
}
static Execute buildStacksave(const Match &match, Instruction &) {
  return match.type() == Type::u64 ? runStacksave<uint64_t>
                                   : runStacksave<uint32_t>;
}
/// Diverged lanes still need their stack memory.
template <class T>
static Step runStackrestore(Warp &warp, const Instruction &in) {
  Frame &frame = *warp.group.frame;
  unsigned lane = firstLane(warp.active);
  uint64_t saved = operand<T>(warp, in, 0)[lane];
  if (warp.active != frame.lanes)
    return Step::next;
  if (saved > frame.stackBytes)
    return fail(warp, in, FaultCode::undefinedBehavior,
                format("expected what stacksave returned, at most {}; found {}",
                       {frame.stackBytes, saved}),
                lane);
  frame.stackBytes = uint32_t(saved);
  return Step::next;
}
static Execute buildStackrestore(const Match &match, Instruction &) {
  return match.type() == Type::u64 ? runStackrestore<uint64_t>
                                   : runStackrestore<uint32_t>;
}

//===--- Ends -------------------------------------------------------------===//

static Step endLanes(Warp &warp) {
  uint32_t active = warp.active;
  lanesEnded(warp, active);
  splitGroup(warp, active, warp.group.index + 1);
  for (Frame *frame = warp.group.frame; frame;) {
    Frame *caller = frame->caller;
    leaveFunction(warp, *frame, active);
    frame = caller;
  }
  warp.group.lanes = 0;
  warp.group.frame = nullptr;
  return Step::jumped;
}

static Step runReturn(Warp &warp, const Instruction &) {
  Frame &frame = *warp.group.frame;
  if (!frame.caller)
    return endLanes(warp);
  uint32_t active = warp.active;
  splitGroup(warp, active, warp.group.index + 1);
  Frame &caller = *frame.caller;
  copyArguments(warp, frame, caller, frame.site->results, active);
  for (const RegisterCopy &copy : frame.site->registerResults)
    copyRegister(frame.registers + copy.callees.offset(),
                 caller.registers + copy.callers.offset(), copy.bytes, active);
  warp.group.frame = &caller;
  warp.group.index = frame.returnIndex;
  leaveFunction(warp, frame, active);
  return Step::jumped;
}
static Execute buildReturn(const Match &, Instruction &) { return runReturn; }

static Step runExit(Warp &warp, const Instruction &) { return endLanes(warp); }
static Execute buildExit(const Match &, Instruction &) { return runExit; }

static Step runTrap(Warp &warp, const Instruction &in) {
  return fail(warp, in, FaultCode::trap, "the kernel reached this trap",
              firstLane(warp.active));
}
static Execute buildTrap(const Match &, Instruction &) { return runTrap; }

//===--- Hints ------------------------------------------------------------===//

static Step runNothing(Warp &, const Instruction &) { return Step::next; }
static Execute buildNothing(const Match &, Instruction &) { return runNothing; }

/// Others run meanwhile.
static Step runNanosleep(Warp &warp, const Instruction &) {
  warp.yields = true;
  return Step::next;
}
static Execute buildNanosleep(const Match &, Instruction &) {
  return runNanosleep;
}

//===--- The table --------------------------------------------------------===//

static constexpr Form table[] = {
    {"bra", ".uni?", "label", "9.7.12.3", buildBranch},
    {"brx", ".idx .uni?", "", "9.7.12.4", buildIndexedBranch},
    {"call", ".uni?", "", "9.7.12.5", buildCall},
    {"ret", ".uni?", "", "9.7.12.6", buildReturn},
    {"exit", "", "", "9.7.12.7", buildExit},
    {"alloca", "type=u32|u64", "d:type, a:type, #align:u32?", "9.7.17.3",
     buildAlloca},
    {"stacksave", "type=u32|u64", "d:type", "9.7.17.1", buildStacksave},
    {"stackrestore", "type=u32|u64", "a:type", "9.7.17.2", buildStackrestore},
    {"trap", "", "", "9.7.19.4", buildTrap},
    {"brkpt", "", "", "9.7.19.1", buildTrap},
    {"pmevent", ".mask?", "#a:u32", "9.7.19.3", buildNothing},
    {"nanosleep", ".u32", "a:u32", "9.7.19.2", buildNanosleep},
    {"setmaxnreg", "action=inc|dec .sync .aligned .u32", "#a:u32", "9.7.19.5",
     buildNothing},
    {"griddepcontrol", "action=launch_dependents|wait", "", "9.7.13.13",
     buildNothing},
};

std::span<const Form> controlForms() { return table; }

} // namespace tilewright::emulator
