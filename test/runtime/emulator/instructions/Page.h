// The table of docs/emulator.md, "What runs".
#ifndef TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_PAGE_H
#define TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_PAGE_H

#include <filesystem>
#include <string>

namespace instructions {

/// The table, and what no test ran, by what coverage() has noted.
std::string whatRuns();

/// Compares whatRuns() with the text between the page's two marks. Returns the
/// first difference, or nothing.
std::string compareWithPage(const std::filesystem::path &page);
/// Puts it there. False: the page cannot be read or written, or has no marks.
bool writeToPage(const std::filesystem::path &page);

} // namespace instructions

#endif // TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_PAGE_H
