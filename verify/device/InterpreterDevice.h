//===- InterpreterDevice.h - Tile kernels as they are written ---*- C++ -*-===//
//
// The device "interpreter" runs kernels for the target "interpreter": images
// that are modules at the tile level, as text or as bytecode. It executes them
// op by op as the specification says, with no lowering in between, so if
// another device's result differs, that device is wrong. It finds faults of a
// kernel: an access outside its buffer, a read of what was never written, a
// write to a constant, use of poison, a failed assertion.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_DEVICE_INTERPRETERDEVICE_H
#define TILEWRIGHT_VERIFY_DEVICE_INTERPRETERDEVICE_H

#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/KernelPrints.h"
#include <memory>

namespace tilewright::verify {

/// The name of the device and of its target.
inline constexpr const char *interpreterName = "interpreter";

/// Makes one. runtime::openDevice("interpreter") does the same once the
/// compiler library is loaded.
std::shared_ptr<runtime::Device>
makeInterpreterDevice(runtime::PrintSink prints = {});

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_DEVICE_INTERPRETERDEVICE_H
