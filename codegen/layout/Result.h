//===- Result.h - A value, or why there is none -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_RESULT_H
#define TILEWRIGHT_CODEGEN_LAYOUT_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace tilewright::layout {

/// Why something cannot be done: where, what was expected, what was found.
struct Refusal {
  std::string reason;
};

/// A value, or the reason why there is none. (Layouts know nothing of the
/// runtime, so its StatusOr is not theirs to use.)
template <typename T> class [[nodiscard]] Result {
public:
  Result(Refusal refusal) : refusal(std::move(refusal)) {}
  Result(T value) : value(std::move(value)) {}

  [[nodiscard]] bool ok() const { return value.has_value(); }
  explicit operator bool() const { return ok(); }
  /// Empty where there is a value.
  const std::string &reason() const { return refusal.reason; }

  /// The value. Only where ok().
  T &operator*() {
    assert(value && "read the value of a refusal");
    return *value;
  }
  const T &operator*() const {
    assert(value && "read the value of a refusal");
    return *value;
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

private:
  Refusal refusal;
  std::optional<T> value;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_RESULT_H
