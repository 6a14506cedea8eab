// The page that shows what a tuning database knows.
#ifndef TILEWRIGHT_AUTOTUNE_REPORT_HTML_H
#define TILEWRIGHT_AUTOTUNE_REPORT_HTML_H

#include "autotune/report/Summary.h"
#include "tilewright/support/Export.h"

namespace tilewright::autotune {

/// One HTML file that needs nothing beside it: an index of the tasks, and for
/// each its cost against each parameter, how the search went, a roofline, what
/// was rejected and why, the model against the measurements, the ten best and
/// the environment. `title` is the database's name.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
htmlReport(const std::string &title, std::span<const TaskSummary> summaries,
           std::span<const RunRecord> runs);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_REPORT_HTML_H
