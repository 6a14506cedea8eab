#include "frontends/onnx/Pattern.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;
using llvm::Twine;

namespace tilewright::onnx {

std::string onOneLine(StringRef text) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  return llvm::join(lines, "; ");
}

Status Pattern::error(PatternPlace place, const Twine &message) const {
  std::string where =
      std::to_string(place.line) + ":" + std::to_string(place.column);
  return Status::invalidInput("pattern '" + text + "': " + where + ": " +
                              message.str());
}

namespace {

/// A piece of the text. A symbol's kind is its character; "->" is '>'.
struct Token {
  enum Kind : char { end = 0, name = 'a', number = '0', string = '"' };
  char kind = end;
  std::string text;
  PatternPlace place;
};

class Parser {
public:
  explicit Parser(StringRef text) : text(text) {
    pattern.text = onOneLine(text);
  }

  StatusOr<Pattern> run() {
    advance();
    skipEnds();
    if (succeeded() && is('('))
      parseHeader();
    skipEnds();
    do {
      parseStatement();
      skipEnds();
    } while (succeeded() && !is(Token::end));
    if (succeeded())
      finish();
    if (message.empty())
      return std::move(pattern);
    return pattern.error(messagePlace, message);
  }

private:
  // Tokens.
  void advance();
  void skipBlanks();
  /// Ends of lines and statements.
  void skipEnds() {
    while (succeeded() && is(';'))
      advance();
  }
  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  void take() {
    token.text += text[at];
    step();
  }
  void step() {
    bool isLine = text[at++] == '\n';
    place.line += isLine;
    place.column = isLine ? 1 : place.column + 1;
  }
  bool is(char kind) const { return token.kind == kind; }
  bool succeeded() const { return message.empty(); }
  void fail(PatternPlace where, const Twine &what) {
    if (message.empty())
      message = what.str(), messagePlace = where;
  }
  void failExpected(const Twine &what) {
    fail(token.place, "expected " + what + ", found " +
                          (is(Token::end) ? std::string("the end")
                           : is(';')      ? std::string("the line's end")
                                          : "'" + token.text + "'"));
  }
  bool expect(char kind, const Twine &what) {
    if (!is(kind))
      failExpected(what);
    if (succeeded())
      advance();
    return succeeded();
  }

  // Grammar.
  void parseHeader();
  void parseStatement();
  size_t parseCall(const Token &op);
  PatternOperand parseOperand();
  PatternNumbers parseNumbers();
  double parseNumber(PatternNumbers &into);
  void parseAttribute(PatternNode &node);
  std::vector<Token> parseNames();
  size_t valueNamed(const Token &name);
  void define(size_t node, const std::vector<Token> &names);
  void finish();
  void finishInterface();

  StringRef text;
  Pattern pattern;
  std::string message;
  PatternPlace messagePlace;
  size_t at = 0;
  /// Of brackets, in which a line's end is a blank.
  unsigned depth = 0;
  PatternPlace place;
  Token token;
  bool hasHeader = false;
  std::vector<Token> headerInputs, headerOutputs;
};

} // namespace

//===--- Tokens -----------------------------------------------------------===//

void Parser::skipBlanks() {
  while (char c = peek()) {
    if (c == '#') {
      while (peek() && peek() != '\n')
        step();
    } else if (llvm::isSpace(c) && (c != '\n' || depth > 0)) {
      step();
    } else {
      return;
    }
  }
}

