#ifndef TILEWRIGHT_LIBRARY_MODEL_SPILLWARNINGS_H
#define TILEWRIGHT_LIBRARY_MODEL_SPILLWARNINGS_H

#include "tilewright/manifest/Remark.h"
#include "tilewright/support/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace tilewright {

/// Adds a warning "spills", with the numbers, for each remark of a CPU's kernel
/// that more than one instruction in four moves a value to or from the stack.
void warnOfSpills(llvm::ArrayRef<Remark> remarks,
                  std::vector<Diagnostic> &warnings);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_SPILLWARNINGS_H
