#include "tileir/reference/Program.h"

namespace tilewright::reference {

void addAtomicOps(OpTable &) {}

} // namespace tilewright::reference
