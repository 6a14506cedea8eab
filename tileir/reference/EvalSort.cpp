#include "tileir/reference/Program.h"

namespace tilewright::reference {

void addSortOps(OpTable &) {}

} // namespace tilewright::reference
