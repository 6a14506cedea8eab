// Names that end in a number: argI, dimJ, strideJ.
#ifndef TILEWRIGHT_RUNTIME_ABI_NUMBEREDNAMES_H
#define TILEWRIGHT_RUNTIME_ABI_NUMBEREDNAMES_H

#include <optional>
#include <string_view>

namespace tilewright::runtime {

/// The N of the name PREFIX "N", if it is less than `count`.
[[nodiscard]] std::optional<unsigned>
indexAfter(std::string_view text, std::string_view prefix, unsigned count);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ABI_NUMBEREDNAMES_H
