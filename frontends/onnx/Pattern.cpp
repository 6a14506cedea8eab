#include "frontends/onnx/Pattern.h"

#include "frontends/onnx/PatternLexer.h"

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

Status Pattern::error(PatternLocation location, const Twine &message) const {
  std::string where =
      std::to_string(location.line) + ":" + std::to_string(location.column);
  return Status::invalidInput("pattern '" + text + "': " + where + ": " +
                              message.str());
}

namespace {

using Token = PatternToken;

class Parser {
public:
  explicit Parser(StringRef text) : lexer(text) {
    pattern.text = onOneLine(text);
  }

  StatusOr<Pattern> run() {
    lexer.advance();
    lexer.skipEnds();
    if (lexer.succeeded() && lexer.is('('))
      parseHeader();
    lexer.skipEnds();
    do {
      parseStatement();
      lexer.skipEnds();
    } while (lexer.succeeded() && !lexer.is(Token::end));
    if (lexer.succeeded())
      finish();
    if (lexer.succeeded())
      return std::move(pattern);
    return pattern.error(lexer.messageLocation, lexer.message);
  }

private:
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

  PatternLexer lexer;
  Pattern pattern;
  bool hasHeader = false;
  std::vector<Token> headerInputs, headerOutputs;
};

} // namespace

//===--- Grammar ----------------------------------------------------------===//

/// NAME, NAME, ...
std::vector<Token> Parser::parseNames() {
  std::vector<Token> names;
  do {
    if (!names.empty())
      lexer.advance();
    names.push_back(lexer.token);
  } while (lexer.expect(Token::name, "a name") && lexer.is(','));
  return names;
}

/// (x, w) -> (y)
void Parser::parseHeader() {
  hasHeader = true;
  lexer.advance();
  if (!lexer.is(')'))
    headerInputs = parseNames();
  if (!lexer.expect(')', "',' or ')'") || !lexer.expect('>', "'->'") ||
      !lexer.expect('(', "'('"))
    return;
  headerOutputs = parseNames();
  lexer.expect(')', "',' or ')'");
}

size_t Parser::valueNamed(const Token &name) {
  for (auto [i, value] : llvm::enumerate(pattern.values))
    if (value.name == name.text)
      return i;
  pattern.values.push_back({name.text, name.location, -1});
  return pattern.values.size() - 1;
}

/// Names the results of a node.
void Parser::define(size_t node, const std::vector<Token> &names) {
  for (const Token &name : names) {
    size_t before = pattern.values.size();
    size_t value = valueNamed(name);
    if (value < before)
      return lexer.fail(
          name.location,
          "'" + name.text + "' is " +
              (pattern.values[value].node < 0 ? "read before"
                                              : "defined twice, first") +
              " at " + Twine(pattern.values[value].location.line) + ":" +
              Twine(pattern.values[value].location.column));
    pattern.values[value].node = int(node);
    pattern.nodes[node].results.push_back(value);
  }
}

/// NAME, ... = OP(...) {...}
void Parser::parseStatement() {
  std::vector<Token> names = parseNames();
  if (!lexer.succeeded() || !lexer.expect('=', "',' or '='"))
    return;
  Token op = lexer.token;
  if (!lexer.expect(Token::name, "an operator"))
    return;
  if (!lexer.is('('))
    return lexer.failExpected("'(' behind the operator '" + op.text + "'");
  size_t node = parseCall(op);
  if (lexer.succeeded() && !lexer.is(';') && !lexer.is(Token::end))
    return lexer.failExpected("the line's end or ';'");
  if (lexer.succeeded())
    define(node, names);
}

/// After the operator: (OPERAND, ...) {ATTRIBUTE, ...}. Returns the node.
size_t Parser::parseCall(const Token &op) {
  PatternNode node;
  std::tie(node.domain, node.op) =
      std::pair(StringRef(op.text).contains('.')
                    ? StringRef(op.text).rsplit('.').first.str()
                    : std::string(),
                StringRef(op.text).rsplit('.').second.str());
  if (node.op.empty())
    node.op = op.text;
  node.location = op.location;
  size_t begin = lexer.at - 1;
  lexer.advance();
  while (lexer.succeeded() && !lexer.is(')')) {
    node.operands.push_back(parseOperand());
    if (lexer.succeeded() && !lexer.is(')') && !lexer.expect(',', "',' or ')'"))
      return 0;
  }
  size_t end = lexer.at;
  if (!lexer.expect(')', "')'"))
    return 0;
  if (lexer.is('{')) {
    lexer.advance();
    while (lexer.succeeded() && !lexer.is('}')) {
      parseAttribute(node);
      if (lexer.succeeded() && !lexer.is('}') &&
          !lexer.expect(',', "',' or '}'"))
        return 0;
    }
    end = lexer.at;
    lexer.expect('}', "'}'");
  }
  node.text = op.text + lexer.text.substr(begin, end - begin).str();
  pattern.nodes.push_back(std::move(node));
  return pattern.nodes.size() - 1;
}

