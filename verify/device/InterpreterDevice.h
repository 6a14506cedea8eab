//===- InterpreterDevice.h - Kernels as they are written --------*- C++ -*-===//
//
// The device "interpreter" runs kernels for the target "interpreter": images
// that are modules of one level (tile, scheduled), as text or as bytecode. It
// executes them op by op as the specification says, with no lowering in
// between, so if another device's result differs, that device is wrong; if two
// levels of a kernel differ, a pass between them is. It finds faults of a
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

struct InterpreterOptions {
  /// Gets the lines that kernels print; none: they are dropped.
  runtime::PrintSink prints = {};
  /// 0: the programs of a launch run in order of their linear id. Otherwise
  /// they are shuffled by this seed.
  uint64_t orderSeed = 0;
  /// Whether asynchronous copies land when they are waited for, not when they
  /// start.
  bool copiesLandLate = false;
};

/// Makes one. runtime::openDevice("interpreter") does the same, without
/// options, once the compiler library is loaded.
std::shared_ptr<runtime::Device>
makeInterpreterDevice(InterpreterOptions options = {});

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_DEVICE_INTERPRETERDEVICE_H
