//===- KernelPackage.h - One tile kernel as a package -----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_PACKAGE_KERNELPACKAGE_H
#define TILEWRIGHT_LIBRARY_MODEL_PACKAGE_KERNELPACKAGE_H

#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright {

/// Fills in the interface and the one step of a package that runs `kernel`.
///
/// A view that is only read is an input, one that is only stored to an output.
/// A view that is read and stored to, or whose pointers are taken, is both: an
/// input and an output of one name; the kernel works on a copy of the input. A
/// scalar is an input of rank 0. Optional argument attributes define what the
/// types do not:
///
///   tile.name = "x"          the tensor's name, default "arg0", "arg1", ...
///   tile.dims = ["M", "K"]   of a view: names or expressions of its `?` sizes,
///                            "" for those that have none
///   tile.value = "M * 2"     of an index or integer: its value, so that it is
///                            no input
///
/// Their old names, graph.name, graph.dims and graph.value, are read too.
/// Each name in an expression must be a size of an input. An output with an
/// unnamed `?` is an input too, whose shape defines the size.
///
/// Errors are at the argument's line: an unknown graph.* attribute, one of
/// another type or in the wrong number, a malformed expression, a size that no
/// input has, two arguments of one name. With the code `unsupported`: arguments
/// that a package cannot pass, namely views with strides other than a dense
/// tensor's, and pointers.
Status describeKernelPackage(tile::KernelOp kernel,
                             runtime::PackageManifest &manifest);

/// A package has one interface for all targets: the error says where the
/// tunables of two targets change the kernel's name or its arguments.
Status checkSameInterface(tile::KernelOp kernel, const std::string &target,
                          tile::KernelOp other, const std::string &otherTarget);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_PACKAGE_KERNELPACKAGE_H
