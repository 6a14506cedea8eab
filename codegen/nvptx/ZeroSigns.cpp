#include "codegen/nvptx/ZeroSigns.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace tilewright::nvptx {

/// Whether a value, or an element of it, may be a zero.
static bool mayBeZero(llvm::Value *value) {
  return !match(value, llvm::PatternMatch::m_NonZeroFP());
}

/// Whether `select` returns one of the two floats that its condition compares.
static bool isBetweenZeros(llvm::SelectInst &select) {
  auto *compare = dyn_cast<llvm::FCmpInst>(select.getCondition());
  if (!compare)
    return false;
  llvm::Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  auto same = [](llvm::Value *compared, llvm::Value *given) {
    using llvm::PatternMatch::m_AnyZeroFP;
    return compared == given ||
           (match(compared, m_AnyZeroFP()) && match(given, m_AnyZeroFP()));
  };
  llvm::Value *yes = select.getTrueValue(), *no = select.getFalseValue();
  return ((same(left, yes) && same(right, no)) ||
          (same(left, no) && same(right, yes))) &&
         mayBeZero(left) && mayBeZero(right);
}

static void selectIntegers(llvm::SelectInst &select) {
  llvm::IRBuilder<> builder(&select);
  llvm::Type *type = select.getType();
  llvm::Type *integer = type->getWithNewType(
      builder.getIntNTy(type->getScalarType()->getPrimitiveSizeInBits()));
  llvm::Value *chosen = builder.CreateSelect(
      select.getCondition(),
      builder.CreateBitCast(select.getTrueValue(), integer),
      builder.CreateBitCast(select.getFalseValue(), integer));
  select.replaceAllUsesWith(builder.CreateBitCast(chosen, type));
  select.eraseFromParent();
}

void keepZeroSigns(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *select = dyn_cast<llvm::SelectInst>(&instruction))
        if (isBetweenZeros(*select))
          selectIntegers(*select);
}

} // namespace tilewright::nvptx
