#include "spatial/machine/AluOps.h"

#include <iterator>

namespace tilewright::spatial {

namespace {
struct AluFacts {
  std::string_view name;
  int operands;
  DelayClass delay;
};
constexpr AluFacts aluFacts[] = {
#define ALU_OP(ENUMERATOR, NAME, OPERANDS, DELAY)                              \
  {NAME, OPERANDS, DelayClass::DELAY},
#include "spatial/machine/AluOps.inc"
#undef ALU_OP
};

/// In the order of DelayClass.
constexpr std::string_view delayNames[] = {
    "move",   "add",   "sub",   "mul",     "fma",   "min", "max",    "compare",
    "select", "logic", "shift", "convert", "round", "abs", "divide", "sqrt",
    "rsqrt",  "exp",   "log",   "tanh",    "erf",   "sin", "cos",    "pow"};
} // namespace

std::string_view aluName(AluOp op) {
  return aluFacts[static_cast<size_t>(op)].name;
}

std::optional<AluOp> aluFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(aluFacts); ++i)
    if (aluFacts[i].name == name)
      return static_cast<AluOp>(i);
  return std::nullopt;
}

int aluOperands(AluOp op) { return aluFacts[static_cast<size_t>(op)].operands; }

DelayClass delayClass(AluOp op) {
  return aluFacts[static_cast<size_t>(op)].delay;
}

std::string_view delayName(DelayClass delay) {
  return delayNames[static_cast<size_t>(delay)];
}

std::optional<DelayClass> delayFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(delayNames); ++i)
    if (delayNames[i] == name)
      return static_cast<DelayClass>(i);
  return std::nullopt;
}

} // namespace tilewright::spatial
