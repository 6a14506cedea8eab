// How the C interfaces, of the runtime and of the compiler, hand out failures.
#ifndef TILEWRIGHT_RUNTIME_CAPI_STATUSHANDLE_H
#define TILEWRIGHT_RUNTIME_CAPI_STATUSHANDLE_H

#include "tilewright/c/tilewright.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <initializer_list>
#include <utility>

struct tw_status {
  tilewright::Status status;
};

namespace tilewright::runtime {

/// NULL for success. When out of memory, a static handle that reports it.
[[nodiscard]] TILEWRIGHT_PRIVATE_API tw_status *
makeStatusHandle(const Status &status) noexcept;

/// The exception that is being handled, as a status: memory that ran out, or a
/// fault of ours.
[[nodiscard]] TILEWRIGHT_PRIVATE_API tw_status *makeExceptionHandle() noexcept;

/// Reports the first argument that is null.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Status checkArguments(
    std::initializer_list<std::pair<const char *, const void *>> arguments);

/// Runs the body of a function of the interface, which returns a Status: what
/// it throws becomes a status, too.
template <class Body>
[[nodiscard]] tw_status *guarded(const Body &body) noexcept {
  try {
    return makeStatusHandle(body());
  } catch (...) {
    return makeExceptionHandle();
  }
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CAPI_STATUSHANDLE_H
