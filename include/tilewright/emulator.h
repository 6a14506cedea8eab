// Additional functions of the device "emulator": counters of each launch, and
// findings such as races. Nothing more is linked; the runtime loads the
// emulator's library when the device is opened.
#ifndef TILEWRIGHT_EMULATOR_H
#define TILEWRIGHT_EMULATOR_H

#include "tilewright/runtime/CounterSource.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/FindingSource.h"

#endif // TILEWRIGHT_EMULATOR_H
