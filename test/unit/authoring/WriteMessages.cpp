// With --write makes the list of messages anew, else runs the tests.
#define CATCH_CONFIG_RUNNER
#include "Messages.h"
#include <catch2/catch.hpp>

int main(int argc, char **argv) {
  if (argc == 2 && std::string(argv[1]) == "--write")
    return tilewright::test::writeMessages() ? 0 : 1;
  return Catch::Session().run(argc, argv);
}
