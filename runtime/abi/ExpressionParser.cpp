#include "runtime/abi/ExpressionNode.h"
#include "support/Format.h"
#include "tilewright/manifest/Expression.h"
#include <charconv>

namespace tilewright::runtime {

/// Longer or deeper texts are rejected, so that recursion stays shallow.
static constexpr size_t maximumLength = 65536;
static constexpr unsigned maximumDepth = 200;

/// Recursive descent; one function for each rule of the grammar.
class ExpressionParser {
public:
  explicit ExpressionParser(std::string_view text) : text(text) {}

  StatusOr<Expression> parse() {
    if (text.size() > maximumLength)
      return Status::invalidInput(
          format("expression of {} characters; at most {} are allowed",
                 {text.size(), maximumLength}));
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression result, sum());
    skipBlanks();
    if (position != text.size())
      return expected("an operator or the end");
    return result;
  }

private:
  using Op = Expression::Op;

  static Expression make(Op op, Expression lhs, Expression rhs) {
    return Expression(std::make_shared<Expression::Node>(
        Expression::Node{op, 0, {}, lhs.node, rhs.node}));
  }

  StatusOr<Expression> sum() {
    if (++depth > maximumDepth)
      return Status::invalidInput(
          format("expression '{}' is nested too deeply", {text}));
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression lhs, product());
    while (true) {
      bool plus = take('+');
      if (!plus && !take('-'))
        break;
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression rhs, product());
      lhs = make(plus ? Op::add : Op::subtract, lhs, rhs);
    }
    --depth;
    return lhs;
  }

  StatusOr<Expression> product() {
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression lhs, unary());
    while (take('*')) {
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression rhs, unary());
      lhs = make(Op::multiply, lhs, rhs);
    }
    return lhs;
  }

  StatusOr<Expression> unary() {
    skipBlanks();
    bool minus = peek() == '-';
    char digit = position + minus < text.size() ? text[position + minus] : 0;
    if (digit >= '0' && digit <= '9')
      return integer();
    if (minus) {
      ++position;
      if (++depth > maximumDepth)
        return expected("fewer signs");
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression operand, unary());
      --depth;
      return Expression(std::make_shared<Expression::Node>(
          Expression::Node{Op::negate, 0, {}, operand.node, nullptr}));
    }
    if (take('(')) {
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression inner, sum());
      if (!take(')'))
        return expected("')'");
      return inner;
    }
    return nameOrCall();
  }

  StatusOr<Expression> integer() {
    int64_t value = 0;
    const char *begin = text.data() + position;
    auto [end, error] =
        std::from_chars(begin, text.data() + text.size(), value);
    if (error != std::errc())
      return expected("an integer of 64 bits");
    position += static_cast<size_t>(end - begin);
    if (isNameRest(peek()))
      return expected("an operator after the integer");
    return Expression(value);
  }

  StatusOr<Expression> nameOrCall() {
    if (!isNameStart(peek()))
      return expected("a name, an integer or '('");
    size_t begin = position;
    while (isNameRest(peek()))
      ++position;
    std::string_view name = text.substr(begin, position - begin);
    if (!take('('))
      return Expression::symbol(std::string(name));
    for (const ExpressionFunction &function : expressionFunctions)
      if (function.name == name)
        return call(function);
    position = begin;
    return expected("one of the functions ceildiv, floordiv, mod, min, max");
  }

  StatusOr<Expression> call(const ExpressionFunction &function) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression lhs, sum());
    if (!take(','))
      return expected("',' and a second argument");
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression rhs, sum());
    if (!take(')'))
      return expected("')'");
    return make(function.op, lhs, rhs);
  }

  char peek() const { return position < text.size() ? text[position] : 0; }
  void skipBlanks() {
    while (peek() == ' ' || peek() == '\t')
      ++position;
  }
  bool take(char c) {
    skipBlanks();
    if (peek() != c)
      return false;
    ++position;
    return true;
  }
  Status expected(std::string_view what) {
    std::string found = position < text.size()
                            ? format("'{}'", {text.substr(position, 20)})
                            : std::string("the end");
    return Status::invalidInput(
        format("expression '{}', column {}: expected {}, found {}",
               {text, position + 1, what, found}));
  }

  std::string_view text;
  size_t position = 0;
  unsigned depth = 0;
};

StatusOr<Expression> Expression::parse(std::string_view text) {
  return ExpressionParser(text).parse();
}

} // namespace tilewright::runtime
