#include "runtime/emulator/ptx/Parser.h"
#include "runtime/emulator/ptx/Statements.h"
#include "runtime/emulator/ptx/Variables.h"
#include "support/Format.h"

namespace tilewright::emulator::ptx {

//===--- Functions --------------------------------------------------------===//

/// PTX section 11.4.
static void parseFunctionDirectives(TokenCursor &cursor, Function &function) {
  while (!cursor.failed() && cursor.token().kind == Token::Kind::modifier) {
    Token name = cursor.take();
    Directive directive{{name.text, name.at}, {}};
    if (name.text == "pragma") {
      cursor.take();
      cursor.expect(";");
      continue;
    }
    if (cursor.token().kind == Token::Kind::integer)
      do
        directive.values.push_back(cursor.expectInteger("an integer"));
      while (!cursor.failed() && cursor.accept(","));
    function.directives.push_back(std::move(directive));
  }
}

static void parseFunction(TokenCursor &cursor, Module &module,
                          Linkage linkage) {
  Function function;
  function.linkage = linkage;
  function.isEntry = cursor.take().text == "entry";
  // Attributes of functions, such as .attribute(.unified(...)).
  if (cursor.acceptModifier("attribute"))
    return cursor.fail(cursor.token().at,
                       ".attribute of functions is not supported");
  if (cursor.token().is("("))
    function.results = parseParameters(cursor);
  function.name = cursor.expectIdentifier("the function's name");
  if (cursor.token().is("("))
    function.parameters = parseParameters(cursor);
  parseFunctionDirectives(cursor, function);
  if (!cursor.accept(";")) {
    if (!cursor.token().is("{"))
      return cursor.failExpected("'{', ';' or a directive of the function");
    function.body = parseBlock(cursor);
  }
  if (!cursor.failed())
    module.functions.push_back(std::move(function));
}

//===--- The file ---------------------------------------------------------===//

static void parseVersion(TokenCursor &cursor, Module &module) {
  Token version = cursor.take();
  size_t point = version.text.find('.');
  if (version.kind != Token::Kind::real || point == std::string_view::npos)
    return cursor.fail(version.at, "expected a version such as 8.0, found " +
                                       version.describe());
  for (char c : version.text.substr(0, point))
    module.versionMajor = module.versionMajor * 10 + unsigned(c - '0');
  for (char c : version.text.substr(point + 1))
    module.versionMinor = module.versionMinor * 10 + unsigned(c - '0');
  if (module.versionMajor < 6 || module.versionMajor > 9)
    return cursor.fail(version.at,
                       "expected a version from 6.0 to 9.x, found " +
                           version.describe());
}

/// PTX section 11.1.
static void parseHeader(TokenCursor &cursor, Module &module) {
  if (!cursor.acceptModifier("version"))
    cursor.failExpected("'.version' at the start");
  parseVersion(cursor, module);
  if (!cursor.acceptModifier("target"))
    cursor.failExpected("'.target'");
  module.target = cursor.expectIdentifier("a target such as sm_80").text;
  // Texture modes, `debug`, and the like.
  while (!cursor.failed() && cursor.accept(","))
    cursor.expectIdentifier("a target option");
  if (cursor.acceptModifier("address_size")) {
    Location at = cursor.token().at;
    module.addressSize = unsigned(cursor.expectInteger("64"));
    if (!cursor.failed() && module.addressSize != 64)
      cursor.fail(
          at, format("expected .address_size 64, found {}; 32-bit addresses "
                     "are not supported",
                     {module.addressSize}));
  }
}

/// Debug information: nothing that a run depends on.
static void skipSection(TokenCursor &cursor) {
  cursor.take();
  cursor.expect("{");
  for (unsigned open = 1; !cursor.failed() && open;) {
    if (cursor.token().kind == Token::Kind::end)
      return cursor.failExpected("'}'");
    Token skipped = cursor.take();
    open += skipped.is("{") ? 1 : 0;
    open -= skipped.is("}") ? 1 : 0;
  }
}

/// `.file 1 "a.cu", time, size`, from the number on.
static void parseSourceFile(TokenCursor &cursor, Module &module) {
  SourceFile file;
  file.number = unsigned(cursor.expectInteger("the file's number"));
  if (cursor.token().kind != Token::Kind::string)
    return cursor.failExpected("the file's name in quotes");
  file.path = cursor.take().text;
  while (!cursor.failed() && cursor.accept(","))
    cursor.expectInteger("the file's time or size");
  module.files.push_back(file);
}

static void parseTopLevel(TokenCursor &cursor, Module &module) {
  if (cursor.acceptModifier("file"))
    return parseSourceFile(cursor, module);
  if (cursor.acceptModifier("section"))
    return skipSection(cursor);
  if (cursor.acceptModifier("pragma")) {
    cursor.take();
    return cursor.expect(";");
  }
  if (cursor.isModifier("alias"))
    return cursor.fail(cursor.token().at, ".alias is not supported");
  Linkage linkage = parseLinkage(cursor);
  if (cursor.isModifier("entry") || cursor.isModifier("func"))
    return parseFunction(cursor, module, linkage);
  if (spaceAhead(cursor))
    return parseVariables(cursor, linkage, module.variables);
  cursor.failExpected(
      "a function or a variable (.entry, .func, .global, .const, "
      ".shared)");
}

StatusOr<Module> parse(std::string_view text) {
  Module module;
  module.text = std::make_unique<const std::string>(text);
  StatusOr<std::vector<Token>> tokens = tokenize(*module.text);
  if (!tokens)
    return tokens.status();
  TokenCursor cursor(std::move(*tokens));
  parseHeader(cursor, module);
  while (!cursor.failed() && cursor.token().kind != Token::Kind::end)
    parseTopLevel(cursor, module);
  if (cursor.failed())
    return cursor.status();
  return module;
}

} // namespace tilewright::emulator::ptx
