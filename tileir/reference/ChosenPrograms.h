// Which programs of a launch run if not all do.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tilewright::reference {

/// Of the programs 0 to count - 1, `most` in ascending order: the first, the
/// last, and others by chance, the same ones each time. All where `most` is 0.
llvm::SmallVector<int64_t> chosenPrograms(int64_t count, int64_t most);

} // namespace tilewright::reference
