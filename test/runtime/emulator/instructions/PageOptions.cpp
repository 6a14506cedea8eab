// --page FILE compares the table of docs/emulator.md with what was tested here;
// --write-page FILE rewrites it.
#include "test/main/TestMain.h"
#include "test/runtime/emulator/instructions/Page.h"

#include <iostream>

static std::string page, pageToWrite;

static int comparePages() {
  if (!pageToWrite.empty() && !instructions::writeToPage(pageToWrite)) {
    std::cerr << pageToWrite << ": has no marks, or cannot be written\n";
    return 1;
  }
  std::string difference =
      page.empty() ? "" : instructions::compareWithPage(page);
  std::cerr << difference << (difference.empty() ? "" : "\n");
  return difference.empty() ? 0 : 1;
}

[[maybe_unused]] static const bool isRegistered = [] {
  tilewright::test::TestMain &main = tilewright::test::testMain();
  main.options = {{"page", &page}, {"write-page", &pageToWrite}};
  main.after = comparePages;
  return true;
}();