void Parser::advance() {
  skipBlanks();
  token = {Token::end, "", place};
  char c = peek();
  if (c == '\0')
    return;
  if (llvm::isAlpha(c) || c == '_') {
    token.kind = Token::name;
    while (llvm::isAlnum(peek()) || peek() == '_' || peek() == '.')
      take();
  } else if (llvm::isDigit(c) || c == '.' ||
             (c == '-' && (llvm::isDigit(peek(1)) || peek(1) == '.'))) {
    token.kind = Token::number;
    take();
    while (llvm::isAlnum(peek()) || peek() == '.' ||
           ((peek() == '-' || peek() == '+') &&
            llvm::toLower(token.text.back()) == 'e'))
      take();
  } else if (c == '"') {
    token.kind = Token::string;
    step();
    while (peek() && peek() != '"')
      take();
    if (!peek())
      return fail(token.place, "a string has no end");
    step();
  } else if (c == '-' && peek(1) == '>') {
    token.kind = '>';
    take();
    take();
  } else if (c == '\n' || c == ';') {
    token.kind = ';';
    take();
  } else if (StringRef("(){}[],=").contains(c)) {
    token.kind = c;
    take();
    depth += StringRef("({[").contains(c);
    depth -= depth > 0 && StringRef(")}]").contains(c);
  } else {
    fail(place, "'" + Twine(c) + "' has no meaning in a pattern");
  }
}

//===--- Grammar ----------------------------------------------------------===//

/// NAME, NAME, ...
std::vector<Token> Parser::parseNames() {
  std::vector<Token> names;
  do {
    if (!names.empty())
      advance();
    names.push_back(token);
  } while (expect(Token::name, "a name") && is(','));
  return names;
}

/// (x, w) -> (y)
void Parser::parseHeader() {
  hasHeader = true;
  advance();
  if (!is(')'))
    headerInputs = parseNames();
  if (!expect(')', "',' or ')'") || !expect('>', "'->'") || !expect('(', "'('"))
    return;
  headerOutputs = parseNames();
  expect(')', "',' or ')'");
}

size_t Parser::valueNamed(const Token &name) {
  for (auto [i, value] : llvm::enumerate(pattern.values))
    if (value.name == name.text)
      return i;
  pattern.values.push_back({name.text, name.place, -1});
  return pattern.values.size() - 1;
}

/// Gives the results of a node names.
void Parser::define(size_t node, const std::vector<Token> &names) {
  for (const Token &name : names) {
    size_t before = pattern.values.size();
    size_t value = valueNamed(name);
    if (value < before)
      return fail(name.place,
                  "'" + name.text + "' is " +
                      (pattern.values[value].node < 0
                           ? "read before"
                           : "defined twice, first") +
                      " at " + Twine(pattern.values[value].place.line) + ":" +
                      Twine(pattern.values[value].place.column));
    pattern.values[value].node = int(node);
    pattern.nodes[node].results.push_back(value);
  }
}

/// NAME, ... = OP(...) {...}
void Parser::parseStatement() {
  std::vector<Token> names = parseNames();
  if (!succeeded() || !expect('=', "',' or '='"))
    return;
  Token op = token;
  if (!expect(Token::name, "an operator"))
    return;
  if (!is('('))
    return failExpected("'(' behind the operator '" + op.text + "'");
  size_t node = parseCall(op);
  if (succeeded() && !is(';') && !is(Token::end))
    return failExpected("the line's end or ';'");
  if (succeeded())
    define(node, names);
}

/// Behind the operator: (OPERAND, ...) {ATTRIBUTE, ...}. Gives the node.
size_t Parser::parseCall(const Token &op) {
  PatternNode node;
  std::tie(node.domain, node.op) =
      std::pair(StringRef(op.text).contains('.')
                    ? StringRef(op.text).rsplit('.').first.str()
                    : std::string(),
                StringRef(op.text).rsplit('.').second.str());
  if (node.op.empty())
    node.op = op.text;
  node.place = op.place;
  size_t begin = at - 1;
  advance();
  while (succeeded() && !is(')')) {
    node.operands.push_back(parseOperand());
    if (succeeded() && !is(')') && !expect(',', "',' or ')'"))
      return 0;
  }
  size_t end = at;
  if (!expect(')', "')'"))
    return 0;
  if (is('{')) {
    advance();
    while (succeeded() && !is('}')) {
      parseAttribute(node);
      if (succeeded() && !is('}') && !expect(',', "',' or '}'"))
        return 0;
    }
    end = at;
    expect('}', "'}'");
  }
  node.text = op.text + text.substr(begin, end - begin).str();
  pattern.nodes.push_back(std::move(node));
  return pattern.nodes.size() - 1;
}

