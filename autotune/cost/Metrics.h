// Numbers as people read them, and estimates as a table.
#ifndef TILEWRIGHT_AUTOTUNE_COST_METRICS_H
#define TILEWRIGHT_AUTOTUNE_COST_METRICS_H

#include "autotune/cost/Estimate.h"
#include "tilewright/support/Export.h"

namespace tilewright::autotune {

/// "12.3", "0.0415", "1,230,000": three digits that count.
[[nodiscard]] std::string threeDigits(double number);
/// "16.8 MB", "512 B".
[[nodiscard]] std::string inBytes(double bytes);
/// "83.1 us", of nanoseconds.
[[nodiscard]] std::string inTime(double nanoseconds);

/// The estimate for people: the total, then its terms with their reasons, the
/// bounding one marked. Lines end in '
/// '.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
describeEstimate(const Estimate &estimate);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_METRICS_H
