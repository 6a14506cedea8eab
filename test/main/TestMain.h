//===- TestMain.h - What a test program does beside its tests ---*- C++ -*-===//
//
// All test programs share one main function, compiled once. A program with
// options or a task of its own registers them before main, as a static object's
// initializer does:
//
//   static const bool isRegistered = [] {
//     test::testMain().options["device"] = &onlyDevice;
//     return true;
//   }();
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_SUPPORT_TESTMAIN_H
#define TILEWRIGHT_TEST_SUPPORT_TESTMAIN_H

#include <map>
#include <optional>
#include <string>

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

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_SUPPORT_TESTMAIN_H
