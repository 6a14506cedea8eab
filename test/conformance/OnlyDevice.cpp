#define CATCH_CONFIG_RUNNER
#include "Conformance.h"
#include <catch2/catch.hpp>

namespace tilewright::runtime::conformance {
std::string &onlyDevice() {
  static std::string kind;
  return kind;
}
} // namespace tilewright::runtime::conformance

int main(int argc, char **argv) {
  using namespace tilewright::runtime::conformance;
  Catch::Session session;
  session.cli(session.cli() |
              Catch::clara::Opt(onlyDevice(), "kind")["--device"](
                  "run only on this kind of device, which has to be there"));
  if (int wrong = session.applyCommandLine(argc, argv))
    return wrong;
  return session.run();
}
