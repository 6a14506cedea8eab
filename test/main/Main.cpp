// The main function of all test programs.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "test/main/TestMain.h"

#include <iostream>

namespace tilewright::test {

namespace {
int started = 0, skipped = 0;

struct CaseCounter : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo &) override { ++started; }
};
CATCH_REGISTER_LISTENER(CaseCounter)
} // namespace

TestMain &testMain() {
  static TestMain main;
  return main;
}

void skip(std::string_view reason) {
  ++skipped;
  std::cout << "skipped: " << reason << "\n";
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
  if (!failures && tilewright::test::skipped > 0 &&
      tilewright::test::skipped == tilewright::test::started)
    return tilewright::test::skippedCode;
  return failures || !extra.after ? failures : extra.after();
}
