#include "runtime/emulator/ptx/ParserImpl.h"
#include "support/Format.h"
#include <bit>

namespace tilewright::emulator::ptx {

std::optional<Space> Parser::spaceAhead() const {
  static constexpr std::pair<std::string_view, Space> names[] = {
      {"reg", Space::reg},       {"const", Space::constant},
      {"global", Space::global}, {"local", Space::local},
      {"param", Space::param},   {"shared", Space::shared}};
  for (auto [name, space] : names)
    if (isModifier(name))
      return space;
  return std::nullopt;
}

/// PTX section 5.4: `.space .align N .v2 .type`, in any order after the space.
Variable Parser::parseDeclarationSpecifiers(Linkage linkage) {
  Variable variable;
  variable.linkage = linkage;
  variable.space = *spaceAhead();
  take();
  bool hasType = false;
  while (!failed() && token().kind == Token::Kind::modifier) {
    Token word = take();
    if (word.text == "align") {
      variable.alignment = expectInteger("the alignment in bytes");
      if (!failed() && !std::has_single_bit(variable.alignment))
        fail(word.at,
             format("expected an alignment that is a power of two, found {}",
                    {variable.alignment}));
    } else if (word.text == "v2" || word.text == "v4" || word.text == "v8") {
      variable.vectorWidth = unsigned(word.text[1] - '0');
    } else if (word.text == "attribute") {
      // .attribute(.managed): memory is the same from everywhere here.
      expect("(");
      while (!failed() && !accept(")"))
        if (take().kind == Token::Kind::end)
          failExpected("')'");
    } else if (word.text == "ptr") {
      // A pointer's attributes are an assumption that nothing here needs.
      for (std::string_view space : {"const", "global", "local", "shared"})
        acceptModifier(space);
      if (acceptModifier("align"))
        expectInteger("the alignment in bytes");
    } else if (std::optional<Type> type = typeFromName(word.text)) {
      variable.type = *type;
      hasType = true;
    } else {
      fail(word.at, "expected a type such as .b32, found " + word.describe());
    }
  }
  if (!hasType)
    failExpected("a type such as .b32");
  return variable;
}

/// `name`, `%r<10>`, `name[2][3]`.
void Parser::parseDeclarator(Variable &variable) {
  variable.name = expectIdentifier("a name");
  if (accept("<")) {
    variable.range = expectInteger("the number of registers");
    if (variable.range > uint64_t{1} << 24)
      fail(variable.name.at, "expected at most 16777216 registers");
    expect(">");
  }
  while (!failed() && accept("[")) {
    variable.dims.push_back(token().is("]") ? 0 : parseIntegerConstant());
    expect("]");
  }
  uint64_t bytes = typeBits(variable.type) / 8 * variable.vectorWidth;
  for (uint64_t size : variable.dims)
    if (size && __builtin_mul_overflow(bytes, size, &bytes))
      fail(variable.name.at, "expected an array of less than 2^64 bytes");
}

void Parser::parseVariables(Linkage linkage, std::vector<Variable> &variables) {
  Variable specifiers = parseDeclarationSpecifiers(linkage);
  do {
    Variable variable;
    variable.space = specifiers.space;
    variable.linkage = specifiers.linkage;
    variable.type = specifiers.type;
    variable.vectorWidth = specifiers.vectorWidth;
    variable.alignment = specifiers.alignment;
    parseDeclarator(variable);
    if (accept("="))
      variable.initializer = parseInitializer();
    if (!failed())
      variables.push_back(std::move(variable));
  } while (!failed() && accept(","));
  expect(";");
}

//===--- Initializers (PTX section 5.4.4) ---------------------------------===//

Initializer Parser::parseInitializer() {
  Nested nested(*this);
  Initializer initializer;
  initializer.at = token().at;
  if (accept("{")) {
    initializer.kind = Initializer::Kind::list;
    if (accept("}"))
      return initializer;
    do
      initializer.elements.push_back(parseInitializer());
    while (!failed() && accept(","));
    expect("}");
    return initializer;
  }
  bool isMask = token().kind == Token::Kind::integer && token(1).is("(");
  if (token().kind == Token::Kind::identifier || isMask)
    return parseSymbolInitializer();
  Constant constant = parseConstant();
  initializer.kind =
      constant.isReal ? Initializer::Kind::real : Initializer::Kind::integer;
  initializer.value = constant.value;
  initializer.isDouble = constant.isDouble;
  return initializer;
}

/// `name`, `name+4`, `generic(name)+4`, `0xff00(name)`.
Initializer Parser::parseSymbolInitializer() {
  Initializer initializer;
  initializer.kind = Initializer::Kind::symbol;
  initializer.at = token().at;
  bool wrapped = false;
  if (token().kind == Token::Kind::integer) {
    initializer.mask = take().value;
    wrapped = true;
    expect("(");
  }
  if (token().text == "generic" && token(1).is("(")) {
    take();
    expect("(");
    initializer.generic = true;
    initializer.symbol = expectIdentifier("a variable").text;
    expect(")");
  } else {
    initializer.symbol = expectIdentifier("a variable").text;
  }
  if (token().is("+") || token().is("-"))
    initializer.value = parseIntegerConstant();
  if (wrapped)
    expect(")");
  return initializer;
}

} // namespace tilewright::emulator::ptx
