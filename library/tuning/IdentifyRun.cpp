#include "library/tuning/IdentifyRun.h"

#include "library/compiler/BuildIdentity.h"
#include <unistd.h>

namespace tilewright {

void identifyRun(autotune::TuneOptions &options) {
  options.version = TILEWRIGHT_VERSION;
  options.compiler = buildIdentity();
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  options.host = host;
}

} // namespace tilewright
