#include "runtime/emulator/ptx/ParserImpl.h"
#include "support/Format.h"

namespace tilewright::emulator::ptx {

Block Parser::parseBlock() {
  Nested nested(*this);
  Block block;
  block.at = token().at;
  expect("{");
  while (!failed() && !token().is("}")) {
    if (token().kind == Token::Kind::end)
      failExpected("a statement or '}'");
    else
      parseStatement(block);
  }
  expect("}");
  return block;
}

void Parser::parseStatement(Block &block) {
  if (accept(";"))
    return;
  if (token().is("{")) {
    block.statements.emplace_back(std::make_unique<Block>(parseBlock()));
    return;
  }
  if (token().kind == Token::Kind::modifier)
    return parseBodyDirective(block);
  if (token().kind == Token::Kind::identifier && token(1).is(":"))
    return parseLabel(block);
  block.statements.emplace_back(parseInstruction());
}

void Parser::parseBodyDirective(Block &block) {
  if (acceptModifier("loc")) {
    block.statements.emplace_back(parseSourceLine());
    return;
  }
  if (acceptModifier("pragma")) {
    take();
    return expect(";");
  }
  Linkage linkage = parseLinkage();
  if (!spaceAhead())
    return failExpected("a statement");
  std::vector<Variable> variables;
  parseVariables(linkage, variables);
  for (Variable &variable : variables)
    block.statements.emplace_back(std::move(variable));
}

/// `.loc 1 24 3`, and since 7.2 `, function_name L, inlined_at 1 23 3`.
SourceLine Parser::parseSourceLine() {
  SourceLine line;
  line.file = unsigned(expectInteger("the file's number"));
  line.line = unsigned(expectInteger("a line"));
  line.column = unsigned(expectInteger("a column"));
  while (!failed() && accept(",")) {
    Word what = expectIdentifier("function_name or inlined_at");
    if (what.text == "function_name") {
      expectIdentifier("a label");
      if (accept("+"))
        expectInteger("an offset");
    } else {
      for (int i = 0; i < 3; ++i)
        expectInteger("file, line and column");
    }
  }
  return line;
}

/// A label, or a list of targets or a prototype that has a name.
void Parser::parseLabel(Block &block) {
  Word name = expectIdentifier("a label");
  expect(":");
  if (acceptModifier("branchtargets"))
    return parseTargets(block, name, Targets::Kind::branch);
  if (acceptModifier("calltargets"))
    return parseTargets(block, name, Targets::Kind::call);
  if (acceptModifier("callprototype"))
    return parsePrototype(block, name);
  block.statements.emplace_back(Label{name});
}

void Parser::parseTargets(Block &block, Word name, Targets::Kind kind) {
  Targets targets{kind, name, {}};
  do
    targets.targets.push_back(expectIdentifier("a target"));
  while (!failed() && accept(","));
  expect(";");
  block.statements.emplace_back(std::move(targets));
}

void Parser::parsePrototype(Block &block, Word name) {
  Prototype prototype;
  prototype.name = name;
  if (token().is("("))
    prototype.results = parseParameters();
  expectIdentifier("'_'");
  if (token().is("("))
    prototype.parameters = parseParameters();
  // .noreturn and the like.
  while (!failed() && token().kind == Token::Kind::modifier) {
    take();
    if (token().kind == Token::Kind::integer)
      take();
  }
  expect(";");
  block.statements.emplace_back(std::move(prototype));
}

//===--- Instructions -----------------------------------------------------===//

Instruction Parser::parseInstruction() {
  Instruction instruction;
  if (accept("@")) {
    Guard guard;
    guard.negated = accept("!");
    guard.predicate = expectIdentifier("a predicate");
    instruction.guard = guard;
  }
  instruction.opcode = expectIdentifier("an instruction");
  while (token().kind == Token::Kind::modifier) {
    Token modifier = take();
    instruction.modifiers.push_back({modifier.text, modifier.at});
  }
  if (!accept(";"))
    parseOperands(instruction);
  return instruction;
}

void Parser::parseOperands(Instruction &instruction) {
  do
    instruction.operands.push_back(parseOperand());
  while (!failed() && accept(","));
  if (!failed() && !accept(";"))
    failExpected(format("',' or ';' after an operand of '{}'",
                        {instruction.opcode.text}));
}

Operand Parser::parseElements(Operand::Kind kind, std::string_view close) {
  Nested nested(*this);
  Operand operand;
  operand.kind = kind;
  operand.at = take().at;
  if (accept(close))
    return operand;
  do
    operand.elements.push_back(parseOperand());
  while (!failed() && accept(","));
  expect(close);
  return operand;
}

Operand Parser::parseOperand() {
  Nested nested(*this);
  if (failed())
    return {};
  const Token &first = token();
  if (first.is("{"))
    return parseElements(Operand::Kind::vector, "}");
  if (first.is("["))
    return parseAddress();
  bool negatesName = (first.is("!") || first.is("-")) &&
                     token(1).kind == Token::Kind::identifier &&
                     token(1).text != "WARP_SZ";
  if (negatesName ||
      (first.kind == Token::Kind::identifier && first.text != "WARP_SZ"))
    return parseName();
  // Of a call: `(a, b)`; elsewhere a constant in parentheses.
  if (first.is("(") && (token(1).kind == Token::Kind::identifier ||
                        token(1).is(")") || token(2).is(",")))
    return parseElements(Operand::Kind::list, ")");
  Operand operand;
  operand.at = first.at;
  Constant constant = parseConstant();
  operand.kind = constant.isReal ? Operand::Kind::real : Operand::Kind::integer;
  operand.isDouble = constant.isDouble;
  operand.value = constant.value;
  return operand;
}

/// `+4`, `-4`, `+-4`.
void Parser::addOffset(Operand &operand) {
  if (token().is("+") || token().is("-"))
    operand.value = parseIntegerConstant();
}

/// `.b0`, `.h32` behind a register.
static bool isSelector(const Token &token) {
  return token.kind == Token::Kind::modifier && token.adjacent &&
         (token.text.starts_with('b') || token.text.starts_with('h')) &&
         token.text.find_first_not_of("01234567", 1) == std::string_view::npos;
}

/// A name with what may surround it: `!p`, `%tid.x`, `smem+16`, `d|p`.
Operand Parser::parseName() {
  Operand operand;
  operand.kind = Operand::Kind::name;
  operand.at = token().at;
  operand.negated = accept("!") || accept("-");
  operand.name = expectIdentifier("a name").text;
  if (operand.name == "_" && !operand.negated)
    operand.kind = Operand::Kind::sink;
  const Token &next = token();
  if (next.kind == Token::Kind::modifier && next.adjacent &&
      next.text.size() == 1) {
    static constexpr std::string_view letters = "xyzwrgba";
    size_t index = letters.find(next.text[0]);
    if (index != std::string_view::npos) {
      operand.component = "xyzw"[index % 4];
      take();
    }
  } else if (isSelector(next)) {
    operand.selector = take().text;
  }
  if (!operand.negated && operand.kind == Operand::Kind::name)
    addOffset(operand);
  if (!accept("|"))
    return operand;
  Operand pair;
  pair.kind = Operand::Kind::pair;
  pair.at = operand.at;
  pair.elements.push_back(std::move(operand));
  pair.elements.push_back(parseName());
  return pair;
}

Operand Parser::parseAddress() {
  Operand operand;
  operand.kind = Operand::Kind::address;
  operand.at = token().at;
  expect("[");
  Operand base = parseOperand();
  if (base.kind == Operand::Kind::name)
    std::swap(operand.value, base.value);
  operand.elements.push_back(std::move(base));
  while (!failed() && accept(","))
    operand.elements.push_back(parseOperand());
  expect("]");
  return operand;
}

} // namespace tilewright::emulator::ptx
