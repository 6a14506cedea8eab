#include "runtime/emulator/ptx/Instructions.h"
#include "runtime/emulator/ptx/Expressions.h"
#include "support/Format.h"

namespace tilewright::emulator::ptx {

//===--- Names ------------------------------------------------------------===//

/// `.b0`, `.h32` behind a register.
static bool isSelector(const Token &token) {
  return token.kind == Token::Kind::modifier && token.adjacent &&
         (token.text.starts_with('b') || token.text.starts_with('h')) &&
         token.text.find_first_not_of("01234567", 1) == std::string_view::npos;
}

/// `.x` behind a vector, or a selector.
static void parseSuffix(TokenCursor &cursor, Operand &operand) {
  const Token &next = cursor.token();
  if (next.kind == Token::Kind::modifier && next.adjacent &&
      next.text.size() == 1) {
    static constexpr std::string_view letters = "xyzwrgba";
    size_t index = letters.find(next.text[0]);
    if (index != std::string_view::npos) {
      operand.component = "xyzw"[index % 4];
      cursor.take();
    }
  } else if (isSelector(next)) {
    operand.selector = cursor.take().text;
  }
}

/// A name with what may surround it: `!p`, `%tid.x`, `smem+16`, `d|p`.
static Operand parseName(TokenCursor &cursor) {
  TokenCursor::Nested nested(cursor);
  Operand operand;
  operand.kind = Operand::Kind::name;
  operand.at = cursor.token().at;
  operand.negated = cursor.accept("!") || cursor.accept("-");
  operand.name = cursor.expectIdentifier("a name").text;
  if (operand.name == "_" && !operand.negated)
    operand.kind = Operand::Kind::sink;
  parseSuffix(cursor, operand);
  if (!operand.negated && operand.kind == Operand::Kind::name)
    operand.value = parseOffset(cursor);
  if (!cursor.accept("|"))
    return operand;
  Operand pair;
  pair.kind = Operand::Kind::pair;
  pair.at = operand.at;
  pair.elements.push_back(std::move(operand));
  pair.elements.push_back(parseName(cursor));
  return pair;
}

//===--- Operands ---------------------------------------------------------===//

static Operand parseOperand(TokenCursor &cursor);

static Operand parseElements(TokenCursor &cursor, Operand::Kind kind,
                             std::string_view close) {
  TokenCursor::Nested nested(cursor);
  Operand operand;
  operand.kind = kind;
  operand.at = cursor.take().at;
  if (cursor.accept(close))
    return operand;
  do
    operand.elements.push_back(parseOperand(cursor));
  while (!cursor.failed() && cursor.accept(","));
  cursor.expect(close);
  return operand;
}

static Operand parseAddress(TokenCursor &cursor) {
  Operand operand;
  operand.kind = Operand::Kind::address;
  operand.at = cursor.token().at;
  cursor.expect("[");
  Operand base = parseOperand(cursor);
  if (base.kind == Operand::Kind::name)
    std::swap(operand.value, base.value);
  operand.elements.push_back(std::move(base));
  while (!cursor.failed() && cursor.accept(","))
    operand.elements.push_back(parseOperand(cursor));
  cursor.expect("]");
  return operand;
}

static Operand parseOperand(TokenCursor &cursor) {
  TokenCursor::Nested nested(cursor);
  if (cursor.failed())
    return {};
  const Token &first = cursor.token();
  if (first.is("{"))
    return parseElements(cursor, Operand::Kind::vector, "}");
  if (first.is("["))
    return parseAddress(cursor);
  bool negatesName = (first.is("!") || first.is("-")) &&
                     cursor.token(1).kind == Token::Kind::identifier &&
                     cursor.token(1).text != "WARP_SZ";
  if (negatesName ||
      (first.kind == Token::Kind::identifier && first.text != "WARP_SZ"))
    return parseName(cursor);
  // Of a call: `(a, b)`; elsewhere a constant in parentheses.
  if (first.is("(") && (cursor.token(1).kind == Token::Kind::identifier ||
                        cursor.token(1).is(")") || cursor.token(2).is(",")))
    return parseElements(cursor, Operand::Kind::list, ")");
  Operand operand;
  operand.at = first.at;
  Constant constant = parseConstant(cursor);
  operand.kind = constant.isReal ? Operand::Kind::real : Operand::Kind::integer;
  operand.isDouble = constant.isDouble;
  operand.value = constant.value;
  return operand;
}

//===--- Instructions -----------------------------------------------------===//

static void parseOperands(TokenCursor &cursor, Instruction &instruction) {
  do
    instruction.operands.push_back(parseOperand(cursor));
  while (!cursor.failed() && cursor.accept(","));
  if (!cursor.failed() && !cursor.accept(";"))
    cursor.failExpected(format("',' or ';' after an operand of '{}'",
                               {instruction.opcode.text}));
}

Instruction parseInstruction(TokenCursor &cursor) {
  Instruction instruction;
  if (cursor.accept("@")) {
    Guard guard;
    guard.negated = cursor.accept("!");
    guard.predicate = cursor.expectIdentifier("a predicate");
    instruction.guard = guard;
  }
  instruction.opcode = cursor.expectIdentifier("an instruction");
  while (cursor.token().kind == Token::Kind::modifier) {
    Token modifier = cursor.take();
    instruction.modifiers.push_back({modifier.text, modifier.at});
  }
  if (!cursor.accept(";"))
    parseOperands(cursor, instruction);
  return instruction;
}

} // namespace tilewright::emulator::ptx
