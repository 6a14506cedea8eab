#include "tilewright/manifest/Expression.h"
#include "runtime/abi/Formula.h"
#include <catch2/catch.hpp>
#include <limits>
#include <random>

using namespace tilewright;
using namespace tilewright::runtime;

static constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
static constexpr int64_t highest = std::numeric_limits<int64_t>::max();

/// The value of the same expression with its names resolved.
static std::optional<int64_t> resolved(const Expression &expression,
                                       const Bindings &names) {
  std::vector<int64_t> values;
  Formula formula(expression,
                  [&](std::string_view name) -> std::optional<uint32_t> {
                    auto found = names.find(name);
                    if (found == names.end())
                      return std::nullopt;
                    values.push_back(found->second);
                    return uint32_t(values.size() - 1);
                  });
  return formula.evaluate(values);
}

static int64_t value(const std::string &text, const Bindings &names = {}) {
  auto parsed = Expression::parse(text);
  INFO(text << ": " << parsed.status().message());
  REQUIRE(parsed.ok());
  auto result = parsed->evaluate(names);
  INFO(result.status().message());
  REQUIRE(result.ok());
  CHECK(resolved(*parsed, names) == *result);
  return *result;
}

static std::string evaluationError(const std::string &text,
                                   const Bindings &names = {}) {
  auto parsed = Expression::parse(text);
  REQUIRE(parsed.ok());
  auto result = parsed->evaluate(names);
  REQUIRE_FALSE(result.ok());
  CHECK_FALSE(resolved(*parsed, names));
  return result.status().message();
}

TEST_CASE("expressions evaluate") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("10 - 3 - 2") == 5);
  CHECK(value("-N * -2", {{"N", 5}}) == 10);
  CHECK(value("arg0.dim1+_x", {{"arg0.dim1", 4}, {"_x", 1}}) == 5);
  CHECK(value("min(3, max(1, 2))") == 2);
  CHECK(value("ceildiv ( 7 , 2 )") == 4);
  CHECK(value("-9223372036854775808") == lowest);
  CHECK(value("9223372036854775807") == highest);
}

TEST_CASE("divisions round as their names say, for all signs") {
  CHECK(value("floordiv(-7, 2)") == -4);
  CHECK(value("ceildiv(-7, 2)") == -3);
  CHECK(value("floordiv(7, -2)") == -4);
  CHECK(value("ceildiv(7, -2)") == -3);
  CHECK(value("mod(-7, 2)") == 1);
  CHECK(value("mod(7, -2)") == -1);
  CHECK(value("mod(-9223372036854775808, -1)") == 0);
  for (int64_t a = -20; a <= 20; ++a)
    for (int64_t b = -5; b <= 5; ++b) {
      if (b == 0)
        continue;
      Bindings names = {{"a", a}, {"b", b}};
      double exact = double(a) / double(b);
      CHECK(value("floordiv(a, b)", names) == int64_t(std::floor(exact)));
      CHECK(value("ceildiv(a, b)", names) == int64_t(std::ceil(exact)));
      CHECK(value("mod(a, b) + b * floordiv(a, b)", names) == a);
    }
}

TEST_CASE("what cannot be evaluated says why") {
  CHECK(evaluationError("2 * M + 1") ==
        "expression '2 * M + 1': unknown name 'M'");
  CHECK(evaluationError("N + ceildiv(N, N - 3)", {{"N", 3}}) ==
        "expression 'N + ceildiv(N, N - 3)': division by zero in 'ceildiv(N, "
        "N - 3)' with 3 and 0");
  for (const char *text : {"N + 1", "N * 2", "-1 - N - 1", "-(-N - 1)"}) {
    INFO(text);
    CHECK(evaluationError(text, {{"N", highest}}).find("overflow in '") !=
          std::string::npos);
  }
  CHECK(evaluationError("floordiv(N, -1)", {{"N", lowest}}).find("overflow") !=
        std::string::npos);
  CHECK(evaluationError("mod(4, 0)").find("division by zero") !=
        std::string::npos);
}

TEST_CASE("malformed expressions are rejected with a column") {
  auto error = [](const std::string &text) {
    auto parsed = Expression::parse(text);
    INFO(text);
    REQUIRE_FALSE(parsed.ok());
    return parsed.status().message();
  };
  CHECK(error("1 + ") == "expression '1 + ', column 5: expected a name, an "
                         "integer or '(', found the end");
  CHECK(error("N % 2") == "expression 'N % 2', column 3: expected an operator "
                          "or the end, found '% 2'");
  CHECK(error("pow(2, 3)").find("one of the functions") != std::string::npos);
  CHECK(error("99999999999999999999").find("64 bits") != std::string::npos);
  for (const char *text : {"", "(", "(1", "1)", "min(1)", "min(1, 2", "1 2",
                           "a..b c", "3x", "*", "a,b", "\xff", "min 1"})
    error(text);
  CHECK(error(std::string(100000, '(')).find("at most") != std::string::npos);
  CHECK(error(std::string(10000, '(')).find("deep") != std::string::npos);
  error(std::string(10000, '-'));
}

TEST_CASE("printing uses the fewest parentheses") {
  auto printed = [](const std::string &text) {
    return Expression::parse(text)->str();
  };
  CHECK(printed("((a)+(b*c))") == "a + b * c");
  CHECK(printed("a-(b-c)") == "a - (b - c)");
  CHECK(printed("(a+b)*c") == "(a + b) * c");
  CHECK(printed("a*(b*c)") == "a * (b * c)");
  CHECK(printed("-(a+b)") == "-(a + b)");
  CHECK(printed("ceildiv(a+1,b)") == "ceildiv(a + 1, b)");
  CHECK(printed("a - -3") == "a - -3");
}

TEST_CASE("building folds constants and units") {
  Expression n = Expression::symbol("N");
  CHECK((Expression(2) * 3 + n * 1 + 0).str() == "6 + N");
  CHECK(ceilDiv(7, 2).constant() == 4);
  CHECK((Expression(highest) + 1).str() == "9223372036854775807 + 1");
  CHECK((n + n).names() == std::vector<std::string>{"N"});
  CHECK(n.name() == "N");
  CHECK_FALSE((n + 1).name());
}

/// A random tree of the given depth.
static Expression randomExpression(std::mt19937 &random, int depth) {
  auto below = [&](unsigned n) { return random() % n; };
  if (depth == 0 || below(6) == 0)
    return below(2) ? Expression(int64_t(below(20)) - 10)
                    : Expression::symbol(std::string(1, char('a' + below(3))));
  if (below(8) == 0)
    return -randomExpression(random, depth - 1);
  auto op =
      static_cast<Expression::Op>(unsigned(Expression::Op::add) + below(8));
  return Expression::binary(op, randomExpression(random, depth - 1),
                            randomExpression(random, depth - 1));
}

TEST_CASE("printing and parsing are inverse") {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    Expression expression = randomExpression(random, 5);
    INFO("seed " << seed << ": " << expression.str());
    auto parsed = Expression::parse(expression.str());
    REQUIRE(parsed.ok());
    CHECK(*parsed == expression);
    Bindings names = {{"a", 3}, {"b", -2}, {"c", 7}};
    auto one = expression.evaluate(names), two = parsed->evaluate(names);
    REQUIRE(one.ok() == two.ok());
    if (one.ok())
      CHECK(*one == *two);
  }
}
