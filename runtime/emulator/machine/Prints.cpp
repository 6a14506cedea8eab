// What kernels print.
#include "runtime/emulator/machine/Warp.h"

namespace tilewright::emulator {

void Launch::print(std::string_view text) {
  std::lock_guard lock(printMutex);
  printed += text;
  size_t from = 0;
  for (size_t end; (end = printed.find('\n', from)) != std::string::npos;
       from = end + 1)
    prints(std::string_view(printed).substr(from, end - from));
  printed.erase(0, from);
}

void Launch::endPrints() {
  std::lock_guard lock(printMutex);
  if (!printed.empty())
    prints(printed);
  printed.clear();
}

} // namespace tilewright::emulator
