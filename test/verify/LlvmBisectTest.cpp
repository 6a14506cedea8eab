// Who is named of LLVM's passes, of a list of them that are counted here.
#include "verify/validate/LlvmBisect.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using verify::LlvmPass;

/// Whether the code is wrong of a compiler with 20 optional passes, p1 to p20,
/// of which that one makes it so; 0: a required one does, 21: none.
static StatusOr<bool> isWrong(const LlvmPassFilter &runs, int wrong) {
  bool isWrong = wrong == 0;
  for (int pass = 1; pass <= 20; ++pass) {
    const bool ran = runs("p" + std::to_string(pass), "f");
    isWrong |= ran && pass == wrong;
    // What did not run leaves less to do.
    if (!ran && pass > 15)
      break;
  }
  return isWrong;
}

static std::optional<LlvmPass> find(int wrong, int &compilations) {
  StatusOr<std::optional<LlvmPass>> found =
      verify::bisectLlvm([&](const LlvmPassFilter &runs) {
        ++compilations;
        return isWrong(runs, wrong);
      });
  REQUIRE(found.ok());
  return *found;
}

TEST_CASE("llvm: each pass is found") {
  for (int wrong = 1; wrong <= 20; ++wrong) {
    int compilations = 0;
    const std::optional<LlvmPass> found = find(wrong, compilations);
    REQUIRE(found);
    CHECK(found->pass == "p" + std::to_string(wrong));
    CHECK(found->where == "f");
    CHECK(found->number == wrong);
    CHECK(found->count == 20);
    // With all, with none, and halves of 20.
    CHECK(compilations <= 7);
  }
}

TEST_CASE(
    "llvm: code that is wrong without any optional pass, and right code") {
  int compilations = 0;
  const std::optional<LlvmPass> required = find(0, compilations);
  REQUIRE(required);
  CHECK(required->number == 0);
  CHECK(required->pass.empty());
  CHECK(required->count == 20);
  CHECK(!find(21, compilations));
}

TEST_CASE("llvm: an error ends the search") {
  const StatusOr<std::optional<LlvmPass>> found =
      verify::bisectLlvm([](const LlvmPassFilter &runs) -> StatusOr<bool> {
        if (!runs("p1", "f"))
          return Status::unsupported("no code");
        return true;
      });
  CHECK(found.status().message() == "no code");
}
