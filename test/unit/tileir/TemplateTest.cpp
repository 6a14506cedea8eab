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
