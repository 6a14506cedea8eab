// Opening a database's file without touching what is not ours; private to this
// folder's sources and tests.
#ifndef TILEWRIGHT_AUTOTUNE_DATABASE_FILE_H
#define TILEWRIGHT_AUTOTUNE_DATABASE_FILE_H

#include "autotune/database/Database.h"
#include "autotune/database/Schema.h"

namespace tilewright::autotune {

/// As Database::open, for files of this format.
StatusOr<std::unique_ptr<sqlite::Connection>>
openFile(const std::filesystem::path &path, Database::Mode mode,
         const Format &format);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_DATABASE_FILE_H
