#include "runtime/capi/StatusHandle.h"
#include "support/Format.h"
#include <new>
#include <stdexcept>
#include <string>

namespace tilewright::runtime {

/// Made before memory runs out; never freed.
static tw_status outOfMemory{Status::resourceExhausted("out of memory")};

tw_status *makeStatusHandle(const Status &status) noexcept {
  if (status.ok())
    return nullptr;
  auto *handle = new (std::nothrow) tw_status{status};
  return handle ? handle : &outOfMemory;
}

tw_status *makeExceptionHandle() noexcept {
  try {
    try {
      throw;
    } catch (const std::bad_alloc &) {
      return &outOfMemory;
    } catch (const std::length_error &error) {
      return makeStatusHandle(Status::resourceExhausted(
          std::string("a size is larger than any memory: ") + error.what()));
    } catch (const std::exception &error) {
      return makeStatusHandle(Status::internal(error.what()));
    } catch (...) {
      return makeStatusHandle(Status::internal("unknown exception"));
    }
  } catch (...) {
    // The message itself had no location.
    return &outOfMemory;
  }
}

Status checkArguments(
    std::initializer_list<std::pair<const char *, const void *>> arguments) {
  for (const auto &[name, pointer] : arguments)
    if (!pointer)
      return Status::invalidInput(format("argument '{}' is NULL", {name}));
  return {};
}

} // namespace tilewright::runtime

const char *tw_status_message(const tw_status *status) {
  return status ? status->status.message().c_str() : "";
}
tw_code tw_status_code(const tw_status *status) {
  return status ? static_cast<tw_code>(status->status.code()) : TW_OK;
}
void tw_status_free(tw_status *status) {
  if (status != &tilewright::runtime::outOfMemory)
    delete status;
}
