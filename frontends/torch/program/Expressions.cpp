#include "frontends/torch/program/Expressions.h"

#include <cctype>
#include <charconv>

namespace tilewright::torch {
namespace {

using Kind = Expression::Kind;

/// Expressions are nested at most as deep as this.
constexpr int mostLevels = 200;

Expression make(Kind kind, std::vector<Expression> operands) {
  Expression result;
  result.kind = kind;
  result.operands = std::move(operands);
  return result;
}

Expression integer(int64_t value) {
  Expression result;
  result.integer = value;
  return result;
}

/// What both languages read: words, numbers, quoted names, signs.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  bool atEnd() {
    skipSpace();
    return at == text.size();
  }
  /// Takes these characters if they are next.
  bool take(std::string_view sign) {
    skipSpace();
    if (text.substr(at, sign.size()) != sign)
      return false;
    at += sign.size();
    return true;
  }
  bool peek(std::string_view sign) {
    skipSpace();
    return text.substr(at, sign.size()) == sign;
  }
  /// A word of letters, digits and "_"; empty if there is none.
  std::string_view word() {
    skipSpace();
    size_t from = at;
    while (at < text.size() && isWord(text[at]))
      ++at;
    return text.substr(from, at - from);
  }
  bool takeWord(std::string_view wanted) {
    size_t before = at;
    if (word() == wanted)
      return true;
    at = before;
    return false;
  }
  /// A name in quotes; nothing if there is none.
  std::optional<std::string_view> quoted() {
    skipSpace();
    if (at == text.size() || (text[at] != '\'' && text[at] != '"'))
      return std::nullopt;
    size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string_view name = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return name;
  }
  /// A whole number that 64 bits hold.
  std::optional<int64_t> number() {
    skipSpace();
    int64_t value;
    const char *begin = text.data() + at, *end = text.data() + text.size();
    auto [next, error] = std::from_chars(begin, end, value);
    if (error != std::errc())
      return std::nullopt;
    at += next - begin;
    return value;
  }
  bool startsNumber() {
    skipSpace();
    return at < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[at]));
  }
  Status wrong(std::string_view expected) const {
    std::string_view rest = text.substr(at, 40);
    return Status::invalidInput("expected " + std::string(expected) +
                                " in the expression \"" + std::string(text) +
                                "\" at \"" + std::string(rest) + "\"");
  }

private:
  static bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  }
  void skipSpace() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }

  std::string_view text;
  size_t at = 0;
};

/// A function of sympy, or of torch's extensions of it.
struct FunctionRow {
  std::string_view name;
  Kind kind;
  size_t least, most;
};

constexpr size_t any = 1000;
constexpr FunctionRow functions[] = {
    {"Add", Kind::Add, 1, any},
    {"Mul", Kind::Multiply, 1, any},
    {"Pow", Kind::Power, 2, 2},
    {"PowByNatural", Kind::Power, 2, 2},
    {"FloorDiv", Kind::FloorDivide, 2, 2},
    {"CleanDiv", Kind::FloorDivide, 2, 2},
    {"CeilToInt", Kind::CeilDivide, 1, 1},
    {"CeilDiv", Kind::CeilDivide, 2, 2},
    {"Mod", Kind::Remainder, 2, 2},
    {"PythonMod", Kind::Remainder, 2, 2},
    {"IntTrueDiv", Kind::Divide, 2, 2},
    {"FloatTrueDiv", Kind::Divide, 2, 2},
    {"FloatPow", Kind::Power, 2, 2},
    {"Rational", Kind::Divide, 2, 2},
    {"ToFloat", Kind::ToReal, 1, 1},
    {"Max", Kind::Maximum, 1, any},
    {"Min", Kind::Minimum, 1, any},
    {"Equality", Kind::Equal, 2, 2},
    {"Eq", Kind::Equal, 2, 2},
    {"Unequality", Kind::NotEqual, 2, 2},
    {"Ne", Kind::NotEqual, 2, 2},
    {"StrictLessThan", Kind::Less, 2, 2},
    {"LessThan", Kind::LessEqual, 2, 2},
    {"And", Kind::And, 1, any},
    {"Or", Kind::Or, 1, any},
    {"Not", Kind::Not, 1, 1},
};

