//===- PredicatedAccess.cpp - Accesses that some lanes skip ---------------===//
#include "codegen/nvptx/PredicatedAccess.h"

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
  /// PTX has no registers of 8 bits: a byte is in one of 16.
  [[nodiscard]] unsigned registerBits() const { return std::max(bits, 16u); }
  [[nodiscard]] StringRef constraint() const {
    return registerBits() == 16 ? "h" : registerBits() == 32 ? "r" : "l";
  }
  /// `op` with the instruction's vector and type.
  [[nodiscard]] std::string instruction(StringRef op) const {
    std::string vector = count == 1 ? "" : ".v" + std::to_string(count);
    return (op + vector + ".b" + Twine(bits) + " ").str();
  }
};
} // namespace

static std::string operand(unsigned at) { return "$" + std::to_string(at); }

/// "{$0, $1}" or "$0".
static std::string operandList(unsigned first, unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", " : "") + operand(first + i);
  return count == 1 ? list : "{" + list + "}";
}

/// The words of a vector, as the instruction's registers.
static SmallVector<Value> split(ImplicitLocOpBuilder &b, const Words &words,
                                Value vector) {
  Type inRegister = b.getIntegerType(words.registerBits());
  Value asWords = vector::BitCastOp::create(
      b, VectorType::get({words.count}, b.getIntegerType(words.bits)), vector);
  SmallVector<Value> parts;
  for (unsigned i = 0; i < words.count; ++i) {
    Value each = vector::ExtractOp::create(b, asWords, i);
    parts.push_back(each.getType() == inRegister
                        ? each
                        : arith::ExtUIOp::create(b, inRegister, each));
  }
  return parts;
}

/// The vector of `type` whose words are in `registers`.
static Value join(ImplicitLocOpBuilder &b, const Words &words, VectorType type,
                  ValueRange registers) {
  Type word = b.getIntegerType(words.bits);
  SmallVector<Value> parts;
  for (Value each : registers)
    parts.push_back(
        each.getType() == word ? each : arith::TruncIOp::create(b, word, each));
  Value joined = vector::FromElementsOp::create(
      b, VectorType::get({words.count}, word), parts);
  return vector::BitCastOp::create(b, type, joined);
}

static LLVM::InlineAsmOp inlinePtx(ImplicitLocOpBuilder &b, TypeRange results,
                                   ValueRange operands, StringRef text,
                                   StringRef constraints) {
  return LLVM::InlineAsmOp::create(
      b, results, operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
}

Value predicatedLoad(ImplicitLocOpBuilder &b, Value address, Value isRead,
                     Value otherwise, bool isConstant) {
  auto type = cast<VectorType>(otherwise.getType());
  const Words words = Words::of(type);
  SmallVector<Value> operands = split(b, words, otherwise);
  operands.append({isRead, address});
  // Each result gets its operand, then the instruction may replace them all.
  std::string text, constraints;
  for (unsigned i = 0; i < words.count; ++i) {
    text += "mov.b" + std::to_string(words.registerBits()) + " " + operand(i) +
            ", " + operand(words.count + i) + "; ";
    constraints += "=&" + words.constraint().str() + ",";
  }
  for (unsigned i = 0; i < words.count; ++i)
    constraints += words.constraint().str() + ",";
  text += "@" + operand(2 * words.count) + " " +
          words.instruction(isConstant ? "ld.global.nc" : "ld.global") +
          operandList(0, words.count) + ", [" + operand(2 * words.count + 1) +
          "];";
  Type inRegister = b.getIntegerType(words.registerBits());
  SmallVector<Type> all(words.count, inRegister);
  Type result = words.count == 1
                    ? inRegister
                    : LLVM::LLVMStructType::getLiteral(b.getContext(), all);
  Value loaded =
      inlinePtx(b, result, operands, text, constraints + "b,l").getRes();
  SmallVector<Value> registers;
  for (unsigned i = 0; i < words.count; ++i)
    registers.push_back(
        words.count == 1 ? loaded
                         : LLVM::ExtractValueOp::create(b, loaded, int64_t(i)));
  return join(b, words, type, registers);
}

void predicatedStore(ImplicitLocOpBuilder &b, Value address, Value isWritten,
                     Value value) {
  const Words words = Words::of(cast<VectorType>(value.getType()));
  SmallVector<Value> operands = split(b, words, value);
  operands.append({isWritten, address});
  std::string constraints;
  for (unsigned i = 0; i < words.count; ++i)
    constraints += words.constraint().str() + ",";
  inlinePtx(b, {}, operands,
            "@" + operand(words.count) + " " + words.instruction("st.global") +
                "[" + operand(words.count + 1) + "], " +
                operandList(0, words.count) + ";",
            constraints + "b,l,~{memory}");
}

} // namespace tilewright::nvptx
