#include "verify/validate/LlvmBisect.h"

namespace tilewright::verify {

namespace {
/// Lets the first passes run, and remembers the last of these.
struct Prefix {
  explicit Prefix(int64_t limit) : limit(limit) {}
  bool runs(std::string_view pass, std::string_view where) {
    if (++asked > limit)
      return false;
    last.pass = pass;
    last.where = where;
    last.number = asked;
    return true;
  }

  const int64_t limit;
  /// Those that run, and others.
  int64_t asked = 0;
  LlvmPass last;
};
} // namespace

StatusOr<std::optional<LlvmPass>> bisectLlvm(
    const std::function<StatusOr<bool>(const LlvmPassFilter &)> &isWrong) {
  auto isWrongWith = [&](Prefix &prefix) {
    return isWrong([&](std::string_view pass, std::string_view where) {
      return prefix.runs(pass, where);
    });
  };
  Prefix all(INT64_MAX), none(0);
  TILEWRIGHT_ASSIGN_OR_RETURN(const bool isWrongAtAll, isWrongWith(all));
  if (!isWrongAtAll)
    return std::optional<LlvmPass>();
  TILEWRIGHT_ASSIGN_OR_RETURN(const bool isAlwaysWrong, isWrongWith(none));
  LlvmPass found = isAlwaysWrong ? LlvmPass() : all.last;
  // With the first `right` passes it is right.
  int64_t right = 0;
  while (found.number > right + 1) {
    Prefix prefix(right + (found.number - right) / 2);
    TILEWRIGHT_ASSIGN_OR_RETURN(const bool isWrongThen, isWrongWith(prefix));
    if (isWrongThen)
      found = prefix.last;
    else
      right = prefix.limit;
  }
  found.count = all.asked;
  return std::optional(found);
}

} // namespace tilewright::verify
