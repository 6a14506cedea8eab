#include "codegen/nvptx/ZeroSigns.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilewright::nvptx {

/// Whether a value, or an element of it, may be a zero.
static bool mayBeZero(Value *value) { return !match(value, m_NonZeroFP()); }

/// Whether `select` returns one of the two floats that its condition compares.
static bool isBetweenZeros(SelectInst &select) {
  auto *compare = dyn_cast<FCmpInst>(select.getCondition());
  if (!compare)
    return false;
  Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  auto same = [](Value *compared, Value *given) {
    return compared == given ||
           (match(compared, m_AnyZeroFP()) && match(given, m_AnyZeroFP()));
  };
  Value *yes = select.getTrueValue(), *no = select.getFalseValue();
  return ((same(left, yes) && same(right, no)) ||
          (same(left, no) && same(right, yes))) &&
         mayBeZero(left) && mayBeZero(right);
}

static void selectIntegers(SelectInst &select) {
  IRBuilder<> builder(&select);
  Type *type = select.getType();
  Type *integer = type->getWithNewType(
      builder.getIntNTy(type->getScalarType()->getPrimitiveSizeInBits()));
  Value *chosen = builder.CreateSelect(
      select.getCondition(),
      builder.CreateBitCast(select.getTrueValue(), integer),
      builder.CreateBitCast(select.getFalseValue(), integer));
  select.replaceAllUsesWith(builder.CreateBitCast(chosen, type));
  select.eraseFromParent();
}

void keepZeroSigns(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (auto *select = dyn_cast<SelectInst>(&instruction))
        if (isBetweenZeros(*select))
          selectIntegers(*select);
}

} // namespace tilewright::nvptx
