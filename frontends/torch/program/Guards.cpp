// Conditions as Python writes them.
#include "frontends/torch/program/Expressions.h"
#include "frontends/torch/program/Lexer.h"

namespace tilewright::torch {
namespace {

/// Conditions in Python.
class Python {
  using Kind = Expression::Kind;

public:
  explicit Python(std::string_view text) : lexer(text) {}

  StatusOr<Expression> all() {
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression result, disjunction(0));
    if (!lexer.atEnd())
      return lexer.wrong("its end");
    return result;
  }

private:
  using Parse = StatusOr<Expression> (Python::*)(int);

  /// Operands joined by a word.
  StatusOr<Expression> joined(std::string_view word, Kind kind, Parse part,
                              int level) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression left, (this->*part)(level));
    while (lexer.takeWord(word)) {
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression right, (this->*part)(level));
      left = make(kind, {std::move(left), std::move(right)});
    }
    return left;
  }
  StatusOr<Expression> disjunction(int level) {
    if (level > mostLevels)
      return lexer.wrong("fewer levels");
    return joined("or", Kind::Or, &Python::conjunction, level);
  }
  StatusOr<Expression> conjunction(int level) {
    return joined("and", Kind::And, &Python::negation, level);
  }
  StatusOr<Expression> negation(int level) {
    if (level > mostLevels)
      return lexer.wrong("fewer levels");
    if (!lexer.takeWord("not"))
      return comparison(level);
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression operand, negation(level + 1));
    return make(Kind::Not, {std::move(operand)});
  }

  /// Comparisons may be chained: 2 <= a < 5.
  StatusOr<Expression> comparison(int level) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression left, sum(level));
    std::optional<Expression> result;
    while (true) {
      Kind kind;
      bool swapped = false;
      if (lexer.take("=="))
        kind = Kind::Equal;
      else if (lexer.take("!="))
        kind = Kind::NotEqual;
      else if (lexer.take("<="))
        kind = Kind::LessEqual;
      else if (lexer.take(">="))
        kind = Kind::LessEqual, swapped = true;
      else if (lexer.take("<"))
        kind = Kind::Less;
      else if (lexer.take(">"))
        kind = Kind::Less, swapped = true;
      else
        return result ? *std::move(result) : std::move(left);
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression right, sum(level));
      Expression next =
          swapped ? make(kind, {right, left}) : make(kind, {left, right});
      result = result ? make(Kind::And, {*std::move(result), std::move(next)})
                      : std::move(next);
      left = std::move(right);
    }
  }

  StatusOr<Expression> sum(int level) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression left, product(level));
    while (true) {
      bool minus = lexer.peek("-");
      if (!lexer.take("+") && !lexer.take("-"))
        return left;
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression right, product(level));
      if (minus)
        right = make(Kind::Multiply, {integer(-1), std::move(right)});
      left = make(Kind::Add, {std::move(left), std::move(right)});
    }
  }

  StatusOr<Expression> product(int level) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression left, power(level));
    while (true) {
      Kind kind;
      if (lexer.take("//"))
        kind = Kind::FloorDivide;
      else if (lexer.take("*"))
        kind = Kind::Multiply;
      else if (lexer.take("%"))
        kind = Kind::Remainder;
      else
        return left;
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression right, power(level));
      left = make(kind, {std::move(left), std::move(right)});
    }
  }

  StatusOr<Expression> power(int level) {
    if (level > mostLevels)
      return lexer.wrong("fewer levels");
    if (lexer.take("-")) {
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression operand, power(level + 1));
      return make(Kind::Multiply, {integer(-1), std::move(operand)});
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression base, atom(level));
    if (!lexer.take("**"))
      return base;
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression exponent, power(level + 1));
    return make(Kind::Power, {std::move(base), std::move(exponent)});
  }

  StatusOr<Expression> atom(int level) {
    if (lexer.take("(")) {
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression inner, disjunction(level + 1));
      if (!lexer.take(")"))
        return lexer.wrong("')'");
      return inner;
    }
    if (lexer.startsNumber()) {
      auto value = lexer.number();
      if (!value)
        return lexer.wrong("a number of 64 bits");
      return integer(*value);
    }
    std::string_view name = lexer.word();
    if (name == "L" && lexer.peek("["))
      return size();
    for (auto [function, kind] : {std::pair{"Max", Kind::Maximum},
                                  {"max", Kind::Maximum},
                                  {"Min", Kind::Minimum},
                                  {"min", Kind::Minimum}})
      if (name == function && lexer.take("("))
        return arguments(kind, level);
    return lexer.wrong("a number or the size of an input");
  }

  StatusOr<Expression> arguments(Kind kind, int level) {
    std::vector<Expression> operands;
    do {
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression operand, disjunction(level + 1));
      operands.push_back(std::move(operand));
    } while (lexer.take(","));
    if (!lexer.take(")"))
      return lexer.wrong("')'");
    return make(kind, std::move(operands));
  }

  /// L['x'].size()[0].
  StatusOr<Expression> size() {
    Expression result;
    result.kind = Kind::InputSize;
    while (lexer.take("[")) {
      std::string part;
      if (auto key = lexer.quoted())
        part = *key;
      else if (auto position = lexer.number())
        part = std::to_string(*position);
      else
        return lexer.wrong("a key or a position");
      if (!lexer.take("]"))
        return lexer.wrong("']'");
      result.name += (result.name.empty() ? "" : "_") + part;
    }
    if (!lexer.take(".size()["))
      return lexer.wrong("'.size()['");
    auto dimension = lexer.number();
    if (!dimension || !lexer.take("]"))
      return lexer.wrong("a dimension");
    result.integer = *dimension;
    return result;
  }

  Lexer lexer;
};

} // namespace

StatusOr<Expression> parseGuard(std::string_view text) {
  return Python(text).all();
}

} // namespace tilewright::torch
