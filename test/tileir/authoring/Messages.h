// What is said of each wrong kernel.
#pragma once

#include "WrongKernels.h"

namespace tilewright::test {

/// A wrong kernel's name, with its group, and what its build found.
struct Mistake {
  std::string name;
  bool built = false;
  std::vector<Diagnostic> diagnostics;
  std::string status;
};

/// Builds each wrong kernel, once in a process.
const std::vector<Mistake> &mistakes();

/// One line for each: `name: message`.
std::string messagesOf(const std::vector<Mistake> &mistakes);

/// The file that holds those lines; a reader checks them there.
std::string messagesPath();
bool writeMessages();

} // namespace tilewright::test
