// Numbers and tables for people, beyond what support/Format.h has.
#ifndef TILEWRIGHT_AUTOTUNE_REPORT_FORMAT_H
#define TILEWRIGHT_AUTOTUNE_REPORT_FORMAT_H

#include "support/Format.h"
#include "tilewright/support/Export.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::autotune {

/// Three digits: "1.25", "12.5", "125", "0.00125"; "1,250" and up in full.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string formatNumber(double value);
/// "35.0 ns", "610 us", "18.4 ms", "2.10 s".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string formatTime(double nanoseconds);
/// "0.4 s", "59 s", "9 m 05 s", "2 h 03 m".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string formatDuration(double seconds);
/// "1.84x".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string formatRatio(double ratio);
/// "1 task", "2,000 tasks".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
formatPlural(size_t count, const std::string &noun);

/// The first `width` characters of a text, "..." for the rest; line ends and
/// other control characters become spaces, so that it stays one line.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string oneLine(std::string_view text,
                                                         size_t width);

/// Rows of cells as lines, in columns two spaces apart.
class TILEWRIGHT_PRIVATE_API TextTable {
public:
  enum class Align { left, right };
  explicit TextTable(std::vector<Align> columns)
      : columns(std::move(columns)) {}
  /// A row has at most as many cells as there are columns.
  void add(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  /// Each line after `indent`; no spaces at the ends of lines.
  [[nodiscard]] std::string text(const std::string &indent = "") const;

private:
  std::vector<Align> columns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_REPORT_FORMAT_H
