// The supported instructions, as a table: one line a form.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_FORM_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_FORM_H

#include "runtime/emulator/program/Program.h"
#include "runtime/emulator/program/Selector.h"
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::emulator {

class Match;

/// One form of an instruction, written much as the PTX manual writes it.
///
/// `modifiers` lists what follows the opcode, separated by blanks:
///   .sat        this modifier         .sat?          it, or nothing
///   type=u32|s32  one of these; shape=m64*  one that begins so
///                       rnd?=rn|rz     one of these, or nothing
/// `operands` lists what comes then, separated by commas:
///   d:type      a result (its name begins with d) of the type in that slot; or
///               of a type: d:f32
///   a:type      a source: a register or an immediate
///   d~type      a register that may be wider
///   !c:pred     a predicate that may be negated
///   a.part:b32  with a selector of that kind (Selector.h), which is a separate
///               operand after it
///   #c:u32      an immediate
///   {d}:type    a vector of the length in the slot `vec`; without one, a
///               scalar
///   {d*4}:b32   a vector of that length
///   {d*}:b32    a vector of any length; a scalar is one of length 1
///   [a]         an address in the space of the slot `ss` (none: generic)
///   [a:dst]     an address in the space of the slot `dst`, if the form has
///               that slot; else in the space of that name
///   [a, {c}:s32]  with coordinates, their number from the slot `dim` (2d)
///   label       a label of the function
///   *           any operands; of forms that are not supported
///   x?          nothing, or x; x|y: the pair `x|y`, or x alone
struct Form {
  std::string_view opcode;
  std::string_view modifiers;
  std::string_view operands;
  /// The section of the PTX ISA manual (9.1) that defines it.
  std::string_view section;
  /// The function that runs it; sets other fields of the instruction. Null: the
  /// combination is not supported.
  Execute (*build)(const Match &, Instruction &);
};

/// The modifiers of one instruction, by the slots of a form.
class Match {
public:
  struct Slot {
    std::string_view name, value;
  };
  /// The value in the slot `name`; empty if there is none.
  [[nodiscard]] std::string_view operator[](std::string_view name) const;
  /// Whether the flag `.name` is present.
  [[nodiscard]] bool has(std::string_view name) const {
    return !(*this)[name].empty();
  }
  /// The type in a slot, which must hold one.
  [[nodiscard]] Type type(std::string_view name = "type") const;
  void add(std::string_view name, std::string_view value);

  /// The number of the file's target: 90 for sm_90a.
  unsigned capability = 0;
  /// Records why a form has no function.
  void reject(std::string why) const { reason = std::move(why); }
  mutable std::string reason;

private:
  std::array<Slot, 16> slots;
  unsigned count = 0;
};

/// An element of Form::modifiers.
struct ModifierSpec {
  std::string_view slot;
  bool optional = false;
  std::vector<std::string_view> choices;
};

/// An element of Form::operands.
struct OperandSpec {
  enum class Kind : uint8_t { value, address, label, any };
  Kind kind = Kind::value;
  std::string_view name;
  /// A slot, or a type's name; of an address, its coordinates'.
  std::string_view type;
  /// Of an address: a slot, or the name of a state space.
  std::string_view space = "ss";
  /// The selector allowed after the register; its value is an operand too.
  SelectorKind selector = SelectorKind::none;
  bool isResult = false;
  bool wider = false;
  bool negatable = false;
  bool immediate = false;
  bool optional = false;
  /// It may follow the one before, with a '|' between.
  bool paired = false;
  /// A vector of a fixed length; or of the length in slot `vec`.
  unsigned length = 0;
  bool vector = false;
  /// An address with coordinates behind it.
  bool coordinates = false;
  /// A vector of any length: Instruction::vectorLengths.
  bool anyLength = false;
};

/// A form whose two texts are parsed.
struct CompiledForm {
  const Form *form = nullptr;
  std::vector<ModifierSpec> modifiers;
  std::vector<OperandSpec> operands;
};

/// All forms of each opcode, in the order of the tables.
class FormTable {
public:
  /// The table for this machine; made once.
  static const FormTable &instance();
  explicit FormTable(std::span<const std::span<const Form>> tables);
  /// The forms called `opcode`; empty if there are none.
  [[nodiscard]] std::span<const CompiledForm> of(std::string_view opcode) const;
  [[nodiscard]] const std::map<std::string_view, std::vector<CompiledForm>> &
  all() const {
    return forms;
  }

private:
  std::map<std::string_view, std::vector<CompiledForm>> forms;
};

/// Fits `modifiers` to `form`. Returns the number of modifiers that fit; all,
/// and `complete`, if the form is the right one; else `missing` is the element
/// that was not found.
struct Fit {
  bool complete = false;
  size_t fitted = 0;
  const ModifierSpec *missing = nullptr;
  Match match;
};
[[nodiscard]] Fit fit(const CompiledForm &form,
                      std::span<const ptx::Word> modifiers);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_FORM_H
