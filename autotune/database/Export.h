// Trials as text for other programs.
#ifndef TILEWRIGHT_AUTOTUNE_DATABASE_EXPORT_H
#define TILEWRIGHT_AUTOTUNE_DATABASE_EXPORT_H

#include "autotune/database/Trial.h"
#include "tilewright/support/Export.h"
#include <span>

namespace tilewright::autotune {

/// A line of names, then one per trial (RFC 4180, but lines end in
/// ): the key and all fields, in the given order.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
exportCsv(std::span<const TrialRecord> trials);

/// An array of objects with the same members; `terms` is an object.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
exportJson(std::span<const TrialRecord> trials);

/// A trial's key in the database: a hash of its fields, in 32 hexadecimal
/// digits. Empty for one that no database can hold.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
trialKey(const TrialRecord &trial);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_DATABASE_EXPORT_H
