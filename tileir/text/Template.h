// Kernels as text in which some numbers are left open.
#ifndef TILEWRIGHT_TILEIR_TEXT_TEMPLATE_H
#define TILEWRIGHT_TILEIR_TEXT_TEMPLATE_H

#include "runtime/abi/Status.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilewright::tile {

/// A number that a kernel leaves open.
struct Tunable {
  std::string name;
  /// The legal ones, as written; the first is the default.
  std::vector<int64_t> values;

  friend bool operator==(const Tunable &, const Tunable &) = default;
};

/// A line `// tunable BM = 32, 64, 128` declares the number that ${BM} stands
/// for, and its legal values; the first is the default.
class Template {
public:
  /// Errors are "LINE: ...": a malformed declaration, a name declared twice, or
  /// a ${NAME} that is not declared.
  static StatusOr<Template> parse(std::string text);

  /// One for each declaration, in their order.
  [[nodiscard]] const std::vector<Tunable> &tunables() const {
    return declared;
  }
  /// The text with these values, legal or not; one that is not given is the
  /// default. No line is added or removed.
  [[nodiscard]] std::string
  expand(const std::map<std::string, int64_t> &values) const;

private:
  std::vector<Tunable> declared;
  /// Pieces of the text, and the tunables between them.
  std::vector<std::string> pieces;
  std::vector<size_t> between;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_TEXT_TEMPLATE_H
