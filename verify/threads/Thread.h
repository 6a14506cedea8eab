//===- Thread.h - One thread, and what it shares with others ----*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_THREAD_H
#define TILEWRIGHT_VERIFY_THREADS_THREAD_H

#include "mlir/IR/Diagnostics.h"
#include "verify/threads/Code.h"
#include "verify/threads/Memory.h"
#include "verify/threads/ThreadsReference.h"
#include <array>
#include <deque>

namespace tilewright::verify::threads {

/// What all threads of a launch share.
struct Launch {
  Launch(AddressSpace &memory, const LaunchOptions &options)
      : memory(memory), options(options), stepsLeft(options.stepLimit) {}

  AddressSpace &memory;
  const LaunchOptions &options;
  /// Lanes that instructions may still compute.
  int64_t stepsLeft;
  /// Whether bounds of errors are computed.
  [[nodiscard]] bool hasErrors() const { return options.errors != nullptr; }
  [[nodiscard]] ErrorMemory &errors() const { return *options.errors; }
  /// Of the target: 80 for sm_80; 0 for a CPU.
  unsigned architecture = 0;
  /// The first addresses of global symbols.
  llvm::DenseMap<mlir::Operation *, uint64_t> symbols;
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<const Code>> functions;
  /// The line that a program is printing.
  std::string line;
  /// Of the line: values so far, and the shape of a tile that is being printed.
  int64_t printed = 0, printedOfTile = 0;
  std::vector<int64_t> printedShape;
  bool isTilePrinted = false;
};

/// A copy from global to shared memory that no wait has ended.
struct AsyncCopy {
  mlir::Operation *op;
  uint64_t target, source;
  unsigned bytes, read;
  /// What it read at its start.
  llvm::SmallVector<Lane, 16> data = {};
  /// Of these bytes, in a launch with errors.
  ByteParts marks = {};
};

/// One thread of a block, or the thread of a CPU.
class Thread {
public:
  Thread(Launch &launch, unsigned number, uint64_t stack)
      : launch(launch), number(number), stack(stack) {}

  /// Makes it run the function from its begin.
  void start(const std::shared_ptr<const Code> &code,
             llvm::ArrayRef<Lane> arguments);
  /// Runs until it ends, waits or faults.
  Outcome run();
  /// Begins a call; `to` is the lane of the results.
  void call(const std::shared_ptr<const Code> &code,
            llvm::ArrayRef<Lane> arguments, unsigned to);
  /// Ends a call with results; whether it was the last one.
  bool leave(llvm::ArrayRef<Lane> results);

  [[nodiscard]] const Instruction &at() const {
    return calls.back().code->instructions[pc];
  }
  [[nodiscard]] size_t depth() const { return calls.size(); }

  Launch &launch;
  /// In its block.
  const unsigned number;
  /// The next instruction.
  unsigned pc = 0;
  Lane *frame = nullptr;
  /// The block's index, and the grid; of a GPU.
  std::array<int64_t, 3> block = {}, grid = {1, 1, 1};
  /// The number of threads of its block.
  unsigned blockSize = 1;
  /// Copies since the last commit, and the groups that no wait has ended.
  std::vector<AsyncCopy> copies;
  std::deque<std::vector<AsyncCopy>> groups;
  /// The first free byte of its own memory.
  uint64_t stack = 0;

private:
  template <bool hasErrors> Outcome runInstructions();
  struct Call {
    std::shared_ptr<const Code> code;
    std::vector<Lane> lanes;
    unsigned result = 0, pc = 0;
    uint64_t stack = 0;
  };
  void enter(const std::shared_ptr<const Code> &code,
             llvm::ArrayRef<Lane> arguments, unsigned to);
  std::deque<Call> calls;
};

//===--- Faults -----------------------------------------------------------===//

/// An error at the instruction's op: its name, and the message. Where the
/// thread is one of several, which one it is.
Outcome fault(const Instruction &instruction, Thread &thread,
              const llvm::Twine &message);
/// Of an op that uses poison as `what`, or in a launch with errors a number
/// that the bounds leave open: the launch is then undetermined.
Outcome poisonFault(const Instruction &instruction, Thread &thread,
                    const Lane &lane, const llvm::Twine &what);
inline bool isPoison(const Lane &lane) { return lane.mark.isPoison(); }
/// Whether a lane is not what decides where a run goes on, or what it accesses:
/// it is poison, or might be another number.
inline bool isOpen(const Lane &lane) { return !lane.mark.isExact(); }

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_THREAD_H
