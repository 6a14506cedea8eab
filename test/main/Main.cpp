// The main function of all test programs.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "test/main/TestMain.h"

namespace tilewright::test {

TestMain &testMain() {
  static TestMain main;
  return main;
}

} // namespace tilewright::test

int main(int argc, char **argv) {
  tilewright::test::TestMain &extra = tilewright::test::testMain();
  if (extra.before)
    if (std::optional<int> code = extra.before(argc, argv))
      return *code;
  Catch::Session session;
  for (const auto &[name, value] : extra.options)
    session.cli(session.cli() | Catch::clara::Opt(*value, name)["--" + name](
                                    "an option of this program"));
  if (int wrong = session.applyCommandLine(argc, argv))
    return wrong;
  int failures = session.run();
  return failures || !extra.after ? failures : extra.after();
}
