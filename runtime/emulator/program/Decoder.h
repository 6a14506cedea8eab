// The classes behind decode(); for its sources only.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODER_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODER_H

#include "runtime/emulator/program/Decode.h"
#include "runtime/emulator/program/Symbols.h"
#include <deque>
#include <map>
#include <set>

namespace tilewright::emulator {

/// The registers of a function's parameters and results; caller and callee
/// derive them from the declaration alone.
struct Signature {
  std::vector<Parameter> parameters, results;
  /// Where the function's own registers and local variables start.
  uint32_t frameBytes = 0, localBytes = 0;
};

/// What the functions of one kernel share.
class ProgramBuilder {
public:
  ProgramBuilder(std::shared_ptr<const ptx::Module> module,
                 std::span<const uint64_t> addresses, const FormTable &forms);
  Status build(const ptx::Function &kernel);
  std::shared_ptr<Program> program = std::make_shared<Program>();

  /// Immediates: one value for all lanes.
  Ref constant(uint64_t value, unsigned bytes);
  Ref special(unsigned index);
  /// The index of a source function in the program; requests its code.
  uint32_t functionIndex(uint32_t sourceIndex);
  /// Where a variable is in shared memory, if the kernel uses it.
  [[nodiscard]] std::optional<uint32_t>
  sharedOffset(const ptx::Variable &variable) const;
  Ref *allocateOperands(size_t count);
  Address *allocateAddresses(size_t count);
  /// All functions whose address the module uses may be called.
  void requireIndirectTargets();
  static Signature signatureOf(std::span<const ptx::Variable> parameters,
                               std::span<const ptx::Variable> results);

  const ptx::Module &module;
  const FormTable &forms;
  Scope moduleScope;
  /// The number of the file's target.
  unsigned capability = 0;

private:
  Status declareModule();
  Status collectShared(const ptx::Function &kernel);
  Status placeShared(const ptx::Variable &variable);
  void placeDynamicShared();

  std::span<const uint64_t> addresses;
  std::map<std::pair<uint64_t, unsigned>, Ref> constants;
  std::deque<uint32_t> pending;
  std::vector<const ptx::Variable *> dynamicShared;
  std::map<const ptx::Variable *, uint32_t> sharedOffsets;
  /// All that operands of the kernel and of the functions name.
  std::set<std::string_view> names;
  bool indirectTargetsRequired = false;
};

/// One function's code.
class FunctionDecoder {
public:
  FunctionDecoder(ProgramBuilder &builder, const ptx::Function &source,
                  Function &out)
      : builder(builder), source(source), out(out) {}
  Status decode();

private:
  // FunctionDecoder.cpp: names and indices.
  Status declareParameters();
  Status declareBlock(const ptx::Block &block, Scope &scope);
  Status declareVariable(const ptx::Variable &variable, Scope &scope);
  Status declareRegister(const ptx::Variable &variable, Scope &scope);
  Status resolveTargets(const ptx::Targets &targets, Scope &scope);
  Status readBounds();
  Status decodeBlock(const ptx::Block &block);

  // InstructionDecoder.cpp: forms.
  Status decodeInstruction(const ptx::Instruction &source);
  Status decodeByForm(const ptx::Instruction &source, Instruction &out);
  Status decodeFitted(const ptx::Instruction &source, const CompiledForm &form,
                      const Match &match, Instruction &out);
  Status noForm(const ptx::Instruction &source,
                std::span<const CompiledForm> forms);
  Status decodeOperands(const ptx::Instruction &source,
                        const CompiledForm &form, const Match &match,
                        Instruction &out, std::vector<Ref> &refs);

  // OperandDecoder.cpp.
  Status decodeOperand(const ptx::Operand &operand, const OperandSpec &spec,
                       const Match &match, Instruction &out,
                       std::vector<Ref> &refs);
  Status decodeVector(const ptx::Operand &operand, const OperandSpec &spec,
                      const Match &match, Instruction &out,
                      std::vector<Ref> &refs);
  Status decodeValue(const ptx::Operand &operand, const OperandSpec &spec,
                     Type type, Instruction &out, std::vector<Ref> &refs);
  StatusOr<Ref> decodeName(const ptx::Operand &operand, const OperandSpec &spec,
                           Type type, Instruction &out);
  StatusOr<Ref> decodeConstant(const ptx::Operand &operand, Type type);
  Status decodeAddress(const ptx::Operand &operand, const OperandSpec &spec,
                       const Match &match, Instruction &out,
                       std::vector<Ref> &refs);
  StatusOr<Ref> decodeBase(const ptx::Operand &base, std::string_view space,
                           Address &address);
  void setAddresses(Instruction &out);
  Status decodeGuard(const ptx::Guard &guard, Instruction &out);

  // ControlDecoder.cpp: what jumps.
  Status decodeIndexedBranch(const ptx::Instruction &source, Instruction &out);
  Status decodeCall(const ptx::Instruction &source, Instruction &out);
  [[nodiscard]] std::optional<Signature>
  indirectSignature(const ptx::Operand &operand) const;
  [[nodiscard]] std::optional<Symbol>
  firstFunctionOf(std::string_view table) const;
  Status passArguments(const ptx::Operand *list,
                       std::span<const Parameter> formals, bool results,
                       CallSite &site);

  [[nodiscard]] std::optional<Symbol> lookUp(const ptx::Operand &operand) const;
  /// A kernel's local memory starts where its frame does.
  [[nodiscard]] bool isFrameRelative(const Symbol &symbol) const {
    return symbol.space == AddressSpace::local && !source.isEntry;
  }

  ProgramBuilder &builder;
  const ptx::Function &source;
  Function &out;
  std::deque<Scope> scopes;
  std::map<const ptx::Block *, Scope *> scopeOf;
  /// Of the block that is being read.
  Scope *scope = nullptr;
  uint32_t codeSize = 0;
  /// Of the instruction that is being read.
  std::vector<Address> addresses;
};

/// The start of each frame, the destination of unused results.
constexpr uint32_t sinkBytes = 32 * 16;

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_DECODER_H
