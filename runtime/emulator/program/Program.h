// Decoded PTX: checked, names resolved, one record an instruction.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_PROGRAM_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_PROGRAM_H

#include "runtime/emulator/ptx/Ast.h"
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::emulator {

struct Warp;
struct Instruction;
struct Form;

/// What a step of a warp came to.
enum class Step : uint8_t {
  /// Go on with the instruction that follows.
  next,
  /// The index, the lanes or the frame changed; reload them.
  jumped,
  /// The lanes wait, at this same instruction.
  waits,
  /// An error is recorded; the launch ends.
  failed,
};

/// Runs one instruction for the lanes in Warp::active.
using Execute = Step (*)(Warp &, const Instruction &);

/// Where an operand's 32 lanes are: a bank of the warp and an offset into it.
/// A lane takes 2, 4, 8 or 16 bytes; a predicate is one word, bit l lane l's.
struct Ref {
  enum Bank : uint32_t {
    /// Registers of the running function.
    frame,
    /// Immediates, one value repeated; shared by all warps.
    constants,
    /// %tid and the like, filled when the warp starts.
    specialRegisters,
  };
  uint32_t bits = none;
  static constexpr uint32_t none = ~uint32_t{0};
  static constexpr unsigned offsetBits = 30;

  static Ref make(Bank bank, uint32_t offset) {
    return {uint32_t(bank) << offsetBits | offset};
  }
  /// The destination of unused results, written `_`.
  static Ref sink() { return make(frame, 0); }
  friend bool operator==(const Ref &, const Ref &) = default;
  [[nodiscard]] bool present() const { return bits != none; }
  [[nodiscard]] uint32_t bank() const { return bits >> offsetBits; }
  [[nodiscard]] uint32_t offset() const {
    return bits & ((uint32_t{1} << offsetBits) - 1);
  }
};

/// Which half of the clock an operand is.
enum class ClockPart : uint8_t { none, low, high };

/// A state space in an instruction; also the windows of generic addresses.
enum class AddressSpace : uint8_t {
  generic,
  global,
  shared,
  sharedCluster,
  local,
  constant,
  /// Parameters of a kernel.
  param,
};

/// The parts of an address operand besides its register.
struct Address {
  /// Bytes that are added to the register.
  uint64_t offset = 0;
  AddressSpace space = AddressSpace::generic;
  /// The register has 32 bits.
  bool isShort = false;
  /// It is in a local variable, relative to the frame's start.
  bool frameRelative = false;
};

struct Instruction {
  Execute execute = nullptr;
  /// In the order of the form; a list in the Program that owns it.
  const Ref *operands = nullptr;
  /// Of the addresses behind the first, which is in the fields below; a list
  /// in the Program.
  const Address *furtherAddresses = nullptr;
  /// The offset of an address, or what else the form puts there.
  uint64_t immediate = 0;
  /// The predicate, if there is one.
  Ref guard;
  bool guardNegated = false;
  /// The state space of this address; none: generic.
  uint8_t space = 0;
  /// Elements of a vector; 1 without one.
  uint8_t width = 1;
  /// Up to the form: rounding, scope, ...
  uint8_t mode = 0;
  /// Bytes of the register that the first `~` result, and source, is; it may
  /// be wider than the type. 0: there is none.
  uint8_t resultBytes = 0, sourceBytes = 0;
  /// The address has 32 bits.
  bool shortAddress = false;
  /// The address is in a local variable, relative to the frame's start.
  bool frameRelative = false;
  /// The source is %clock or the like.
  ClockPart clock = ClockPart::none;
  /// Its effect may depend on other blocks, so blocks must run in a fixed
  /// order.
  bool communicates = false;
  /// It accesses memory that warps share, or is a barrier.
  bool isShared = false;
  /// Bit i: operand i is a negated predicate.
  uint32_t negated = 0;
  /// The index of a branch's or the function of a call's.
  uint32_t target = 0;
  uint32_t operandCount = 0;
  /// The first so many operands are results.
  uint16_t resultCount = 0;
  /// Of operands `{x*}`, in order; 0 where there are no more.
  std::array<uint8_t, 4> vectorLengths = {};
  /// What else the form's function needs.
  uint64_t data = 0;
  ptx::Location at;
  const Form *form = nullptr;

  /// The `index`-th of the addresses.
  [[nodiscard]] Address address(unsigned index) const {
    if (index)
      return furtherAddresses[index - 1];
    return {immediate, AddressSpace(space), shortAddress, frameRelative};
  }
};

/// Bytes that a call copies between the local memories of caller and callee.
struct ArgumentCopy {
  uint32_t from = 0, to = 0, bytes = 0;
};

/// A register that a call copies, all lanes of it.
struct RegisterCopy {
  Ref callers, callees;
  uint32_t bytes = 0;
};

/// A parameter of a function, in its memory or in a register.
struct Parameter {
  std::string name;
  Type type = Type::b64;
  uint32_t offset = 0, bytes = 0;
  /// Where it is a register.
  Ref reg;
  /// Whether a caller that passes one may pass it as the other.
  [[nodiscard]] bool isLaidOutAs(const Parameter &other) const {
    return bytes == other.bytes && offset == other.offset && reg == other.reg;
  }
};

/// A call in the caller's code.
struct CallSite {
  std::vector<ArgumentCopy> arguments, results;
  std::vector<RegisterCopy> registerArguments, registerResults;
  /// Of the function that an indirect call expects; a direct one has none.
  std::vector<Parameter> parameters, resultParameters;
};

/// Registers of one type that follow one another in a frame.
struct RegisterRun {
  uint32_t offset = 0;
  Type type = Type::b32;
  uint32_t count = 0;
};

/// A kernel's requirements for a launch; 0: none.
struct LaunchBounds {
  std::array<uint32_t, 3> requiredBlock = {0, 0, 0};
  std::array<uint32_t, 3> maximumBlock = {0, 0, 0};
  std::array<uint32_t, 3> requiredCluster = {0, 0, 0};
  uint32_t maximumRegisters = 0;
};

/// From this index on, code is from a line of the source.
struct LineStart {
  uint32_t index = 0;
  ptx::SourceLine line;
};

/// The source line of `index` in a function, or null.
[[nodiscard]] const ptx::SourceLine *sourceLine(const struct Function &function,
                                                uint32_t index);

struct Function {
  std::string name;
  bool isEntry = false;
  std::vector<Instruction> code;
  std::vector<LineStart> lines;
  std::vector<RegisterRun> registers;
  /// Bytes of a frame's registers, and of a thread's local memory.
  uint32_t frameBytes = 0;
  uint32_t localBytes = 0;
  /// Of a kernel, in its parameter memory; of another function, in its local
  /// memory, or in registers.
  std::vector<Parameter> parameters, results;
  uint32_t parameterBytes = 0;
  LaunchBounds bounds;
};

/// A kernel with the functions that it may call.
struct Program {
  /// The text that names and indices refer to.
  std::shared_ptr<const ptx::Module> source;
  /// The kernel is the first.
  std::vector<std::unique_ptr<Function>> functions;
  /// The bank of immediates.
  std::vector<std::byte> constants;
  /// The special registers in use, by their index.
  std::vector<unsigned> specialRegisters;
  /// The labels of `brx.idx`: indices in the code of the same function.
  std::vector<std::vector<uint32_t>> branchTargets;
  std::vector<CallSite> calls;
  /// Of each function of the source, its index in `functions`, or `absent`.
  std::vector<uint32_t> functionOf;
  static constexpr uint32_t absent = ~uint32_t{0};
  /// The function's index in a call of CUDA's __assertfail.
  static constexpr uint32_t assertFail = absent - 1;
  /// Likewise, of CUDA's vprintf.
  static constexpr uint32_t print = absent - 2;
  /// Bytes of shared memory that the code declares; where dynamic shared
  /// memory starts.
  uint32_t sharedBytes = 0;
  /// Some instruction communicates with other blocks.
  bool communicates = false;
  /// Operands of all instructions.
  std::vector<std::unique_ptr<Ref[]>> operands;
  /// Addresses of the instructions that have several.
  std::vector<std::unique_ptr<Address[]>> addresses;

  [[nodiscard]] const Function &kernel() const { return *functions.front(); }
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_PROGRAM_H
