//===- PredicatedLoad.cpp - Loads that some lanes skip --------------------===//
#include "codegen/nvptx/PredicatedLoad.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

namespace {
/// The registers of one instruction.
struct Words {
  unsigned count, bits;

  static Words of(VectorType type) {
    unsigned element = type.getElementTypeBitWidth();
    unsigned all = element * unsigned(type.getNumElements());
    unsigned word = std::min(all, std::max(element, 32u));
    return {all / word, word};
  }
  /// PTX has no registers of 8 bits: a byte is loaded into 16.
  [[nodiscard]] unsigned registerBits() const { return std::max(bits, 16u); }
  [[nodiscard]] StringRef constraint() const {
    return registerBits() == 16 ? "h" : registerBits() == 32 ? "r" : "l";
  }
};
} // namespace

/// "{$0, $1}" or "$0".
static std::string operandList(unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(i);
  return count == 1 ? list : "{" + list + "}";
}

/// Each result gets its operand, then the instruction may replace them all.
static std::string instruction(const Words &words) {
  std::string text;
  for (unsigned i = 0; i < words.count; ++i)
    text += "mov.b" + std::to_string(words.registerBits()) + " $" +
            std::to_string(i) + ", $" + std::to_string(words.count + i) + "; ";
  std::string vector =
      words.count == 1 ? "" : ".v" + std::to_string(words.count);
  return text + "@$" + std::to_string(2 * words.count) + " ld.global" + vector +
         ".b" + std::to_string(words.bits) + " " + operandList(words.count) +
         ", [$" + std::to_string(2 * words.count + 1) + "];";
}

static std::string constraints(const Words &words) {
  std::string list;
  for (unsigned i = 0; i < words.count; ++i)
    list += "=&" + words.constraint().str() + ",";
  for (unsigned i = 0; i < words.count; ++i)
    list += words.constraint().str() + ",";
  return list + "b,l";
}

Value predicatedLoad(ImplicitLocOpBuilder &b, Value address, Value isRead,
                     Value otherwise) {
  auto type = cast<VectorType>(otherwise.getType());
  const Words words = Words::of(type);
  Type word = b.getIntegerType(words.bits);
  Type inRegister = b.getIntegerType(words.registerBits());
  Value asWords = vector::BitCastOp::create(
      b, VectorType::get({words.count}, word), otherwise);
  SmallVector<Value> operands;
  for (unsigned i = 0; i < words.count; ++i) {
    Value each = vector::ExtractOp::create(b, asWords, i);
    operands.push_back(each.getType() == inRegister
                           ? each
                           : arith::ExtUIOp::create(b, inRegister, each));
  }
  operands.push_back(isRead);
  operands.push_back(address);
  SmallVector<Type> results(words.count, inRegister);
  Type result = words.count == 1
                    ? inRegister
                    : LLVM::LLVMStructType::getLiteral(b.getContext(), results);
  Value loaded = LLVM::InlineAsmOp::create(
                     b, result, operands, instruction(words),
                     constraints(words), /*has_side_effects=*/true,
                     /*is_align_stack=*/false, LLVM::TailCallKind::None,
                     LLVM::AsmDialectAttr(), ArrayAttr())
                     .getRes();
  SmallVector<Value> parts;
  for (unsigned i = 0; i < words.count; ++i) {
    Value each = words.count == 1
                     ? loaded
                     : LLVM::ExtractValueOp::create(b, loaded, int64_t(i));
    parts.push_back(
        inRegister == word ? each : arith::TruncIOp::create(b, word, each));
  }
  Value joined = vector::FromElementsOp::create(
      b, VectorType::get({words.count}, word), parts);
  return vector::BitCastOp::create(b, type, joined);
}

} // namespace tilewright::nvptx
