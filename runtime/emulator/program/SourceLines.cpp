#include "runtime/emulator/program/Program.h"
#include <algorithm>

namespace tilewright::emulator {

const ptx::SourceLine *sourceLine(const Function &function, uint32_t index) {
  auto after = std::upper_bound(
      function.lines.begin(), function.lines.end(), index,
      [](uint32_t at, const LineStart &start) { return at < start.index; });
  return after == function.lines.begin() ? nullptr : &(--after)->line;
}

} // namespace tilewright::emulator
