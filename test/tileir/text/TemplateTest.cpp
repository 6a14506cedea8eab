#include "tileir/text/Template.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::tile;

TEST_CASE("a template is its text with values in place of names") {
  StatusOr<Template> text =
      Template::parse("// tunable BM = 64, 16, 32\n  // tunable N=1\n"
                      "tensor<${BM}x${N}xf32> ${BM}");
  REQUIRE(text.ok());
  CHECK(text->tunables() ==
        std::vector<Tunable>{{"BM", {64, 16, 32}}, {"N", {1}}});
  // What was written first is the default.
  CHECK(text->expand({}).ends_with("\ntensor<64x1xf32> 64"));
  CHECK(text->expand({{"BM", 16}}).ends_with("\ntensor<16x1xf32> 16"));
}

TEST_CASE("a text without tunables is itself") {
  StatusOr<Template> text = Template::parse("module {}\n");
  REQUIRE(text.ok());
  CHECK(text->tunables().empty());
  CHECK(text->expand({}) == "module {}\n");
}

TEST_CASE("a malformed template says where") {
  auto [text, message] = GENERATE(table<std::string, std::string>({
      {"\n// tunable BM 64", "2: expected 'tunable NAME = 1, 2, ...'"},
      {"// tunable = 64", "1: expected 'tunable NAME = 1, 2, ...'"},
      {"// tunable BM = 64, x", "1: tunable 'BM' expects integers, found 'x'"},
      {"// tunable BM =", "1: tunable 'BM' expects integers, found ''"},
      {"// tunable BM = 1, 1", "1: tunable 'BM' has the value 1 twice"},
      {"// tunable BM = 1\n// tunable BM = 2",
       "2: tunable 'BM' is declared twice"},
      {"x\ny ${BK}", "2: ${BK} is not declared; expected a line '// "
                     "tunable BK = ...'"},
  }));
  StatusOr<Template> parsed = Template::parse(text);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.status().message() == message);
}

static const std::string variants = R"(// tunable BM = 64, 16
// tunable N = 1, 2
all
// variant BM=64 N=1
first ${BM}
// variant N=2 BM=16
second
two lines
// variant BM=64 N=2
third
)";

TEST_CASE("of the variants of a template one is left, at its lines") {
  StatusOr<Template> text = Template::parse(variants);
  REQUIRE(text.ok());
  const std::string head = "// tunable BM = 64, 16\n// tunable N = 1, 2\nall\n"
                           "// variant BM=64 N=1\n";
  CHECK(text->expand({}) == head + "first 64\n\n\n\n\n\n");
  CHECK(text->expand({{"BM", 16}, {"N", 2}}) ==
        head + "\n\nsecond\ntwo lines\n\n\n");
  CHECK(text->expand({{"N", 2}}) == head + "\n\n\n\n\nthird\n");
  CHECK(text->hasVariant({{"N", 2}}));
  CHECK_FALSE(text->hasVariant({{"BM", 16}}));
  CHECK(text->expand({{"BM", 16}}) == head + "\n\n\n\n\n\n");
}

TEST_CASE("a malformed variant says where") {
  const std::string head = "// tunable A = 1, 2\n// tunable B = 3\n";
  auto [text, message] = GENERATE(table<std::string, std::string>({
      {"// variant A=1", "3: the variant gives 'B' no value"},
      {"// variant A=4 B=3", "3: expected 'variant NAME=VALUE ..' with a value "
                             "of each tunable, found 'A=4'"},
      {"// variant A=1 B=3 C=1", "3: expected 'variant NAME=VALUE ..' with a "
                                 "value of each tunable, found 'C=1'"},
      {"// variant A=1 A=1 B=3", "3: expected 'variant NAME=VALUE ..' with a "
                                 "value of each tunable, found 'A=1'"},
      {"// variant A B=3", "3: expected 'variant NAME=VALUE ..' with a value "
                           "of each tunable, found 'A'"},
      {"// variant A=1 B=3\n// variant A=1 B=3",
       "4: the variant is there twice"},
      {"// variant A=2 B=3", "3: there is no variant of the defaults, the "
                             "first value of each tunable"},
      {"// variant A=1 B=3\n// tunable C = 1",
       "4: expected tunables before the first variant"},
  }));
  StatusOr<Template> parsed = Template::parse(head + text);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.status().message() == message);
}
