// The page of a tuning database.
#ifndef TILEWRIGHT_AUTOTUNE_REPORT_HTML_H
#define TILEWRIGHT_AUTOTUNE_REPORT_HTML_H

#include "autotune/report/Summary.h"
#include "tilewright/support/Export.h"

namespace tilewright::autotune {

/// One self-contained HTML file: an index of the tasks, and for each its cost
/// against each parameter, the course of the search, a roofline, rejections and
/// their reasons, the model against the measurements, the ten best and the
/// environment. `title` is the database's name.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
htmlReport(const std::string &title, std::span<const TaskSummary> summaries,
           std::span<const RunRecord> runs);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_REPORT_HTML_H