PatternOperand Parser::parseOperand() {
  PatternOperand operand;
  if (lexer.is(Token::number) || lexer.is('[')) {
    operand.kind = PatternOperand::Kind::constant;
    operand.constant = parseNumbers();
    return operand;
  }
  Token name = lexer.token;
  if (!lexer.expect(Token::name, "an operand") || name.text == "_")
    return operand;
  operand.kind = PatternOperand::Kind::value;
  if (!lexer.is('(')) {
    operand.value = valueNamed(name);
    return operand;
  }
  size_t node = parseCall(name);
  if (!lexer.succeeded())
    return operand;
  pattern.values.push_back({"", name.location, int(node)});
  operand.value = pattern.values.size() - 1;
  pattern.nodes[node].results.push_back(operand.value);
  return operand;
}

double Parser::parseNumber(PatternNumbers &into) {
  Token number = lexer.token;
  double value = 0;
  if (!lexer.expect(Token::number, "a number"))
    return 0;
  if (StringRef(number.text).getAsDouble(value))
    lexer.fail(number.location, "'" + number.text + "' is no number");
  into.areIntegers &=
      StringRef(number.text).find_first_of(".eE") == StringRef::npos;
  into.text += (into.values.empty() ? "" : ", ") + number.text;
  return value;
}

PatternNumbers Parser::parseNumbers() {
  PatternNumbers numbers;
  numbers.isList = lexer.is('[');
  if (!numbers.isList) {
    numbers.values.push_back(parseNumber(numbers));
    return numbers;
  }
  lexer.advance();
  while (lexer.succeeded() && !lexer.is(']')) {
    numbers.values.push_back(parseNumber(numbers));
    if (lexer.succeeded() && !lexer.is(']'))
      lexer.expect(',', "',' or ']'");
  }
  lexer.expect(']', "']'");
  numbers.text = "[" + numbers.text + "]";
  return numbers;
}

void Parser::parseAttribute(PatternNode &node) {
  Token name = lexer.token;
  if (!lexer.expect(Token::name, "an attribute's name") ||
      !lexer.expect('=', "'='"))
    return;
  PatternAttribute attribute{name.text, {}};
  if (lexer.is(Token::string)) {
    attribute.value = lexer.token.text;
    lexer.advance();
  } else if (lexer.is(Token::number) || lexer.is('[')) {
    attribute.value = parseNumbers();
  } else {
    return lexer.failExpected("a number, a list of numbers or a string");
  }
  node.attributes.push_back(std::move(attribute));
}

//===--- Inputs and outputs -----------------------------------------------===//

/// The names in the header are the interface.
void Parser::finishInterface() {
  auto find = [&](const Token &name) -> PatternValue * {
    for (PatternValue &value : pattern.values)
      if (value.name == name.text)
        return &value;
    lexer.fail(name.location,
               "'" + name.text + "' does not occur in the pattern");
    return nullptr;
  };
  for (const Token &name : headerInputs) {
    PatternValue *value = find(name);
    if (value && value->node >= 0)
      lexer.fail(name.location,
                 "'" + name.text + "' is an input, but a node gives it");
    if (value)
      pattern.inputs.push_back(value - pattern.values.data());
  }
  for (const Token &name : headerOutputs) {
    PatternValue *value = find(name);
    if (value && value->node < 0)
      lexer.fail(name.location, "'" + name.text +
                                    "' is an output, but no node gives "
                                    "it");
    if (value)
      pattern.outputs.push_back(value - pattern.values.data());
  }
  for (auto [i, value] : llvm::enumerate(pattern.values))
    if (value.node < 0 && !llvm::is_contained(pattern.inputs, i))
      lexer.fail(value.location, "'" + value.name +
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
