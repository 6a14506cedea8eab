#include "runtime/emulator/ptx/Parser.h"
#include "runtime/emulator/ptx/ParserImpl.h"
#include "support/Format.h"

namespace tilewright::emulator::ptx {

//===--- Tokens -----------------------------------------------------------===//

const Token &Parser::token(size_t ahead) const {
  return tokens[std::min(next + ahead, tokens.size() - 1)];
}

Token Parser::take() {
  Token taken = token();
  if (next + 1 < tokens.size())
    ++next;
  return taken;
}

bool Parser::accept(std::string_view punctuation) {
  if (!token().is(punctuation))
    return false;
  take();
  return true;
}

bool Parser::isModifier(std::string_view text) const {
  return token().kind == Token::Kind::modifier && token().text == text;
}

bool Parser::acceptModifier(std::string_view text) {
  if (!isModifier(text))
    return false;
  take();
  return true;
}

void Parser::fail(Location at, std::string_view message) {
  if (!failed())
    error = errorAt(at, message);
}

void Parser::failExpected(std::string_view what) {
  fail(token().at, format("expected {}, found {}", {what, token().describe()}));
}

void Parser::expect(std::string_view punctuation) {
  if (!accept(punctuation))
    failExpected(format("'{}'", {punctuation}));
}

Word Parser::expectIdentifier(std::string_view what) {
  if (token().kind != Token::Kind::identifier) {
    failExpected(what);
    return {};
  }
  Token taken = take();
  return {taken.text, taken.at};
}

uint64_t Parser::expectInteger(std::string_view what) {
  if (token().kind != Token::Kind::integer) {
    failExpected(what);
    return 0;
  }
  return take().value;
}

Parser::Nested::Nested(Parser &parser) : parser(parser) {
  if (++parser.depth > 100)
    parser.fail(parser.token().at, "expected at most 100 nested scopes, "
                                   "lists or parentheses");
}

//===--- The file ---------------------------------------------------------===//

bool Parser::parseModule(Module &module) {
  parseHeader(module);
  while (!failed() && token().kind != Token::Kind::end)
    parseTopLevel(module);
  return !failed();
}

/// PTX section 11.1.
void Parser::parseHeader(Module &module) {
  if (!acceptModifier("version"))
    failExpected("'.version' at the start");
  Token version = take();
  size_t point = version.text.find('.');
  if (version.kind != Token::Kind::real || point == std::string_view::npos)
    return fail(version.at,
                "expected a version such as 8.0, found " + version.describe());
  for (char c : version.text.substr(0, point))
    module.versionMajor = module.versionMajor * 10 + unsigned(c - '0');
  for (char c : version.text.substr(point + 1))
    module.versionMinor = module.versionMinor * 10 + unsigned(c - '0');
  if (module.versionMajor < 6 || module.versionMajor > 9)
    return fail(version.at, "expected a version from 6.0 to 9.x, found " +
                                version.describe());
  if (!acceptModifier("target"))
    failExpected("'.target'");
  module.target = expectIdentifier("a target such as sm_80").text;
  // Texture modes, `debug`, and the like.
  while (!failed() && accept(","))
    expectIdentifier("a target option");
  if (acceptModifier("address_size")) {
    Location at = token().at;
    module.addressSize = unsigned(expectInteger("64"));
    if (!failed() && module.addressSize != 64)
      fail(at, format("expected .address_size 64, found {}; 32-bit addresses "
                      "are not supported",
                      {module.addressSize}));
  }
}

void Parser::parseTopLevel(Module &module) {
  if (acceptModifier("file")) {
    SourceFile file;
    file.number = unsigned(expectInteger("the file's number"));
    if (token().kind != Token::Kind::string)
      return failExpected("the file's name in quotes");
    file.path = take().text;
    while (!failed() && accept(","))
      expectInteger("the file's time or size");
    module.files.push_back(file);
    return;
  }
  if (acceptModifier("section"))
    return skipSection();
  if (acceptModifier("pragma")) {
    take();
    return expect(";");
  }
  if (isModifier("alias"))
    return fail(token().at, ".alias is not supported");
  Linkage linkage = parseLinkage();
  if (isModifier("entry") || isModifier("func"))
    return parseFunction(module, linkage);
  if (spaceAhead())
    return parseVariables(linkage, module.variables);
  failExpected("a function or a variable (.entry, .func, .global, .const, "
               ".shared)");
}

/// Debug information: nothing that a run depends on.
void Parser::skipSection() {
  take();
  expect("{");
  for (unsigned open = 1; !failed() && open;) {
    if (token().kind == Token::Kind::end)
      return failExpected("'}'");
    Token skipped = take();
    open += skipped.is("{") ? 1 : 0;
    open -= skipped.is("}") ? 1 : 0;
  }
}

Linkage Parser::parseLinkage() {
  static constexpr std::pair<std::string_view, Linkage> names[] = {
      {"extern", Linkage::external},
      {"visible", Linkage::visible},
      {"weak", Linkage::weak},
      {"common", Linkage::common}};
  for (auto [name, linkage] : names)
    if (acceptModifier(name))
      return linkage;
  return Linkage::internal;
}

//===--- Functions --------------------------------------------------------===//

void Parser::parseFunction(Module &module, Linkage linkage) {
  Function function;
  function.linkage = linkage;
  function.isEntry = take().text == "entry";
  // Attributes of functions, such as .attribute(.unified(...)).
  if (acceptModifier("attribute"))
    return fail(token().at, ".attribute of functions is not supported");
  if (token().is("("))
    function.results = parseParameters();
  function.name = expectIdentifier("the function's name");
  if (token().is("("))
    function.parameters = parseParameters();
  parseFunctionDirectives(function);
  if (!accept(";")) {
    if (!token().is("{"))
      return failExpected("'{', ';' or a directive of the function");
    function.body = parseBlock();
  }
  if (!failed())
    module.functions.push_back(std::move(function));
}

/// PTX section 11.4.
void Parser::parseFunctionDirectives(Function &function) {
  while (!failed() && token().kind == Token::Kind::modifier) {
    Token name = take();
    Directive directive{{name.text, name.at}, {}};
    if (name.text == "pragma") {
      take();
      expect(";");
      continue;
    }
    if (token().kind == Token::Kind::integer)
      do
        directive.values.push_back(expectInteger("an integer"));
      while (!failed() && accept(","));
    function.directives.push_back(std::move(directive));
  }
}

std::vector<Variable> Parser::parseParameters() {
  std::vector<Variable> parameters;
  expect("(");
  if (accept(")"))
    return parameters;
  do {
    if (!spaceAhead()) {
      failExpected("a parameter (.param or .reg)");
      break;
    }
    Variable variable = parseDeclarationSpecifiers(Linkage::internal);
    parseDeclarator(variable);
    parameters.push_back(std::move(variable));
  } while (!failed() && accept(","));
  expect(")");
  return parameters;
}

StatusOr<Module> parse(std::string_view text) {
  Module module;
  module.text = std::make_unique<const std::string>(text);
  StatusOr<std::vector<Token>> tokens = tokenize(*module.text);
  if (!tokens)
    return tokens.status();
  Parser parser(std::move(*tokens));
  if (!parser.parseModule(module))
    return parser.error;
  return module;
}

} // namespace tilewright::emulator::ptx
