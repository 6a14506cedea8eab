#include "verify/threads/Thread.h"

#include "tileir/reference/ElementOps.h"

using namespace mlir;

namespace tilewright::verify::threads {

void Thread::enter(const std::shared_ptr<const Code> &code,
                   ArrayRef<Lane> arguments, unsigned to) {
  Call &call = calls.emplace_back();
  call.code = code;
  call.lanes = code->frame;
  call.result = to;
  call.stack = stack;
  frame = call.lanes.data();
  pc = 0;
  for (auto [lane, symbol] : code->addresses)
    frame[lane] = {launch.symbols.at(symbol), nullptr};
  // An argument's lanes are next to each other, in the order of arguments.
  if (!arguments.empty())
    llvm::copy(arguments, frame + code->arguments.front());
}

void Thread::start(const std::shared_ptr<const Code> &code,
                   ArrayRef<Lane> arguments) {
  copies.clear();
  groups.clear();
  if (calls.empty() || calls.front().code != code) {
    calls.clear();
    return enter(code, arguments, 0);
  }
  // Nothing writes the lanes of constants, and others are written before they
  // are read.
  calls.resize(1);
  calls.front().stack = stack;
  frame = calls.front().lanes.data();
  pc = 0;
  if (!arguments.empty())
    llvm::copy(arguments, frame + code->arguments.front());
}

void Thread::call(const std::shared_ptr<const Code> &code,
                  ArrayRef<Lane> arguments, unsigned to) {
  calls.back().pc = pc + 1;
  enter(code, arguments, to);
}

bool Thread::leave(ArrayRef<Lane> results) {
  const unsigned to = calls.back().result;
  stack = calls.back().stack;
  if (calls.size() == 1)
    return true;
  calls.pop_back();
  frame = calls.back().lanes.data();
  pc = calls.back().pc;
  llvm::copy(results, frame + to);
  return false;
}

Outcome Thread::run() {
  return launch.hasErrors() ? runInstructions<true>()
                            : runInstructions<false>();
}

template <bool hasErrors> Outcome Thread::runInstructions() {
  const Code *code = calls.back().code.get();
  const Instruction *instructions = code->instructions.data();
  for (;;) {
    const Instruction &instruction = instructions[pc];
    launch.stepsLeft -= instruction.lanes + 1;
    if (launch.stepsLeft < 0 && launch.options.reachedLimit)
      *launch.options.reachedLimit = true;
    if (launch.stepsLeft < 0)
      return fault(instruction, *this, "the limit of steps is reached");
    const Outcome outcome = instruction.run(instruction, *this);
    if (outcome == Outcome::next) {
      if constexpr (hasErrors)
        if (instruction.tracker)
          instruction.tracker->track(instruction, *this);
      ++pc;
      continue;
    }
    if (outcome != Outcome::jump)
      return outcome;
    instructions = calls.back().code->instructions.data();
  }
}

static void addThread(InFlightDiagnostic &error, const Thread &thread) {
  if (thread.blockSize > 1)
    error << " (block [" << thread.block[0] << ", " << thread.block[1] << ", "
          << thread.block[2] << "], thread " << thread.number << ")";
}

Outcome fault(const Instruction &instruction, Thread &thread,
              const Twine &message) {
  InFlightDiagnostic error = reference::errorAt(instruction.op) << message;
  addThread(error, thread);
  return Outcome::fault;
}

Outcome poisonFault(const Instruction &instruction, Thread &thread,
                    const Lane &lane, const Twine &what) {
  if (!isPoison(lane)) {
    reference::Undetermined &open = *thread.launch.options.undetermined;
    open.op = instruction.op;
    open.what = (instruction.op->getName().getStringRef() + ": " + what +
                 " depends on rounding errors")
                    .str();
    return Outcome::fault;
  }
  InFlightDiagnostic error = reference::errorAt(instruction.op)
                             << what << " is a poison value";
  addThread(error, thread);
  error.attachNote(lane.mark->getLoc())
      << "of " << lane.mark->getName()
      << ", which read what was never written, or is not defined";
  return Outcome::fault;
}

} // namespace tilewright::verify::threads
