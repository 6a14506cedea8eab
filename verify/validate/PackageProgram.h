// A package on a device.
#pragma once

#include "tilewright/runtime/Package.h"
#include "verify/validate/Program.h"
#include <memory>

namespace tilewright::verify {

/// What a package says of an input or output.
Port portOf(const runtime::InterfaceTensor &tensor);

/// Runs a package on the device for the first target of its kernels: "cpu", the
/// emulator for GPUs, or the interpreter. On the interpreter so many programs
/// of a package that launches one kernel run; 0: all. Errors: no device for it.
StatusOr<std::unique_ptr<Program>>
makePackageProgram(std::shared_ptr<const runtime::Package> package, Hints hints,
                   RunTime mostTime = ordinaryTime, int64_t mostPrograms = 0);

} // namespace tilewright::verify
