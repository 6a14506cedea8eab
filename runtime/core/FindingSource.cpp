#include "tilewright/runtime/FindingSource.h"

namespace tilewright::runtime {

FindingSource::~FindingSource() = default;

FindingSource *findingSource(Device &device) {
  return dynamic_cast<FindingSource *>(&device);
}

} // namespace tilewright::runtime
