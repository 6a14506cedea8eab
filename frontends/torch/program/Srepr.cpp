// Expressions as sympy prints them.
#include "frontends/torch/program/Expressions.h"
#include "frontends/torch/program/Lexer.h"

namespace tilewright::torch {
namespace {

using Kind = Expression::Kind;

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

} // namespace

StatusOr<Expression> parseSrepr(std::string_view text) {
  return Srepr(text).all();
}

} // namespace tilewright::torch
