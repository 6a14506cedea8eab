// How the report looks, and its one script; private to this folder's sources.
#ifndef TILEWRIGHT_AUTOTUNE_REPORT_HTMLSTYLE_H
#define TILEWRIGHT_AUTOTUNE_REPORT_HTMLSTYLE_H

#include <string_view>

namespace tilewright::autotune {

/// For the <style> element.
[[nodiscard]] std::string_view reportStyle();
/// Sorts the index by a click on a column's head.
[[nodiscard]] std::string_view reportScript();

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_REPORT_HTMLSTYLE_H
