// Kernels as text in which some numbers are left open.
#ifndef TILEWRIGHT_TILEIR_TEXT_TEMPLATE_H
#define TILEWRIGHT_TILEIR_TEXT_TEMPLATE_H

#include "tilewright/support/Status.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilewright::tile {

/// A numeric parameter of a kernel.
struct Tunable {
  std::string name;
  /// The legal ones, as written; the first is the default.
  std::vector<int64_t> values;

  friend bool operator==(const Tunable &, const Tunable &) = default;
};

/// A line `// tunable BM = 32, 64, 128` declares the parameter ${BM} and its
/// legal values; the first is the default.
///
/// A line `// variant BM=32 BN=64` begins the code for these values of all
/// tunables, up to the next such line: for kernels that differ by more than
/// numbers. The lines before the first one are in all variants. Values without
/// a variant are illegal together.
class Template {
public:
  /// Errors are "LINE: ...": a malformed declaration, a name declared twice, a
  /// ${NAME} that is not declared; a variant that lacks a legal value for a
  /// tunable, a repeated variant, or none for the defaults.
  static StatusOr<Template> parse(std::string text);

  /// One for each declaration, in their order.
  [[nodiscard]] const std::vector<Tunable> &tunables() const {
    return declared;
  }
  /// The text with these values, legal or not, and the default for missing
  /// ones. Lines keep their numbers. Without such a variant, only the common
  /// lines.
  [[nodiscard]] std::string
  expand(const std::map<std::string, int64_t> &values) const;
  /// Whether these values are legal together, each of which is legal.
  [[nodiscard]] bool
  hasVariant(const std::map<std::string, int64_t> &values) const;

private:
  /// One value per tunable, and the lines from `begin` to before `end`, from 0.
  struct Variant {
    std::vector<int64_t> values;
    size_t begin = 0, end = 0;
  };
  StatusOr<Variant> parseVariant(std::string_view text, size_t line) const;
  Status addVariant(std::string_view text, size_t line);
  [[nodiscard]] std::vector<int64_t>
  valuesOf(const std::map<std::string, int64_t> &given) const;
  [[nodiscard]] const Variant *
  findVariant(const std::vector<int64_t> &values) const;
  [[nodiscard]] std::string keepLines(const std::string &text,
                                      const Variant *kept) const;

  std::vector<Tunable> declared;
  std::vector<Variant> variants;
  /// Pieces of the text, and the tunables between them.
  std::vector<std::string> pieces;
  std::vector<size_t> between;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_TEXT_TEMPLATE_H
