// Runs compiled code: packages, models, kernels and devices. Link with
// Tilewright::runtime; the compiler is not needed.
#ifndef TILEWRIGHT_RUNTIME_H
#define TILEWRIGHT_RUNTIME_H

#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/HalfFloats.h"
#include "tilewright/runtime/Launch.h"
#include "tilewright/runtime/Model.h"
#include "tilewright/runtime/Npy.h"
#include "tilewright/runtime/Package.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Status.h"

#endif // TILEWRIGHT_RUNTIME_H