/// sympy's srepr.
class Srepr {
public:
  explicit Srepr(std::string_view text) : lexer(text) {}

  StatusOr<Expression> all() {
    TILEWRIGHT_ASSIGN_OR_RETURN(Expression result, one(0));
    if (!lexer.atEnd())
      return lexer.wrong("its end");
    return result;
  }

private:
  StatusOr<Expression> one(int level) {
    if (level > mostLevels)
      return lexer.wrong("fewer levels");
    std::string_view name = lexer.word();
    if (name == "true" || name == "false" || name == "BooleanTrue" ||
        name == "BooleanFalse")
      return integer(name == "true" || name == "BooleanTrue");
    if (!lexer.take("("))
      return lexer.wrong("'('");
    if (name == "Symbol")
      return symbol();
    if (name == "Integer")
      return literal();
    if (name == "Float")
      return real();
    return call(name, level);
  }

  StatusOr<Expression> literal() {
    auto value = lexer.number();
    if (!value || !lexer.take(")"))
      return lexer.wrong("a number of 64 bits");
    return integer(*value);
  }

  /// Symbol('s0', positive=True, integer=True).
  StatusOr<Expression> symbol() {
    auto name = lexer.quoted();
    if (!name)
      return lexer.wrong("a name in quotes");
    while (lexer.take(",")) {
      lexer.word();
      if (!lexer.take("=") || lexer.word().empty())
        return lexer.wrong("an assumption");
    }
    if (!lexer.take(")"))
      return lexer.wrong("')'");
    Expression result;
    result.kind = Kind::Symbol;
    result.name = *name;
    return result;
  }

  /// Float('0.5', precision=53).
  StatusOr<Expression> real() {
    auto text = lexer.quoted();
    Expression result;
    result.kind = Kind::Real;
    if (!text)
      return lexer.wrong("a number in quotes");
    auto [next, error] =
        std::from_chars(text->data(), text->data() + text->size(), result.real);
    if (error != std::errc() || next != text->data() + text->size())
      return lexer.wrong("a number in quotes");
    while (lexer.take(",")) {
      lexer.word();
      if (!lexer.take("=") || !lexer.number())
        return lexer.wrong("a precision");
    }
    if (!lexer.take(")"))
      return lexer.wrong("')'");
    return result;
  }

  StatusOr<Expression> call(std::string_view name, int level) {
    std::vector<Expression> operands;
    while (!lexer.peek(")")) {
      if (!operands.empty() && !lexer.take(","))
        return lexer.wrong("','");
      if (lexer.startsNumber() || lexer.peek("-")) {
        // Rational(1, 2).
        auto value = lexer.number();
        if (!value)
          return lexer.wrong("a number of 64 bits");
        operands.push_back(integer(*value));
        continue;
      }
      TILEWRIGHT_ASSIGN_OR_RETURN(Expression operand, one(level + 1));
      operands.push_back(std::move(operand));
    }
    lexer.take(")");
    size_t count = operands.size();
    if (name == "GreaterThan" && count == 2)
      return make(Kind::LessEqual, {operands[1], operands[0]});
    if (name == "StrictGreaterThan" && count == 2)
      return make(Kind::Less, {operands[1], operands[0]});
    for (const FunctionRow &row : functions)
      if (row.name == name && count >= row.least && count <= row.most)
        return make(row.kind, std::move(operands));
    return Status::unsupported("the function " + std::string(name) + " of " +
                               std::to_string(count) +
                               " numbers in the size of a tensor");
  }

  Lexer lexer;
};

/// Conditions in Python.
class Python {
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

StatusOr<Expression> parseSrepr(std::string_view text) {
  return Srepr(text).all();
}

StatusOr<Expression> parseGuard(std::string_view text) {
  return Python(text).all();
}

} // namespace tilewright::torch
