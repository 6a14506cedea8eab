// The objects behind the handles that several files of the C interface use.
#ifndef TILEWRIGHT_RUNTIME_CAPI_HANDLES_H
#define TILEWRIGHT_RUNTIME_CAPI_HANDLES_H

#include "runtime/capi/StatusHandle.h"
#include "tilewright/runtime/Device.h"

struct tw_device {
  std::shared_ptr<tilewright::runtime::Device> device;
};

#endif // TILEWRIGHT_RUNTIME_CAPI_HANDLES_H
