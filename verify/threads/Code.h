//===- Code.h - Functions in the form in which they are run -----*- C++ -*-===//
//
// A function is compiled once: its regions and blocks become one flat list of
// instructions, its values numbered lanes of a frame. A lane holds one scalar;
// a vector has a lane for each element, a struct or array those of its members.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_THREADS_CODE_H
#define TILEWRIGHT_VERIFY_THREADS_CODE_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "verify/threads/Mark.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace tilewright::verify::threads {

/// One scalar: the bits of an integer, a float or an address, the upper ones
/// zero.
struct Lane {
  uint64_t bits = 0;
  /// The op that made it poison, or the bounds of its errors.
  Mark mark = {};
};

struct Instruction;
class Thread;

/// What an instruction of a thread led to.
enum class Outcome : uint8_t {
  /// The next instruction is run.
  next,
  /// The thread has set its instruction itself.
  jump,
  /// The thread waits for others at this instruction.
  wait,
  /// The function's end.
  end,
  /// An error was reported.
  fault
};

using Run = Outcome (*)(const Instruction &, Thread &);

/// What an instruction of a few kinds needs in addition.
struct Details {
  virtual ~Details() = default;
};

/// Computes the marks of results, behind an instruction that led to the next
/// one, in launches that ask for errors.
struct Tracker {
  virtual ~Tracker() = default;
  virtual void track(const Instruction &i, Thread &t) const = 0;
};

/// Lanes of a frame that are next to each other.
struct LaneRange {
  unsigned first = 0, count = 0;
};

struct Instruction {
  Run run = nullptr;
  mlir::Operation *op = nullptr;
  /// The first lane of the first result, and the lanes of all results.
  unsigned result = 0, lanes = 0;
  /// The first lanes of the first three operands.
  unsigned a = 0, b = 0, c = 0;
  /// The bits of an operand's and of a result's scalar.
  unsigned bits = 64, resultBits = 64;
  /// Instructions to go on at.
  unsigned target = 0, otherwise = 0;
  /// A number that the kind of instruction knows.
  int64_t number = 0;
  std::shared_ptr<const Details> details = nullptr;
  /// None: its results have the marks that it gives them.
  std::shared_ptr<const Tracker> tracker = nullptr;

  [[nodiscard]] uint64_t mask() const { return maskOf(bits); }
  [[nodiscard]] uint64_t resultMask() const { return maskOf(resultBits); }
  static uint64_t maskOf(unsigned bits) {
    return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  }
  template <typename T> const T &as() const {
    return static_cast<const T &>(*details);
  }
};

struct Code {
  std::vector<Instruction> instructions;
  /// The lanes at the begin of a call: constants are set.
  std::vector<Lane> frame;
  /// The first lanes of the arguments.
  llvm::SmallVector<unsigned> arguments;
  /// The symbols whose address constants need, with the lanes.
  std::vector<std::pair<unsigned, mlir::Operation *>> addresses;
  /// Bytes of memory of a thread that the function's allocas take.
  uint64_t stack = 0;
};

/// The scalars that a value of `type` consists of, in order. Fails without an
/// error if there is one that the reference does not know.
mlir::LogicalResult scalarsOf(mlir::Type type,
                              llvm::SmallVectorImpl<mlir::Type> &scalars);
/// The bits of a scalar; pointers and indices have 64.
unsigned bitsOf(mlir::Type scalar);

/// The code of a function. Fails with an error at an op that the reference does
/// not know.
mlir::FailureOr<std::shared_ptr<const Code>>
compileFunction(mlir::FunctionOpInterface function);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_CODE_H