PatternOperand Parser::parseOperand() {
  PatternOperand operand;
  if (is(Token::number) || is('[')) {
    operand.kind = PatternOperand::Kind::constant;
    operand.constant = parseNumbers();
    return operand;
  }
  Token name = token;
  if (!expect(Token::name, "an operand") || name.text == "_")
    return operand;
  operand.kind = PatternOperand::Kind::value;
  if (!is('(')) {
    operand.value = valueNamed(name);
    return operand;
  }
  size_t node = parseCall(name);
  if (!succeeded())
    return operand;
  pattern.values.push_back({"", name.place, int(node)});
  operand.value = pattern.values.size() - 1;
  pattern.nodes[node].results.push_back(operand.value);
  return operand;
}

double Parser::parseNumber(PatternNumbers &into) {
  Token number = token;
  double value = 0;
  if (!expect(Token::number, "a number"))
    return 0;
  if (StringRef(number.text).getAsDouble(value))
    fail(number.place, "'" + number.text + "' is no number");
  into.areIntegers &=
      StringRef(number.text).find_first_of(".eE") == StringRef::npos;
  into.text += (into.values.empty() ? "" : ", ") + number.text;
  return value;
}

PatternNumbers Parser::parseNumbers() {
  PatternNumbers numbers;
  numbers.isList = is('[');
  if (!numbers.isList) {
    numbers.values.push_back(parseNumber(numbers));
    return numbers;
  }
  advance();
  while (succeeded() && !is(']')) {
    numbers.values.push_back(parseNumber(numbers));
    if (succeeded() && !is(']'))
      expect(',', "',' or ']'");
  }
  expect(']', "']'");
  numbers.text = "[" + numbers.text + "]";
  return numbers;
}

void Parser::parseAttribute(PatternNode &node) {
  Token name = token;
  if (!expect(Token::name, "an attribute's name") || !expect('=', "'='"))
    return;
  PatternAttribute attribute{name.text, {}};
  if (is(Token::string)) {
    attribute.value = token.text;
    advance();
  } else if (is(Token::number) || is('[')) {
    attribute.value = parseNumbers();
  } else {
    return failExpected("a number, a list of numbers or a string");
  }
  node.attributes.push_back(std::move(attribute));
}

//===--- Inputs and outputs -----------------------------------------------===//

/// The header's names are the interface.
void Parser::finishInterface() {
  auto find = [&](const Token &name) -> PatternValue * {
    for (PatternValue &value : pattern.values)
      if (value.name == name.text)
        return &value;
    fail(name.place, "'" + name.text + "' does not occur in the pattern");
    return nullptr;
  };
  for (const Token &name : headerInputs) {
    PatternValue *value = find(name);
    if (value && value->node >= 0)
      fail(name.place, "'" + name.text + "' is an input, but a node gives it");
    if (value)
      pattern.inputs.push_back(value - pattern.values.data());
  }
  for (const Token &name : headerOutputs) {
    PatternValue *value = find(name);
    if (value && value->node < 0)
      fail(name.place, "'" + name.text +
                           "' is an output, but no node gives "
                           "it");
    if (value)
      pattern.outputs.push_back(value - pattern.values.data());
  }
  for (auto [i, value] : llvm::enumerate(pattern.values))
    if (value.node < 0 && !llvm::is_contained(pattern.inputs, i))
      fail(value.place, "'" + value.name +
                            "' is not among the inputs of the "
                            "pattern's first line");
}

void Parser::finish() {
  if (hasHeader)
    return finishInterface();
  llvm::SmallVector<bool> isRead(pattern.values.size(), false);
  for (const PatternNode &node : pattern.nodes)
    for (const PatternOperand &operand : node.operands)
      if (operand.kind == PatternOperand::Kind::value)
        isRead[operand.value] = true;
  for (auto [i, value] : llvm::enumerate(pattern.values)) {
    if (value.node < 0)
      pattern.inputs.push_back(i);
    else if (!isRead[i])
      pattern.outputs.push_back(i);
  }
}

StatusOr<Pattern> parsePattern(StringRef text) { return Parser(text).run(); }

} // namespace tilewright::onnx
