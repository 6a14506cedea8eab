// Errors as values. Library code returns a Status or a StatusOr<T>; it never
// prints, aborts or throws.
#ifndef TILEWRIGHT_SUPPORT_STATUS_H
#define TILEWRIGHT_SUPPORT_STATUS_H

#include "tilewright/support/Language.h"

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright {

/// What kind of failure a Status reports.
enum class StatusCode {
  ok,
  /// The caller's data is wrong: a malformed file, a shape that does not fit.
  invalidInput,
  /// The data may be right, but this build or machine cannot do it.
  unsupported,
  /// A named thing (file, input, kernel, device) does not exist.
  notFound,
  /// The operating system failed to read or write.
  ioError,
  /// Memory or another limited resource ran out.
  resourceExhausted,
  /// The work was given up on request.
  cancelled,
  /// A fault of Tilewright itself.
  internal,
};

/// The name of a code, as in messages: "invalid input", "not found", ...
[[nodiscard]] constexpr std::string_view statusCodeName(StatusCode code) {
  switch (code) {
  case StatusCode::ok:
    return "ok";
  case StatusCode::invalidInput:
    return "invalid input";
  case StatusCode::unsupported:
    return "unsupported";
  case StatusCode::notFound:
    return "not found";
  case StatusCode::ioError:
    return "input/output error";
  case StatusCode::resourceExhausted:
    return "resource exhausted";
  case StatusCode::cancelled:
    return "cancelled";
  case StatusCode::internal:
    return "internal error";
  }
  return "unknown";
}

/// Success, or a code and a message for the user: where, what was expected,
/// what was found. Success costs one null pointer; copies share the message.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  /// A failure. `code` must not be `ok`.
  Status(StatusCode code, std::string message)
      : failure(std::make_shared<const Failure>(
            Failure{code, std::move(message)})) {
    assert(code != StatusCode::ok && "a failure needs a failure code");
  }

  /// One constructor for each code.
  static Status invalidInput(std::string m) {
    return {StatusCode::invalidInput, std::move(m)};
  }
  static Status unsupported(std::string m) {
    return {StatusCode::unsupported, std::move(m)};
  }
  static Status notFound(std::string m) {
    return {StatusCode::notFound, std::move(m)};
  }
  static Status ioError(std::string m) {
    return {StatusCode::ioError, std::move(m)};
  }
  static Status resourceExhausted(std::string m) {
    return {StatusCode::resourceExhausted, std::move(m)};
  }
  static Status cancelled(std::string m) {
    return {StatusCode::cancelled, std::move(m)};
  }
  static Status internal(std::string m) {
    return {StatusCode::internal, std::move(m)};
  }

  [[nodiscard]] bool ok() const { return !failure; }
  [[nodiscard]] StatusCode code() const {
    return failure ? failure->code : StatusCode::ok;
  }
  /// The message; empty on success. Lines after the first are indented notes.
  [[nodiscard]] const std::string &message() const {
    static const std::string none;
    return failure ? failure->message : none;
  }
  /// The same failure with `where` and ": " in front of its message.
  Status prefixed(std::string_view where) const {
    if (ok())
      return {};
    return {code(), std::string(where) + ": " + message()};
  }

private:
  struct Failure {
    StatusCode code;
    std::string message;
  };
  std::shared_ptr<const Failure> failure;
};

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] StatusOr {
public:
  /// A failure. `status` must not be ok.
  StatusOr(Status status) : error(std::move(status)) {
    assert(!error.ok() && "a StatusOr without a value needs a failure");
  }
  /// A value, or anything that converts to one.
  template <typename U = T>
    requires(std::is_convertible_v<U &&, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, StatusOr> &&
             !std::is_same_v<std::remove_cvref_t<U>, Status>)
  StatusOr(U &&value) : result(std::in_place, std::forward<U>(value)) {}

  [[nodiscard]] bool ok() const { return result.has_value(); }
  explicit operator bool() const { return ok(); }
  /// The failure, or success where there is a value.
  const Status &status() const & { return error; }
  Status status() && { return std::move(error); }

  /// The value. Only where ok().
  T &operator*() & { return get(); }
  const T &operator*() const & { return const_cast<StatusOr *>(this)->get(); }
  T &&operator*() && { return std::move(get()); }
  T *operator->() { return &get(); }
  const T *operator->() const { return &const_cast<StatusOr *>(this)->get(); }

private:
  T &get() {
    assert(result && "read the value of a failed StatusOr");
    return *result;
  }
  Status error;
  std::optional<T> result;
};

} // namespace tilewright

/// Returns the failure of EXPRESSION (a Status), if it failed.
#define TILEWRIGHT_RETURN_IF_ERROR(EXPRESSION)                                 \
  do {                                                                         \
    if (::tilewright::Status statusOfCall = (EXPRESSION); !statusOfCall.ok())  \
      return statusOfCall;                                                     \
  } while (false)

#define TILEWRIGHT_CONCAT_IMPL(A, B) A##B
#define TILEWRIGHT_CONCAT(A, B) TILEWRIGHT_CONCAT_IMPL(A, B)
#define TILEWRIGHT_ASSIGN_IMPL(TEMPORARY, TARGET, EXPRESSION)                  \
  auto TEMPORARY = (EXPRESSION);                                               \
  if (!TEMPORARY.ok())                                                         \
    return std::move(TEMPORARY).status();                                      \
  TARGET = *std::move(TEMPORARY)

// All compilers have __COUNTER__. Clang warns of it in pedantic programs since
// it is in a draft of C, and at the location where a macro is used.
#if defined(__clang__) && defined(__has_warning)
#if __has_warning("-Wc2y-extensions")
#pragma clang diagnostic ignored "-Wc2y-extensions"
#endif
#endif

/// Declares or assigns TARGET from EXPRESSION (a StatusOr), or returns its
/// failure: TILEWRIGHT_ASSIGN_OR_RETURN(auto file, open(path));
#define TILEWRIGHT_ASSIGN_OR_RETURN(TARGET, EXPRESSION)                        \
  TILEWRIGHT_ASSIGN_IMPL(TILEWRIGHT_CONCAT(statusOr, __COUNTER__), TARGET,     \
                         EXPRESSION)

#endif // TILEWRIGHT_SUPPORT_STATUS_H
