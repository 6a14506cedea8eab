//===- CallerAttributes.h - Kernel arguments as callers see them *- C++ -*-===//
#ifndef TILEWRIGHT_TILEIR_IR_CALLERATTRIBUTES_H
#define TILEWRIGHT_TILEIR_IR_CALLERATTRIBUTES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilewright::tile {

/// Argument attributes of a kernel: the argument's name; the names of a view's
/// dims; the value of an index or integer that callers do not pass.
inline constexpr llvm::StringLiteral kNameAttr = "tile.name";
inline constexpr llvm::StringLiteral kDimsAttr = "tile.dims";
inline constexpr llvm::StringLiteral kValueAttr = "tile.value";

/// One of them. Its old name, graph.name for tile.name, is read too: kernels in
/// tuning databases have it. `Signature` is a KernelOp or a SignatureAttr.
template <typename Attr, typename Signature>
Attr callerAttribute(Signature signature, unsigned index,
                     llvm::StringRef name) {
  if (auto own = signature.template getArgAttrOfType<Attr>(index, name))
    return own;
  const std::string old = "graph" + name.substr(name.find('.')).str();
  return signature.template getArgAttrOfType<Attr>(index, old);
}

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_IR_CALLERATTRIBUTES_H
