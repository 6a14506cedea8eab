// PTX text as a tree: what was written, names not yet looked up.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PTX_AST_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PTX_AST_H

#include "runtime/emulator/ptx/Types.h"
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright::emulator::ptx {

/// A location in the text; both count from 1.
struct Location {
  uint32_t line = 0, column = 0;
};

/// A name or a modifier (without its dot) and its location. All views point
/// into Module::text.
struct Word {
  std::string_view text;
  Location at;
};

/// An operand as it is written.
struct Operand {
  enum class Kind : uint8_t {
    /// `%r1`, `smem`, `smem+16`, `L1`, `%tid.x`.
    name,
    /// `16`, `-1`, `(4*3)`.
    integer,
    /// `0f3F800000`, `0d3FF0000000000000`, `1.5`.
    real,
    /// `{a, b}`.
    vector,
    /// `[a+16]`, `[map, {x, y}]`: the base, then what follows it.
    address,
    /// `(a, b)`, of calls.
    list,
    /// `d|p`.
    pair,
    /// `_`.
    sink,
  };
  Kind kind = Kind::sink;
  /// `!` before a predicate, `-` before a name.
  bool negated = false;
  /// x, y, z or w of a vector; 0 without one.
  char component = 0;
  /// `b0` of `r.b0`, `h32`: parts of a register, for video instructions.
  std::string_view selector;
  /// A real written with 64 bits (0d, or in decimal).
  bool isDouble = false;
  Location at;
  std::string_view name;
  /// An integer; the offset added to a name or an address; a real's bits.
  uint64_t value = 0;
  /// Of vector, address, list, pair.
  std::vector<Operand> elements;
};

/// `@p`, `@!p`.
struct Guard {
  Word predicate;
  bool negated = false;
};

struct Instruction {
  std::optional<Guard> guard;
  /// `ld` of `ld.global.v2.f32`.
  Word opcode;
  std::vector<Word> modifiers;
  std::vector<Operand> operands;
  /// The first operand is a call's result list.
  [[nodiscard]] Location at() const { return opcode.at; }
};

/// A value in an initializer.
struct Initializer {
  enum class Kind : uint8_t { integer, real, symbol, list };
  Kind kind = Kind::integer;
  Location at;
  /// An integer, a real's bits, or the offset added to a symbol.
  uint64_t value = 0;
  bool isDouble = false;
  std::string_view symbol;
  /// `generic(x)`.
  bool generic = false;
  /// `0xff00(x)`: the bits of the address that are taken, shifted down. 0: all.
  uint64_t mask = 0;
  std::vector<Initializer> elements;
};

enum class Linkage : uint8_t { internal, external, visible, weak, common };

/// A declaration of one variable, of a range of registers, or of a parameter.
struct Variable {
  Space space = Space::reg;
  Linkage linkage = Linkage::internal;
  Type type = Type::b32;
  /// 1, 2, 4 or 8.
  unsigned vectorWidth = 1;
  /// In bytes; 0: the type's.
  uint64_t alignment = 0;
  Word name;
  /// `%r<10>` declares %r0 to %r9.
  std::optional<uint64_t> range;
  /// Of an array, outermost first; an unsized one is 0.
  std::vector<uint64_t> dims;
  std::optional<Initializer> initializer;
  [[nodiscard]] bool isUnsized() const { return !dims.empty() && !dims[0]; }
};

struct Label {
  Word name;
};

/// `name: .branchtargets A, B;` or `.calltargets`.
struct Targets {
  enum class Kind : uint8_t { branch, call };
  Kind kind = Kind::branch;
  Word name;
  std::vector<Word> targets;
};

/// `name: .callprototype (results) _ (parameters);`
struct Prototype {
  Word name;
  std::vector<Variable> results, parameters;
};

/// `.loc file line column`.
struct SourceLine {
  unsigned file = 0, line = 0, column = 0;
};

struct Block;
using Statement = std::variant<Instruction, Label, Variable, Targets, Prototype,
                               SourceLine, std::unique_ptr<Block>>;

/// A scope of registers, variables and labels.
struct Block {
  Location at;
  std::vector<Statement> statements;
};

/// `.maxntid 128, 1, 1`.
struct Directive {
  Word name;
  std::vector<uint64_t> values;
};

struct Function {
  bool isEntry = false;
  Linkage linkage = Linkage::internal;
  Word name;
  std::vector<Variable> results, parameters;
  std::vector<Directive> directives;
  /// None: a declaration.
  std::optional<Block> body;
};

/// `.file 1 "a.cu"`.
struct SourceFile {
  unsigned number = 0;
  std::string_view path;
};

/// A file of PTX.
struct Module {
  std::unique_ptr<const std::string> text;
  unsigned versionMajor = 0, versionMinor = 0;
  /// `sm_90a`.
  std::string_view target;
  unsigned addressSize = 64;
  std::vector<SourceFile> files;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

} // namespace tilewright::emulator::ptx

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PTX_AST_H
