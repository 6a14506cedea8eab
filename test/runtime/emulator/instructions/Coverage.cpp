#include "test/runtime/emulator/instructions/Coverage.h"

#include <algorithm>

namespace instructions {

using tilewright::emulator::ptx::Location;

std::string lineOf(const std::string &text, unsigned number) {
  size_t start = 0;
  for (unsigned line = 1; line < number; ++line)
    start = text.find('\n', start) + 1;
  return text.substr(start, text.find('\n', start) - start);
}

std::string textAt(const std::string &text, const Location &at) {
  std::string line = lineOf(text, at.line);
  return line.substr(std::min<size_t>(at.column - 1, line.size()));
}

void Coverage::add(const tilewright::emulator::Form &form,
                   const std::string &text) {
  // Not the implicit `ret` at a function's end.
  if (!text.starts_with(form.opcode))
    return;
  size_t start = form.opcode.size();
  std::string modifiers = text.substr(start, text.find_first_of(" ;") - start);
  run[&form].insert(modifiers.empty() ? "" : modifiers.substr(1));
}

Coverage &coverage() {
  static Coverage all;
  return all;
}

} // namespace instructions
