#include "runtime/emulator/ptx/Variables.h"
#include "runtime/emulator/ptx/Expressions.h"
#include "support/Format.h"
#include <bit>

namespace tilewright::emulator::ptx {

//===--- Initializers (PTX section 5.4.4) ---------------------------------===//

/// `name`, `name+4`, `generic(name)+4`, `0xff00(name)`.
static Initializer parseSymbolInitializer(TokenCursor &cursor) {
  Initializer initializer;
  initializer.kind = Initializer::Kind::symbol;
  initializer.at = cursor.token().at;
  bool wrapped = false;
  if (cursor.token().kind == Token::Kind::integer) {
    initializer.mask = cursor.take().value;
    wrapped = true;
    cursor.expect("(");
  }
  if (cursor.token().text == "generic" && cursor.token(1).is("(")) {
    cursor.take();
    cursor.expect("(");
    initializer.generic = true;
    initializer.symbol = cursor.expectIdentifier("a variable").text;
    cursor.expect(")");
  } else {
    initializer.symbol = cursor.expectIdentifier("a variable").text;
  }
  initializer.value = parseOffset(cursor);
  if (wrapped)
    cursor.expect(")");
  return initializer;
}

static Initializer parseInitializer(TokenCursor &cursor) {
  TokenCursor::Nested nested(cursor);
  Initializer initializer;
  initializer.at = cursor.token().at;
  if (cursor.accept("{")) {
    initializer.kind = Initializer::Kind::list;
    if (cursor.accept("}"))
      return initializer;
    do
      initializer.elements.push_back(parseInitializer(cursor));
    while (!cursor.failed() && cursor.accept(","));
    cursor.expect("}");
    return initializer;
  }
  bool isMask =
      cursor.token().kind == Token::Kind::integer && cursor.token(1).is("(");
  if (cursor.token().kind == Token::Kind::identifier || isMask)
    return parseSymbolInitializer(cursor);
  Constant constant = parseConstant(cursor);
  initializer.kind =
      constant.isReal ? Initializer::Kind::real : Initializer::Kind::integer;
  initializer.value = constant.value;
  initializer.isDouble = constant.isDouble;
  return initializer;
}

//===--- Declarations -----------------------------------------------------===//

Linkage parseLinkage(TokenCursor &cursor) {
  static constexpr std::pair<std::string_view, Linkage> names[] = {
      {"extern", Linkage::external},
      {"visible", Linkage::visible},
      {"weak", Linkage::weak},
      {"common", Linkage::common}};
  for (auto [name, linkage] : names)
    if (cursor.acceptModifier(name))
      return linkage;
  return Linkage::internal;
}

std::optional<Space> spaceAhead(const TokenCursor &cursor) {
  static constexpr std::pair<std::string_view, Space> names[] = {
      {"reg", Space::reg},       {"const", Space::constant},
      {"global", Space::global}, {"local", Space::local},
      {"param", Space::param},   {"shared", Space::shared}};
  for (auto [name, space] : names)
    if (cursor.isModifier(name))
      return space;
  return std::nullopt;
}

/// `.attribute(.managed)`: memory is the same from everywhere here.
static void skipAttribute(TokenCursor &cursor) {
  cursor.expect("(");
  while (!cursor.failed() && !cursor.accept(")"))
    if (cursor.take().kind == Token::Kind::end)
      cursor.failExpected("')'");
}

/// `.ptr.global.align 16`: an assumption that nothing here needs.
static void skipPointerAttributes(TokenCursor &cursor) {
  for (std::string_view space : {"const", "global", "local", "shared"})
    cursor.acceptModifier(space);
  if (cursor.acceptModifier("align"))
    cursor.expectInteger("the alignment in bytes");
}

/// Far above what any GPU has; offsets of 64 bits do not overflow with it.
constexpr uint64_t maxAlignment = uint64_t{16} << 20;

/// PTX section 5.4: `.space .align N .v2 .type`, in any order after the space.
static Variable parseDeclarationSpecifiers(TokenCursor &cursor,
                                           Linkage linkage) {
  Variable variable;
  variable.linkage = linkage;
  variable.space = *spaceAhead(cursor);
  cursor.take();
  bool hasType = false;
  while (!cursor.failed() && cursor.token().kind == Token::Kind::modifier) {
    Token word = cursor.take();
    if (word.text == "align") {
      variable.alignment = cursor.expectInteger("the alignment in bytes");
      if (!cursor.failed() && !std::has_single_bit(variable.alignment))
        cursor.fail(
            word.at,
            format("expected an alignment that is a power of two, found {}",
                   {variable.alignment}));
      else if (variable.alignment > maxAlignment)
        cursor.fail(word.at, format("expected an alignment of at most {}, "
                                    "found {}",
                                    {maxAlignment, variable.alignment}));
    } else if (word.text == "v2" || word.text == "v4" || word.text == "v8") {
      variable.vectorWidth = unsigned(word.text[1] - '0');
    } else if (word.text == "attribute") {
      skipAttribute(cursor);
    } else if (word.text == "ptr") {
      skipPointerAttributes(cursor);
    } else if (std::optional<Type> type = typeFromName(word.text)) {
      variable.type = *type;
      hasType = true;
    } else {
      cursor.fail(word.at,
                  "expected a type such as .b32, found " + word.describe());
    }
  }
  if (!hasType)
    cursor.failExpected("a type such as .b32");
  return variable;
}

/// `name`, `%r<10>`, `name[2][3]`.
static void parseDeclarator(TokenCursor &cursor, Variable &variable) {
  variable.name = cursor.expectIdentifier("a name");
  if (cursor.accept("<")) {
    variable.range = cursor.expectInteger("the number of registers");
    if (variable.range > uint64_t{1} << 24)
      cursor.fail(variable.name.at, "expected at most 16777216 registers");
    cursor.expect(">");
  }
  while (!cursor.failed() && cursor.accept("[")) {
    variable.dims.push_back(
        cursor.token().is("]") ? 0 : parseIntegerConstant(cursor));
    cursor.expect("]");
  }
  uint64_t bytes = typeBits(variable.type) / 8 * variable.vectorWidth;
  for (uint64_t size : variable.dims)
    if (size && __builtin_mul_overflow(bytes, size, &bytes))
      cursor.fail(variable.name.at,
                  "expected an array of less than 2^64 bytes");
}

void parseVariables(TokenCursor &cursor, Linkage linkage,
                    std::vector<Variable> &variables) {
  Variable specifiers = parseDeclarationSpecifiers(cursor, linkage);
  do {
    Variable variable;
    variable.space = specifiers.space;
    variable.linkage = specifiers.linkage;
    variable.type = specifiers.type;
    variable.vectorWidth = specifiers.vectorWidth;
    variable.alignment = specifiers.alignment;
    parseDeclarator(cursor, variable);
    if (cursor.accept("="))
      variable.initializer = parseInitializer(cursor);
    if (!cursor.failed())
      variables.push_back(std::move(variable));
  } while (!cursor.failed() && cursor.accept(","));
  cursor.expect(";");
}

std::vector<Variable> parseParameters(TokenCursor &cursor) {
  std::vector<Variable> parameters;
  cursor.expect("(");
  if (cursor.accept(")"))
    return parameters;
  do {
    if (!spaceAhead(cursor)) {
      cursor.failExpected("a parameter (.param or .reg)");
      break;
    }
    Variable variable = parseDeclarationSpecifiers(cursor, Linkage::internal);
    parseDeclarator(cursor, variable);
    parameters.push_back(std::move(variable));
  } while (!cursor.failed() && cursor.accept(","));
  cursor.expect(")");
  return parameters;
}

} // namespace tilewright::emulator::ptx
