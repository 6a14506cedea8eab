#include "tileir/reference/Program.h"

namespace tilewright::reference {

void addMiscOps(OpTable &) {}

} // namespace tilewright::reference
