//===- KernelPackage.h - One tile kernel as a package -----------*- C++ -*-===//
#ifndef TILEWRIGHT_FRONTENDS_PACKAGE_KERNELPACKAGE_H
#define TILEWRIGHT_FRONTENDS_PACKAGE_KERNELPACKAGE_H

#include "runtime/abi/PackageManifest.h"
#include "tileir/ir/Tile.h"

namespace tilewright {

/// Fills in the interface and the one step of a package that runs `kernel`.
/// Views that it stores to are outputs, the others inputs. Argument attributes
/// say what the types leave open:
///   graph.name = "x"          the tensor's name, default "arg0", "arg1", ...
///   graph.dims = ["M", "K"]   names or expressions of the `?` dims, "" for the
///                            others; each `?` of an output needs one
///   graph.value = "K"         the value of an index or integer argument
Status describeKernelPackage(tile::KernelOp kernel,
                             runtime::PackageManifest &manifest);

/// A package has one interface, whatever its targets: the error says where the
/// tunables of two targets change the kernel's name or its arguments.
Status checkSameInterface(tile::KernelOp kernel, const std::string &target,
                          tile::KernelOp other, const std::string &otherTarget);

} // namespace tilewright

#endif // TILEWRIGHT_FRONTENDS_PACKAGE_KERNELPACKAGE_H
