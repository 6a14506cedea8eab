#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "test/unit/emulator/instructions/Page.h"

#include <iostream>

/// The tests; then, with --page PAGE, the comparison of the page's table with
/// what they ran, or with --write-page PAGE a new table.
int main(int argc, char **argv) {
  Catch::Session session;
  std::string page, pageToWrite;
  using Catch::clara::Opt;
  session.cli(session.cli() |
              Opt(page, "page")["--page"]("compare this page's table") |
              Opt(pageToWrite, "page")["--write-page"]("make its table anew"));
  if (int wrong = session.applyCommandLine(argc, argv))
    return wrong;
  if (int failures = session.run())
    return failures;
  if (!pageToWrite.empty() && !instructions::writeToPage(pageToWrite)) {
    std::cerr << pageToWrite << ": has no marks, or cannot be written\n";
    return 1;
  }
  std::string difference =
      page.empty() ? "" : instructions::compareWithPage(page);
  std::cerr << difference << (difference.empty() ? "" : "\n");
  return difference.empty() ? 0 : 1;
}
