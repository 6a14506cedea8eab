// What the device "emulator" offers besides running kernels: counters of each
// launch, and findings such as races. The runtime loads its library when the
// device is opened; nothing is linked for it.
#ifndef TILEWRIGHT_EMULATOR_H
#define TILEWRIGHT_EMULATOR_H

#include "tilewright/runtime/CounterSource.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/FindingSource.h"

#endif // TILEWRIGHT_EMULATOR_H
