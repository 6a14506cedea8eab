// --write rewrites the expected messages.
#include "Messages.h"
#include "test/main/TestMain.h"

[[maybe_unused]] static const bool isRegistered = [] {
  tilewright::test::testMain().before = [](int argc, char **argv) {
    if (argc != 2 || std::string(argv[1]) != "--write")
      return std::optional<int>();
    return std::optional(tilewright::test::writeMessages() ? 0 : 1);
  };
  return true;
}();
