#include "runtime/emulator/counters/Traits.h"
#include "runtime/emulator/program/Form.h"
#include <algorithm>

namespace tilewright::emulator {

namespace {

struct ClassFact {
  std::string_view name, meaning;
};
constexpr ClassFact classFacts[] = {
#define INSTRUCTION_CLASS(ENUMERATOR, NAME, MEANING) {NAME, MEANING},
#include "runtime/emulator/counters/Classes.inc"
#undef INSTRUCTION_CLASS
};

/// A rule's class, or how to find it.
enum class Ruling : uint8_t {
#define INSTRUCTION_CLASS(ENUMERATOR, NAME, MEANING) ENUMERATOR,
#include "runtime/emulator/counters/Classes.inc"
#undef INSTRUCTION_CLASS
  byType,
  bySpace,
};
struct ClassRule {
  std::string_view section, opcode;
  Ruling ruling;
};
constexpr ClassRule classRules[] = {
#define CLASS_RULE(SECTION, OPCODE, RULING) {SECTION, OPCODE, Ruling::RULING},
#include "runtime/emulator/counters/Classes.inc"
#undef CLASS_RULE
};

/// Whether `section` is `above`, or a part of it.
bool isUnder(std::string_view section, std::string_view above) {
  return section.starts_with(above) &&
         (above.empty() || section.size() == above.size() ||
          section[above.size()] == '.');
}

/// An instruction of the program with its text. The `ret` at a function's end
/// has none.
struct Source {
  const Instruction &in;
  const ptx::Instruction *text;

