#ifndef TILEWRIGHT_LIBRARY_TUNING_IDENTIFYRUN_H
#define TILEWRIGHT_LIBRARY_TUNING_IDENTIFYRUN_H

#include "autotune/session/Session.h"
#include "tilewright/support/Export.h"

namespace tilewright {

/// Fills in a run record's fields on this build and this machine.
TILEWRIGHT_PRIVATE_API void identifyRun(autotune::TuneOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_TUNING_IDENTIFYRUN_H
