#include "verify/threads/Ptx.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tilewright::verify::threads {

using namespace mlir;

bool PtxStatement::has(StringRef part) const {
  return llvm::is_contained(name, part);
}

static std::optional<unsigned> parseRegister(StringRef text) {
  unsigned number = 0;
  text = text.trim();
  if (!text.consume_front("$") || text.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

static std::optional<PtxOperand> parseOperand(StringRef text) {
  PtxOperand operand;
  text = text.trim();
  if (text.consume_front("{")) {
    if (!text.consume_back("}"))
      return std::nullopt;
    for (StringRef part : llvm::split(text, ',')) {
      std::optional<unsigned> number = parseRegister(part);
      if (!number)
        return std::nullopt;
      operand.registers.push_back(*number);
    }
    return operand;
  }
  if (text.consume_front("[")) {
    if (!text.consume_back("]"))
      return std::nullopt;
    operand.isAddress = true;
    auto [base, offset] = text.split('+');
    if (!offset.empty() && offset.trim().getAsInteger(0, operand.offset))
      return std::nullopt;
    text = base;
  }
  if (std::optional<unsigned> number = parseRegister(text)) {
    operand.registers.push_back(*number);
    return operand;
  }
  int64_t number = 0;
  if (operand.isAddress || text.getAsInteger(0, number))
    return std::nullopt;
  operand.number = number;
  return operand;
}

/// At commas outside of brackets.
static llvm::SmallVector<StringRef> splitOperands(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  size_t first = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' || text[i] == '[';
    depth -= text[i] == '}' || text[i] == ']';
    if (text[i] == ',' && depth == 0) {
      parts.push_back(text.slice(first, i));
      first = i + 1;
    }
  }
  if (!text.trim().empty())
    parts.push_back(text.drop_front(first));
  return parts;
}

static std::optional<PtxStatement> parseStatement(StringRef text) {
  PtxStatement statement;
  if (text.consume_front("@")) {
    statement.isNegated = text.consume_front("!");
    auto [predicate, rest] = text.split(' ');
    statement.predicate = parseRegister(predicate);
    if (!statement.predicate)
      return std::nullopt;
    text = rest.trim();
  }
  auto [name, operands] = text.split(' ');
  for (StringRef part : llvm::split(name, '.'))
    statement.name.push_back(part.str());
  for (StringRef each : splitOperands(operands)) {
    std::optional<PtxOperand> operand = parseOperand(each);
    if (!operand)
      return std::nullopt;
    statement.operands.push_back(std::move(*operand));
  }
  return statement;
}

std::optional<std::vector<PtxStatement>> parsePtx(StringRef text) {
  std::vector<PtxStatement> statements;
  for (StringRef each : llvm::split(text, ';')) {
    each = each.trim();
    if (each.empty())
      continue;
    std::optional<PtxStatement> statement = parseStatement(each);
    if (!statement)
      return std::nullopt;
    statements.push_back(std::move(*statement));
  }
  return statements;
}

//===--- What names say ---------------------------------------------------===//

Type scalarOf(StringRef name, MLIRContext *context, unsigned &bits) {
  (void)name.consume_back("x2");
  Builder b(context);
  if (name == "bf16")
    return bits = 16, b.getBF16Type();
  StringRef digits = name.drop_front();
  if (digits.getAsInteger(10, bits))
    return {};
  if (name.front() != 'f')
    return bits == 8 || bits == 16 || bits == 32 || bits == 64
               ? b.getIntegerType(bits)
               : Type();
  return bits == 16   ? Type(b.getF16Type())
         : bits == 32 ? Type(b.getF32Type())
         : bits == 64 ? Type(b.getF64Type())
                      : Type();
}

std::optional<Combining> combiningOf(const PtxStatement &ptx) {
  const char kind = ptx.type().front();
  for (StringRef part : ptx.name) {
    auto found = llvm::StringSwitch<std::optional<Combining>>(part)
                     .Case("exch", Combining::exchange)
                     .Case("add", Combining::add)
                     .Case("sub", Combining::sub)
                     .Case("mul", Combining::mul)
                     .Case("and", Combining::bitAnd)
                     .Case("or", Combining::bitOr)
                     .Case("xor", Combining::bitXor)
                     .Case("max", kind == 's'      ? Combining::maxSigned
                                  : kind == 'u'    ? Combining::maxUnsigned
                                  : ptx.has("NaN") ? Combining::maximum
                                                   : Combining::maxNumber)
                     .Case("min", kind == 's'      ? Combining::minSigned
                                  : kind == 'u'    ? Combining::minUnsigned
                                  : ptx.has("NaN") ? Combining::minimum
                                                   : Combining::minNumber)
                     .Default(std::nullopt);
    if (found)
      return found;
  }
  return std::nullopt;
}

} // namespace tilewright::verify::threads