  [[nodiscard]] std::string_view opcode() const { return in.form->opcode; }
  [[nodiscard]] bool has(std::string_view modifier) const {
    return text &&
           std::any_of(text->modifiers.begin(), text->modifiers.end(),
                       [&](const ptx::Word &w) { return w.text == modifier; });
  }
  /// The types among the modifiers, in order.
  [[nodiscard]] std::vector<Type> types() const {
    std::vector<Type> types;
    for (const ptx::Word &word : text ? text->modifiers : none)
      if (std::optional<Type> type = typeFromName(word.text))
        types.push_back(*type);
    return types;
  }
  /// The number behind `letter` in a shape such as "m16n8k16"; 0: no shape.
  [[nodiscard]] uint32_t extent(char letter) const {
    for (const ptx::Word &word : text ? text->modifiers : none) {
      std::string_view shape = word.text;
      bool isShape = shape.size() > 3 && shape[0] == 'm' && shape[1] >= '0' &&
                     shape[1] <= '9';
      size_t at = isShape ? shape.find(letter) : std::string_view::npos;
      if (at == std::string_view::npos)
        continue;
      uint32_t number = 0;
      while (++at < shape.size() && shape[at] >= '0' && shape[at] <= '9')
        number = number * 10 + uint32_t(shape[at] - '0');
      return number;
    }
    return 0;
  }

private:
  static inline const std::vector<ptx::Word> none;
};

//===--- Classes ----------------------------------------------------------===//

InstructionClass classBySpace(AddressSpace space) {
  switch (space) {
  case AddressSpace::global:
    return InstructionClass::global;
  case AddressSpace::shared:
  case AddressSpace::sharedCluster:
    return InstructionClass::shared;
  case AddressSpace::local:
    return InstructionClass::local;
  case AddressSpace::constant:
  case AddressSpace::param:
    return InstructionClass::constant;
  case AddressSpace::generic:
    return InstructionClass::generic;
  }
  return InstructionClass::other;
}

InstructionClass classByType(const std::vector<Type> &types) {
  if (types.empty())
    return InstructionClass::integer;
  switch (types.back()) {
  case Type::f64:
    return InstructionClass::float64;
  case Type::f32:
  case Type::f32x2:
    return InstructionClass::float32;
  case Type::f16:
  case Type::bf16:
  case Type::f16x2:
  case Type::bf16x2:
    return InstructionClass::float16;
  default:
    return InstructionClass::integer;
  }
}

InstructionClass classOf(const Source &source) {
  for (const ClassRule &rule : classRules) {
    bool fits = isUnder(source.in.form->section, rule.section) &&
                (rule.opcode.empty() || rule.opcode == source.opcode());
    if (!fits)
      continue;
    if (rule.ruling == Ruling::byType)
      return classByType(source.types());
    if (rule.ruling == Ruling::bySpace)
      return classBySpace(AddressSpace(source.in.space));
    return InstructionClass(rule.ruling);
  }
  return InstructionClass::other;
}

//===--- Memory -----------------------------------------------------------===//

/// Of cp.async.
constexpr std::string_view copySection = "9.7.9.25.3.1";

/// Rows of a matrix that is stored by rows, or columns.
void describeMatrix(const Source &source, Traits &traits) {
  uint32_t m = source.extent('m'), n = source.extent('n'),
           k = source.extent('k');
  uint32_t rows = source.has("b") ? k : m;
  uint32_t columns = source.has("a") ? k : n;
  std::vector<Type> types = source.types();
  if (types.empty())
    return;
  bool byColumns = source.has("col");
  uint32_t length = byColumns ? rows : columns;
  traits.elementBits = typeBits(types.back());
  traits.runs = byColumns ? columns : rows;
  traits.runStrideBits = length * traits.elementBits;
  traits.bytes = (traits.runStrideBits + 7) / 8;
  traits.addressLanes = 0;
}

void describeMemory(const Source &source, Traits &traits) {
  std::string_view opcode = source.opcode();
  const Instruction &in = source.in;
  traits.address = in.resultCount;
  if (opcode == "ldmatrix" || opcode == "stmatrix") {
    traits.traffic = opcode == "ldmatrix" ? Traffic::load : Traffic::store;
    traits.bytes = 16;
    if (in.vectorLengths[0] < 4)
      traits.addressLanes = (uint32_t{1} << 8 * in.vectorLengths[0]) - 1;
    return;
  }
  if (opcode == "wmma" && (source.has("load") || source.has("store"))) {
    traits.traffic = source.has("load") ? Traffic::load : Traffic::store;
    return describeMatrix(source, traits);
  }
  std::string_view operands = in.form->operands;
  if (opcode == "cp" && in.form->section == copySection) {
    traits.traffic = Traffic::copy;
    traits.limit =
        operands.find("bytes:u32") != operands.npos     ? CopyLimit::bytes
        : operands.find("ignore:pred") != operands.npos ? CopyLimit::ignore
                                                        : CopyLimit::none;
    return;
  }
  // These report their copies themselves.
  if (source.has("async"))
    return;
  if (opcode == "ld" || opcode == "ldu")
    traits.traffic = Traffic::load;
  else if (opcode == "st")
    traits.traffic = Traffic::store;
  else if (opcode == "atom" || opcode == "red")
    traits.traffic = Traffic::atomic;
  else
    return;
  std::vector<Type> types = source.types();
  if (!types.empty())
    traits.bytes = typeBits(types.back()) / 8 * in.width;
}

//===--- Barriers and tensor cores ----------------------------------------===//

/// bar and barrier but for those of one warp; of a cluster's, arrivals count.
bool arrivesAtBarrier(const Source &source) {
  if (source.opcode() == "bar")
    return !source.has("warp");
  return source.opcode() == "barrier" && !source.has("wait");
}

/// A warp's share of a product of matrices; products that a sparse matrix skips
/// count too.
void describeProduct(const Source &source, Traits &traits) {
  uint64_t m = source.extent('m'), n = source.extent('n'),
           k = source.extent('k');
  std::vector<Type> types = source.types();
  bool multiplies = traits.kind == InstructionClass::tensor && m && n && k;
  if (!multiplies)
    return;
  traits.tensorOperations = 1;
  traits.multiplyAdds = m * n * k;
  if (source.opcode() != "wgmma" || types.size() < 3)
    return;
  // Four warps share the product and its operands in shared memory; of a
  // sparse A half is there.
  traits.multiplyAdds /= 4;
  uint64_t bits = n * k * typeBits(types[2]);
  bool aInRegisters = source.in.vectorLengths[1] != 0;
  if (!aInRegisters)
    bits += m * k * typeBits(types[1]) / (source.has("sp") ? 2 : 1);
  traits.tensorSharedBytes = uint32_t(bits / 8 / 4);
}

Traits describe(const Source &source) {
  Traits traits;
  traits.kind = classOf(source);
  describeMemory(source, traits);
  describeProduct(source, traits);
  traits.arrives = arrivesAtBarrier(source);
  return traits;
}

/// The instructions of a body, in the order of the decoded code.
void collect(const ptx::Block &block,
             std::vector<const ptx::Instruction *> &out) {
  for (const ptx::Statement &statement : block.statements) {
    if (auto *instruction = std::get_if<ptx::Instruction>(&statement))
      out.push_back(instruction);
    else if (auto *nested =
                 std::get_if<std::unique_ptr<ptx::Block>>(&statement))
      collect(**nested, out);
  }
}
} // namespace

std::string_view className(InstructionClass kind) {
  return classFacts[size_t(kind)].name;
}
std::string_view classMeaning(InstructionClass kind) {
  return classFacts[size_t(kind)].meaning;
}

std::vector<Traits> traitsOf(const Program &program, size_t index) {
  std::vector<const ptx::Instruction *> texts;
  for (size_t i = 0; i < program.functionOf.size(); ++i)
    if (program.functionOf[i] == index && program.source->functions[i].body)
      collect(*program.source->functions[i].body, texts);
  const std::vector<Instruction> &code = program.functions[index]->code;
  std::vector<Traits> traits;
  for (size_t i = 0; i < code.size(); ++i)
    traits.push_back(
        describe({code[i], i < texts.size() ? texts[i] : nullptr}));
  return traits;
}

} // namespace tilewright::emulator
