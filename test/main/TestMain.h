//===- TestMain.h - What a test program does beside its tests ---*- C++ -*-===//
//
// All test programs share one main function, compiled once. A program with its
// own options or task registers them before main, as a static object's
// initializer does:
//
//   static const bool isRegistered = [] {
//     test::testMain().options["device"] = &onlyDevice;
//     return true;
//   }();
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_MAIN_TESTMAIN_H
#define TILEWRIGHT_TEST_MAIN_TESTMAIN_H

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::test {

struct TestMain {
  /// `--NAME VALUE` on the command line sets the string.
  std::map<std::string, std::string *> options = {};
  /// Runs before all else; a number ends the program with it.
  std::optional<int> (*before)(int argc, char **argv) = nullptr;
  /// Runs after tests that all passed; returns the exit code.
  int (*after)() = nullptr;
};

/// The one of this program.
TestMain &testMain();

/// What a test case calls, and returns, that lacks something of the machine:
/// says "skipped: REASON". A program all of whose cases did ends with
/// `skippedCode`, which is for ctest's SKIP_RETURN_CODE.
void skip(std::string_view reason);
inline constexpr int skippedCode = 77;

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_MAIN_TESTMAIN_H
