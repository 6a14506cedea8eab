// Calls of kernels with objects of Python.
#ifndef TILEWRIGHT_PYTHON_SRC_LAUNCH_H
#define TILEWRIGHT_PYTHON_SRC_LAUNCH_H

#include "Arrays.h"
#include "tilewright/compiler/Executable.h"
#include <variant>
#include <vector>

namespace tilewright::python {

/// What a caller gave for one argument.
struct UserArgument {
  std::variant<HostArray, double, int64_t> value;
  /// An array for a pointer: its address is passed.
  bool asPointer = false;
};

/// What callers call an argument: its name, or "arg0" where it has none.
std::string argumentName(const runtime::KernelManifest &manifest, size_t index);

/// Reads the arguments of a kernel with this manifest: in order, then by name.
/// Raises where one is missing, given twice or unknown, or where an object is
/// neither an array nor a number; the launch checks the rest.
std::vector<UserArgument> readArguments(const runtime::KernelManifest &manifest,
                                        const nb::args &inOrder,
                                        const nb::kwargs &byName);

/// Launches and waits. Where the device takes host memory, arrays are used in
/// location; else they are copied there and back. Arrays that share memory
/// share it there, too. Needs no lock of the interpreter.
Status launchOnHostArrays(const Executable &kernel, runtime::Device &device,
                          runtime::Stream &stream,
                          const std::vector<UserArgument> &arguments);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_SRC_LAUNCH_H
